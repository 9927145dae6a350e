import { SnapshotOutdated } from '../../core/errors.ts'
import { type NodeId, toNodeId } from '../../core/ids.ts'
import type { FileInfo } from '../../core/index-writer.ts'
import type {
  FileVersion,
  Metric,
  Node,
  NodeKind,
  NodeOptions,
  NodeSummary,
  Occurrence,
  Ranked,
  Scope,
  Scores,
  Snapshot,
  Topology,
} from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import type { NoteText } from '../../core/texts.ts'
import { isWhole, timesOf, toOccurrence } from '../note-facts.ts'
import { countProperties, countTags, countValues } from './counts.ts'
import { findNames } from './find-names.ts'
import { findNotes, groupValues } from './find-notes.ts'
import { folderTree } from './folder-tree.ts'
import { idKeyOf, joinLinks, readLinks } from './note-properties.ts'
import { findPaths } from './paths.ts'
import { countProblems, findProblems, findWanted } from './problems.ts'
import {
  isSameGeneration,
  type KeptAnswers,
  type QuestionContext,
  Questions,
  rangeOf,
  stateOf,
  type VaultFacts,
  type VaultState,
} from './questions.ts'
import { noteLanguages, rankWords, wordsNear } from './rank-words.ts'
import { filesIn, hasFiles, hasMissing, labelFor, labelOf } from './scope.ts'
import type { Connection } from './server/connection.ts'
import { nearestChunks, nearestNames, vectorStates, vectorsOf } from './vectors.ts'
import { type TopologyRows, topologyOf } from './whole-graph.ts'

export interface SnapshotParts {
  readonly connection: Connection
  readonly name: string | undefined
  readonly facts: VaultFacts | undefined
  readonly signal: AbortSignal | undefined
  readonly isLast: boolean
  /** True if `facts` are from an earlier read and each result must confirm them. */
  readonly isTrusted: boolean
  /** True if there is no folder, so the text of notes is read from the database. */
  readonly hasTexts: boolean
  readonly onState: (state: VaultState | undefined) => void
  readonly newest: () => number
  /** A cache of results for the whole vault. */
  readonly cache: KeptAnswers
  readonly onTopology: (topology: Topology, rows: TopologyRows) => void
  /** Scores that only this process has. */
  readonly ownScores: (metric: Metric) => OwnScores | undefined
}

/** Scores in the order of the topology from which they were computed. */
export interface OwnScores {
  readonly rows: TopologyRows
  readonly order: readonly number[]
  readonly generation: number
  readonly scores: Scores
}

export class Neo4jSnapshot implements Snapshot {
  readonly generation: number
  readonly files: number
  readonly complete: boolean
  readonly lineage: string | undefined
  readonly isLast: boolean
  readonly texts?: NonNullable<Snapshot['texts']>
  readonly #parts: SnapshotParts
  readonly #asking: QuestionContext
  readonly #questions: Questions
  #isMixed = false

  constructor(parts: SnapshotParts) {
    const { connection, facts, signal, isLast, name, isTrusted, onState } = parts
    this.#parts = parts
    this.generation = facts?.generation ?? 0
    this.files = facts?.files ?? 0
    this.complete = facts?.complete ?? false
    this.lineage = facts?.lineage ?? undefined
    this.isLast = isLast
    this.#questions = new Questions(connection, {
      signal,
      onState: (state) => {
        onState(state)
        // Search data changes all the time during the first feed, so only facts from an earlier read are checked.
        const isSearchMoved = isTrusted && state?.searchWrites !== facts?.searchWrites
        if (state?.isPartlyVisible === true || !isSameGeneration(state, facts) || isSearchMoved) this.restart()
      },
    })
    const start = name === undefined ? '' : `${name}:`
    this.#asking = {
      questions: this.#questions,
      vault: connection.vault,
      embedders: facts?.embedders ?? [],
      cached: async (name, read) => {
        signal?.throwIfAborted()
        return await parts.cache.of(stateOf(facts), name, read)
      },
      names: new Map(),
      idOf: (id) => toNodeId(id, name),
      bare: (id) => (id.startsWith(start) ? id.slice(start.length) : id),
    }
    if (parts.hasTexts)
      this.texts = async (ids) => (await this.#questions.ask<StoredText>(TEXTS, { ids: this.#bare(ids) })).map(toText)
  }

  get isMixed(): boolean {
    return this.#isMixed
  }

  get isConfirmed(): boolean {
    return this.#questions.isConfirmed
  }

  restart(): void {
    if (!this.isLast) throw new SnapshotOutdated()
    this.#isMixed = true
  }

  #bare(ids: readonly string[]): readonly string[] {
    return ids.map(this.#asking.bare)
  }

  #summary({ id, title }: { readonly id: string; readonly title: string }): NodeSummary {
    return { id: this.#asking.idOf(id), title }
  }

  readonly kinds: Snapshot['kinds'] = async (ids) => {
    const { name } = this.#parts
    const bareIds = ids.map((id) => (name === undefined || id.startsWith(`${name}:`) ? this.#asking.bare(id) : ''))
    const kinds = await this.#questions.ask<{ readonly kind: NodeKind | null }>(
      `${NODES} RETURN {kind: n.kind} AS row`,
      nodesOf(bareIds),
    )
    return kinds.map(({ kind }) => kind ?? undefined)
  }

  readonly nodes: Snapshot['nodes'] = async (ids, options) => {
    const rows = await this.#questions.ask<StoredNode | null>(
      `${NODES} RETURN CASE WHEN n IS NULL THEN {at: at} ELSE
         n {.id, .title, .kind, .path, .tags, .aliases, .excluded, .info, .stat, at: at,
            linkCount: COUNT { MATCH (n)-[:ROUX_LINK]->(t:RouxListed) WHERE t <> n },
            links: COLLECT { MATCH (n)-[:ROUX_LINK]->(t:RouxListed) WHERE t <> n
                             WITH t ORDER BY t.inDegree DESC, t.sort LIMIT toInteger($links) RETURN t {.id, .title} }} END AS row`,
      { ...nodesOf(this.#bare(ids)), links: options.links },
    )
    return rows.map((row) => (row?.id === undefined ? undefined : this.#toNode(row, options)))
  }

  #toNode(row: StoredNode, options: NodeOptions): Node {
    const info = row.info === null ? undefined : (JSON.parse(row.info) as FileInfo)
    const { properties = {} } = info ?? {}
    const isFile = row.kind !== 'missing'
    return {
      id: this.#asking.idOf(row.id),
      title: row.title,
      kind: row.kind,
      ...(row.path === null ? {} : { path: row.path }),
      tags: row.tags ?? [],
      aliases: row.aliases ?? [],
      excluded: row.excluded ?? false,
      links: row.links.map((link) => this.#summary(link)),
      linkCount: row.linkCount,
      properties,
      ...(isFile && options.times === true
        ? timesOf({ properties, stat: row.stat === null ? undefined : JSON.parse(row.stat) })
        : {}),
      headings: info?.headings ?? [],
      blocks: info?.blocks ?? [],
      ...(options.tasks === true ? { tasks: info?.tasks ?? [] } : {}),
      excerpt: info?.excerpt ?? '',
      excerptCut: info?.excerptCut ?? false,
    }
  }

  readonly versions: Snapshot['versions'] = async (ids) => {
    const rows = await this.#questions.ask<FileVersion & { readonly path: FileVersion['path'] | null }>(
      `${NODES} RETURN {id: n.id, path: n.path, kind: n.kind, hash: n.hash} AS row`,
      nodesOf(this.#bare(ids)),
    )
    return rows.map((row) => (row.path === null ? undefined : { ...row, id: this.#asking.idOf(row.id) }))
  }

  readonly namesOf: Snapshot['namesOf'] = async (ids) => {
    const { names } = this.#asking
    if (ids.every((id) => names.has(id))) return ids.map((id) => names.get(id) ?? [])
    const rows = await this.#questions.ask<{ readonly title: string | null; readonly aliases: readonly string[] | null }>(
      `${NODES} RETURN {title: n.title, aliases: n.aliases} AS row`,
      nodesOf(this.#bare(ids)),
    )
    return rows.map(({ title, aliases }) => (title === null ? [] : [title, ...(aliases ?? [])]))
  }

  readonly select: Snapshot['select'] = async (scope, page) => {
    if (page.limit <= 0) return { items: [], total: await this.#total(scope) }
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    const row = await this.#questions.one<{ readonly total: number; readonly items: readonly NodeSummary[] }>(
      `${inScope(scope, text)}
       RETURN {total: total, items: items} AS row`,
      { ...parameters, ...rangeOf(page) },
    )
    return { items: (row?.items ?? []).map((item) => this.#summary(item)), total: row?.total ?? 0 }
  }

  async #total(scope: Scope): Promise<number> {
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    return await this.#asking.cached(`total ${JSON.stringify(scope)}`, async () => {
      const total = await this.#questions.one<number>(`${anyInScope(scope, text)} RETURN count(f) AS row`, parameters)
      return total ?? 0
    })
  }

  readonly sample: Snapshot['sample'] = async (scope, seed) => {
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    const row = await this.#questions.one<{ readonly items: readonly NodeSummary[] }>(
      `${inScope(scope, text, ['toInteger(floor($seed * total))', 'first + 1'])} RETURN {items: items} AS row`,
      { ...parameters, seed },
    )
    const [item] = row?.items ?? []
    return item === undefined ? undefined : this.#asking.idOf(item.id)
  }

  readonly tags: Snapshot['tags'] = async (prefix = '') =>
    prefix === '' ? await this.#asking.cached('tags', () => countTags(this.#asking, '')) : await countTags(this.#asking, prefix)

  readonly properties: Snapshot['properties'] = async () =>
    await this.#asking.cached('properties', () => countProperties(this.#asking))

  readonly propertyValues: Snapshot['propertyValues'] = async (key) => await countValues(this.#asking, key)

  readonly tree: Snapshot['tree'] = async (path, options) => await folderTree(this.#asking, path, options)

  readonly problems: Snapshot['problems'] = async (filter, page) =>
    await findProblems(this.#asking, { filter, outside: this.#parts.facts?.outside ?? null }, page)

  readonly problemCounts: Snapshot['problemCounts'] = async (filter) =>
    await countProblems(this.#asking, { filter, outside: this.#parts.facts?.outside ?? null })

  readonly wantedNotes: Snapshot['wantedNotes'] = async (filter, page) => await findWanted(this.#asking, filter, page)

  readonly neighbors: Snapshot['neighbors'] = async (id, options, page) => {
    const { direction, type, kinds = ['note'] } = options
    const arrow = direction === 'out' ? ['-', '->'] : direction === 'in' ? ['<-', '-'] : ['-', '-']
    const row = await this.#questions.one<{ readonly total: number; readonly items: readonly string[] }>(
      `${NODES} MATCH (n)${arrow[0]}[l:ROUX_LINK]${arrow[1]}(t)
       WHERE t <> n AND t.kind IN $kinds AND NOT coalesce(t.excluded, false) AND ($type IS NULL OR $type IN l.types)
       WITH DISTINCT t ORDER BY t.inDegree DESC, t.sort WITH collect(t.id) AS ids
       RETURN {total: size(ids), items: ids[toInteger($offset)..toInteger($end)]} AS row`,
      {
        ...nodesOf([this.#asking.bare(id)]),
        kinds,
        type: type === undefined ? null : foldName(type),
        ...rangeOf(page),
      },
    )
    return { items: (row?.items ?? []).map(this.#asking.idOf), total: row?.total ?? 0 }
  }

  readonly occurrences: Snapshot['occurrences'] = async (pairs) => {
    const { bare } = this.#asking
    const rows = await this.#questions.ask<{ readonly links: readonly string[] }>(
      `UNWIND $pairs AS pair
       RETURN {links: COLLECT { MATCH (f:RouxFile {vault: $vault, id: pair.from})-[l:ROUX_LINK]->(t)
                                WHERE t.id = pair.to AND t.kind IS NOT NULL RETURN l.links }} AS row`,
      { pairs: pairs.map(([from, to]) => ({ from: bare(from), to: bare(to) })) },
    )
    return rows.map(({ links }, at) => {
      const [from, to] = pairs[at] as readonly [NodeId, NodeId]
      return joinLinks(links).map((link) => toOccurrence(link, { from, to }))
    })
  }

  readonly linksInto: Snapshot['linksInto'] = async (ids) => {
    const rows = await this.#questions.ask<StoredEdge>(
      `${NODES} MATCH (s:RouxFile)-[l:ROUX_LINK]->(n) WHERE NOT s.excluded AND NOT s.id IN $ids
       WITH s, n, l ORDER BY s.sort RETURN {from: s.id, to: n.id, links: l.links} AS row`,
      nodesOf(this.#bare(ids)),
    )
    return this.#inOrder(rows).flat()
  }

  readonly linksFrom: Snapshot['linksFrom'] = async (ids) => {
    const rows = await this.#questions.ask<StoredEdge>(
      `${NODES} MATCH (n)-[l:ROUX_LINK]->(t) WHERE t <> n AND t.kind IS NOT NULL AND NOT coalesce(n.excluded, false) AND NOT coalesce(t.excluded, false)
       WITH DISTINCT n, l, t ORDER BY n.sort RETURN {from: n.id, to: t.id, links: l.links} AS row`,
      nodesOf(this.#bare(ids)),
    )
    return this.#inOrder(rows).flat()
  }

  /** Groups links by source, in order of first appearance. The links of each source are ordered by position. */
  #inOrder(edges: readonly StoredEdge[]): readonly (readonly Occurrence[])[] {
    const bySource = new Map<string, (readonly [number, Occurrence])[]>()
    for (const { from, to, links } of edges) {
      const ends = { from: this.#asking.idOf(from), to: this.#asking.idOf(to) }
      const all = readLinks(links).map(([at, link]) => [at, toOccurrence(link, ends)] as const)
      bySource.set(from, [...(bySource.get(from) ?? []), ...all])
    }
    return [...bySource.values()].map((all) => all.sort(([a], [b]) => a - b).map(([, occurrence]) => occurrence))
  }

  readonly linksWithin: Snapshot['linksWithin'] = async (ranges, scope) => {
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    const sources = [...new Set(ranges.map(({ id }) => id))]
    const rows = await this.#questions.ask<StoredEdge & { readonly inLinks: number }>(
      `UNWIND $sources AS source MATCH (s:RouxFile {vault: $vault, id: source})-[l:ROUX_LINK]->(f:RouxFile)
       WHERE f <> s AND ${text}
       RETURN {from: s.id, to: f.id, links: l.links, inLinks: f.inDegree} AS row`,
      { ...parameters, sources: this.#bare(sources) },
    )
    const inLinks = new Map(rows.map((row) => [this.#asking.idOf(row.to), row.inLinks]))
    const bySource = new Map(this.#inOrder(rows).map((all) => [all[0]?.from, all]))
    return ranges.map(({ id, start, end }) =>
      (bySource.get(this.#asking.idOf(this.#asking.bare(id))) ?? [])
        .filter((link) => link.start >= start && link.start < end && !link.inComment)
        .map((link) => ({ ...link, inLinks: inLinks.get(link.to) ?? 0 })),
    )
  }

  readonly paths: Snapshot['paths'] = async (source, target, options) => {
    const { bare, idOf } = this.#asking
    const paths = await findPaths(
      (cypher, parameters) => this.#questions.ask(cypher, parameters),
      { source: bare(source), target: bare(target) },
      options,
    )
    return paths.map((path) => path.map(idOf))
  }

  readonly hubs: Snapshot['hubs'] = async (metric, scope, limit) => {
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    const isDegree = metric === 'in_degree' || metric === 'out_degree'
    const score = SCORES[metric]
    // The index of scores is sorted for the whole vault. For smaller scopes, the query sorts.
    const inOrder = labelOf(scope) === 'RouxListed' && isWhole(scope)
    const ordering = inOrder
      ? `MATCH (f:RouxListed) USING INDEX f:RouxListed(vault, ${score}) WHERE f.vault = $vault AND f.${score} IS NOT NULL AND ${text}
         WITH f, f.${score} AS score ORDER BY f.vault DESC, f.${score} DESC, f.sort LIMIT toInteger($limit)`
      : `MATCH (f:RouxListed {vault: $vault}) WHERE ${text}
         WITH f, coalesce(f.${score}, 0) AS score ORDER BY score DESC, f.sort LIMIT toInteger($limit)`
    const row = await this.#questions.one<{
      readonly items: readonly (NodeSummary & { readonly score: number })[]
      readonly kept: number | null
      readonly sampled: number | null
    }>(
      `MATCH (v:RouxVault {vault: $vault})
       CALL () { ${limit <= 0 ? 'RETURN [] AS items' : `${ordering} RETURN collect({id: f.id, title: f.title, score: score}) AS items`} }
       RETURN {items: items, kept: v.${score}At, sampled: v.${score}Sampled} AS row`,
      { ...parameters, limit: Math.max(0, limit) },
    )
    const ownScores = this.#parts.ownScores(metric)
    if (ownScores !== undefined && (row?.kept ?? -1) < ownScores.generation) return await this.#hubsBy(ownScores, scope, limit)
    if (row === undefined || (!isDegree && row.kept === null))
      return isDegree ? { items: [], generation: this.generation } : undefined
    return {
      items: row.items.map((item) => ({ ...this.#summary(item), score: item.score })),
      generation: isDegree ? this.generation : (row.kept ?? 0),
      ...(isDegree || row.sampled === null ? {} : { sampled: row.sampled }),
    }
  }

  async #hubsBy(
    { rows: { keys }, order, generation, scores: { scores, sampled } }: OwnScores,
    scope: Scope,
    limit: number,
  ): Promise<Ranked> {
    const { text, parameters } = filesIn(scope, this.#asking.bare)
    const isEverything = isWhole(scope) && scope.withoutArchived !== true
    const inScope = isEverything
      ? undefined
      : new Set(
          await this.#questions.ask<number>(`MATCH (f:RouxListed {vault: $vault}) WHERE ${text} RETURN f.key AS row`, parameters),
        )
    const best = order.filter((at) => inScope?.has(keys[at] ?? -1) ?? true).slice(0, limit)
    const files = await this.#questions.ask<NodeSummary | null>(
      `UNWIND $keys AS key OPTIONAL MATCH (f:RouxListed&RouxNode {vault: $vault, key: key}) RETURN f {.id, .title} AS row`,
      { keys: best.map((at) => keys[at]) },
    )
    const items = best.flatMap((at, place) => {
      const file = files[place]
      return file == null ? [] : [{ ...this.#summary(file), score: scores[at] ?? 0 }]
    })
    return { items, generation, ...(sampled === undefined ? {} : { sampled }) }
  }

  readonly topology: Snapshot['topology'] = async () => {
    const rows = await topologyOf(this.#asking)
    const { ids, offsets, targets } = rows
    const { newest, onTopology } = this.#parts
    const { generation } = this
    const names = ids.map(this.#asking.idOf)
    const topology: Topology = {
      generation,
      ids: () => {
        if (newest() !== generation) throw new SnapshotOutdated()
        return names
      },
      offsets,
      targets,
    }
    onTopology(topology, rows)
    return topology
  }

  readonly names: Snapshot['names'] = async (names, match, scope, options = { limit: Number.POSITIVE_INFINITY, minimum: 0 }) =>
    await findNames(this.#asking, names, { match, scope, options })

  readonly words: Snapshot['words'] = async (terms, scope, limit) => await rankWords(this.#asking, terms, { scope, limit })

  readonly languages: Snapshot['languages'] = async (ids) => await noteLanguages(this.#asking, ids)

  readonly wordsNear: Snapshot['wordsNear'] = async (words) => await wordsNear(this.#asking, words)

  readonly nearest: Snapshot['nearest'] = async (embedder, vectors, scope, limit) =>
    await nearestChunks(this.#asking, { embedder, vectors, scope }, limit)

  readonly nearestNames: Snapshot['nearestNames'] = async (embedder, vectors, scope, options) =>
    await nearestNames(this.#asking, { embedder, vectors, scope }, options)

  readonly vectors: Snapshot['vectors'] = async (embedder, ids) => await vectorsOf(this.#asking, embedder, ids)

  readonly vectorStates: Snapshot['vectorStates'] = async () =>
    await this.#asking.cached('vectors', () => vectorStates(this.#asking))

  readonly find: Snapshot['find'] = async (condition, options, page) =>
    await findNotes(this.#asking, { condition, options }, page)

  readonly groupValues: Snapshot['groupValues'] = async (condition, options) =>
    await groupValues(this.#asking, condition, options)
}

export const SCORES: Readonly<Record<Metric, string>> = {
  in_degree: 'inDegree',
  out_degree: 'outDegree',
  pagerank: 'pagerank',
  betweenness: 'betweenness',
}

/** Binds `n` for each of `$ids`, or null. Files take precedence over missing targets. */
const NODES = `UNWIND range(0, size($ids) - 1) AS at
  OPTIONAL MATCH (file:RouxFile {vault: $vault, id: $ids[at]})
  OPTIONAL MATCH (missing:RouxMissing {vault: $vault, idKey: $idKeys[at]})
  WITH at, coalesce(file, missing) AS n ORDER BY at`

function nodesOf(ids: readonly string[]) {
  return { ids, idKeys: ids.map(idKeyOf) }
}

/** Returns a clause that binds `f`. `missing` is 1 for missing targets. */
function anyInScope(scope: Scope, text: string): string {
  const files = `MATCH (f:${labelFor(scope)} {vault: $vault}) WHERE ${text} RETURN 0 AS missing, f`
  const missing = `MATCH (f:RouxMissing {vault: $vault}) WHERE f.idKey STARTS WITH '' AND f.folded STARTS WITH $scopeStart RETURN 1 AS missing, f`
  const parts = [...(hasFiles(scope) ? [files] : []), ...(hasMissing(scope) ? [missing] : [])]
  const all =
    parts.length === 0 ? 'MATCH (f:RouxVault {vault: $vault}) WHERE false RETURN 0 AS missing, f' : parts.join(' UNION ALL ')
  return `CALL () { ${all} }`
}

/**
 * Returns a query for a page as `items` and the number of nodes as `total`. Files come first, ordered by id, and then missing
 * targets.
 */
function inScope(scope: Scope, text: string, [first, end] = ['toInteger($offset)', 'toInteger($end)']): string {
  return `${anyInScope(scope, text)}
    WITH missing, f ORDER BY missing, f.sort WITH collect(f) AS found WITH found, size(found) AS total
    WITH total, ${first} AS first, found
    WITH total, [f IN found[first..${end}] | f {.id, .title}] AS items`
}

interface StoredNode {
  readonly id: string
  readonly title: string
  readonly kind: NodeKind
  readonly path: FileVersion['path'] | null
  readonly tags: readonly string[] | null
  readonly aliases: readonly string[] | null
  readonly excluded: boolean | null
  readonly info: string | null
  readonly stat: string | null
  readonly linkCount: number
  readonly links: readonly { readonly id: string; readonly title: string }[]
}

interface StoredText {
  readonly text: string | null
  readonly bodyStart: number | null
  readonly hash: string | null
}

const TEXTS = `UNWIND range(0, size($ids) - 1) AS at OPTIONAL MATCH (f:RouxFile {vault: $vault, id: $ids[at]})
  WITH at, f ORDER BY at RETURN {text: f.text, bodyStart: f.bodyStart, hash: f.hash} AS row`

function toText({ text, bodyStart, hash }: StoredText): NoteText | undefined {
  return text === null ? undefined : { text, bodyStart: bodyStart ?? 0, hash: hash ?? '' }
}

interface StoredEdge {
  readonly from: string
  readonly to: string
  readonly links: string
}
