import { createHash } from 'node:crypto'
import type { GraphCore } from '../../src/app/graph-core.ts'
import { Rankings } from '../../src/app/links/rankings.ts'
import type { Embedder } from '../../src/core/embedder.ts'
import { foldId, type NodeId, toNodeId, toVaultPath } from '../../src/core/ids.ts'
import type { Indexing, IndexStatus } from '../../src/core/indexing.ts'
import type { Heading } from '../../src/core/note.ts'
import type { Condition } from '../../src/core/query.ts'
import {
  ALL,
  EXCERPT_LENGTH,
  type ExportRow,
  type Folder,
  type NameHit,
  type Node,
  type NodeKind,
  type NodeSummary,
  type Occurrence,
  type Page,
  type Paged,
  PROBLEM_KINDS,
  type Problem,
  type Scope,
  type Snapshot,
  type Store,
} from '../../src/core/store.ts'
import type { Texts } from '../../src/core/texts.ts'
import { insightsOf, linkInsightsOf, memoryInsightState } from './insights.ts'

/** A file of a fake vault; frontmatter is written from `properties`. */
export interface FakeFile {
  readonly body?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly excluded?: boolean
}

export interface FakeStore extends Store {
  /** What every use case reads; tests may put another in its place. */
  readonly snapshot: Snapshot
  readonly texts: Texts
  /** Ids of the texts that were read. */
  readonly reads: readonly string[]
  readonly problemsFound: Problem[]
}

interface Entry {
  readonly node: Node
  readonly text: string
  readonly bodyStart: number
  readonly occurrences: readonly Occurrence[]
}

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : Number(a.id > b.id))
const slice = <T>(items: readonly T[], { offset, limit }: Page): Paged<T> => ({
  items: items.slice(offset, offset + limit),
  total: items.length,
})

/** A store over a few files in memory. It knows wikilinks only and does everything the slow and obvious way. */
export function fakeStore(files: Readonly<Record<string, FakeFile>>): FakeStore {
  const entries = readEntries(files)
  const reads: string[] = []
  const problemsFound: Problem[] = []
  // The ids of a vault that has a name begin with it.
  const get = (id: NodeId) => entries.get(id) ?? entries.get(toNodeId(id.replace(/^[^:/]+:/, '')))
  const listed = (scope: Scope) =>
    [...entries.values()]
      .map(({ node }) => node)
      .filter((node) => !node.excluded && fits(node, scope))
      .sort(byId)
  const outgoing = (id: NodeId) =>
    new Set(
      get(id)
        ?.occurrences.map(({ to }) => to)
        .filter((to) => to !== id),
    )
  const incoming = (id: NodeId) =>
    new Set([...entries.keys()].filter((from) => from !== id && get(from)?.node.excluded === false && outgoing(from).has(id)))
  const byDegree = (a: NodeId, b: NodeId) => incoming(b).size - incoming(a).size || (a < b ? -1 : 1)
  const isNote = (id: NodeId) => get(id)?.node.kind === 'note' && get(id)?.node.excluded === false
  const names = (scope: Scope, score: (name: string) => number): readonly NameHit[] =>
    listed(scope)
      .map(({ id, title, aliases }): NameHit => {
        const best = [title, ...aliases].map((name) => ({ name, score: score(name) })).sort((a, b) => b.score - a.score)
        return {
          id,
          title,
          name: best[0]?.name ?? title,
          score: best[0]?.score ?? 0,
          of: best[0]?.name === title ? 'title' : 'alias',
        }
      })
      .filter((hit) => hit.score > 0)

  const texts: Texts = {
    async read(versions) {
      return versions.map(({ id, hash }) => {
        const entry = get(id)
        if (entry === undefined) return undefined
        reads.push(id)
        return { text: entry.text, bodyStart: entry.bodyStart, hash }
      })
    },
  }
  const snapshot: Snapshot = {
    generation: 1,
    files: Object.keys(files).length,
    complete: true,
    isLast: false,
    isMixed: false,
    restart() {},
    async kinds(ids) {
      return ids.map((id) => get(toNodeId(id))?.node.kind)
    },
    async versions(ids) {
      return ids.map((id) => {
        const entry = get(id)
        if (entry?.node.path === undefined) return undefined
        const { path, kind } = entry.node
        return { id, path, kind, hash: createHash('sha256').update(entry.text).digest('hex') }
      })
    },
    async namesOf(ids) {
      return ids.map((id) => {
        const node = get(id)?.node
        return node === undefined ? [] : [node.title, ...node.aliases]
      })
    },
    async nodes(ids, { links }) {
      return ids.map((id) => {
        const node = get(id)?.node
        if (node === undefined) return undefined
        const targets = [...outgoing(id)].sort(byDegree)
        const shown = targets.slice(0, links).map((to): NodeSummary => ({ id: to, title: get(to)?.node.title ?? to }))
        return { ...node, links: shown, linkCount: targets.length }
      })
    },
    async select(scope, page) {
      return slice(
        listed(scope).map(({ id, title }) => ({ id, title })),
        page,
      )
    },
    async sample(scope, seed) {
      const nodes = listed(scope)
      return nodes[Math.floor(seed * nodes.length)]?.id
    },
    async tags(prefix = '') {
      const counts = new Map<string, number>()
      for (const node of listed({})) {
        const parents = node.tags.flatMap((tag) => tag.split('/').map((_, depth, parts) => parts.slice(0, depth + 1).join('/')))
        for (const tag of new Set(parents)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
      }
      return [...counts]
        .map(([tag, count]) => ({ tag, count }))
        .filter(({ tag }) => foldId(tag).startsWith(foldId(prefix)))
        .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
    },
    async tree(path, options) {
      const notes = listed({}).filter((node) => options.includeArchived || node.properties.archived !== true)
      let left = options.limit
      const build = (folder: string, depth: number): Folder => {
        const below = notes.filter(({ path: at = '' }) => folder === '' || foldId(at).startsWith(`${foldId(folder)}/`))
        const rest = (at: string) => (folder === '' ? at : at.slice(folder.length + 1))
        const direct = below.filter(({ path: at = '' }) => !rest(at).includes('/'))
        const inner = [
          ...new Set(
            below
              .map(({ path: at = '' }) => rest(at))
              .filter((at) => at.includes('/'))
              .map((at) => at.split('/')[0]),
          ),
        ]
        const shown = direct.slice(0, left).map(({ id, title }) => ({ id, title }))
        left -= shown.length
        const folders = depth > 1 ? inner.map((name) => build(folder === '' ? `${name}` : `${folder}/${name}`, depth - 1)) : []
        return {
          path: below[0]?.path?.slice(0, folder.length) ?? folder,
          noteCount: below.length,
          folders,
          notes: shown,
          omittedNotes: direct.length - shown.length,
          omittedFolders: inner.length - folders.length,
        }
      }
      const tree = build(path, options.depth)
      return tree.noteCount === 0 && path !== '' ? undefined : tree
    },
    async problems({ kind, folder, id }, page) {
      const found = problemsFound.filter(
        (problem) =>
          (kind === undefined || problem.kind === kind) &&
          (id === undefined || problem.id === id) &&
          (folder === undefined || problem.id.startsWith(`${foldId(folder)}/`)),
      )
      return slice(found, page)
    },
    async properties() {
      const keys = listed({}).flatMap(({ properties }) => Object.keys(properties))
      return [...new Set(keys)].map((key) => ({ key, count: keys.filter((one) => one === key).length, kinds: ['text'] as const }))
    },
    async propertyValues(key) {
      const values = listed({}).flatMap(({ properties }) => (key in properties ? [String(properties[key])] : []))
      return [...new Set(values)].map((value) => ({ value, count: values.filter((one) => one === value).length }))
    },
    async problemCounts(filter) {
      const { items } = await snapshot.problems(filter, ALL)
      const counts = PROBLEM_KINDS.map((kind) => [kind, items.filter((problem) => problem.kind === kind).length])
      return Object.fromEntries(counts)
    },
    async wanted({ folder }, page) {
      const sources = [...entries.keys()].filter((id) => folder === undefined || id.startsWith(`${folder}/`))
      const missing = [...entries.values()].filter(({ node }) => node.kind === 'missing')
      const wanted = missing.map(({ node }) => {
        const linking = sources.filter((id) => outgoing(id).has(node.id))
        return { name: node.title, ids: [node.id] as const, files: linking.length, sources: linking.slice(0, 3) }
      })
      return slice(
        wanted.filter(({ files }) => files > 0).sort((a, b) => b.files - a.files),
        page,
      )
    },
    async neighbors(id, { direction, type, kinds = ['note'] }, page) {
      const through = (from: NodeId, to: NodeId) =>
        get(from)?.occurrences.some((one) => one.to === to && (type === undefined || one.property === type)) ?? false
      const all = new Set([
        ...(direction === 'out' ? [] : [...incoming(id)].filter((from) => through(from, id))),
        ...(direction === 'in' ? [] : [...outgoing(id)].filter((to) => through(id, to))),
      ])
      const kept = [...all].filter((other) => {
        const node = get(other)?.node
        return node !== undefined && !node.excluded && kinds.includes(node.kind)
      })
      return slice(kept.sort(byDegree), page)
    },
    async occurrences(pairs) {
      return pairs.map(([from, to]) => get(from)?.occurrences.filter((one) => one.to === to) ?? [])
    },
    async linksInto(ids) {
      const others = [...entries.values()].filter(({ node }) => !ids.includes(node.id) && !node.excluded)
      return others.flatMap(({ occurrences }) => occurrences.filter((one) => ids.includes(one.to)))
    },
    async linksWithin(stretches, scope) {
      const wanted = new Set(listed(scope).map(({ id }) => id))
      return stretches.map(({ id, start, end }) =>
        (get(id)?.occurrences ?? [])
          .filter((one) => one.to !== id && wanted.has(one.to) && one.start >= start && one.start < end && !one.inComment)
          .map((one) => ({ ...one, inLinks: incoming(one.to).size })),
      )
    },
    async paths(source, target, { direction, count }) {
      const found: NodeId[][] = []
      let front: NodeId[][] = [[source]]
      while (front.length > 0 && found.length < count) {
        found.push(...front.filter((path) => path.at(-1) === target))
        front = front.flatMap((path) => {
          const last = path.at(-1)
          if (last === undefined || last === target) return []
          const next = [...outgoing(last), ...(direction === 'any' ? incoming(last) : [])].filter(isNote)
          return [...new Set(next)].filter((id) => !path.includes(id)).map((id) => [...path, id])
        })
      }
      return found.slice(0, count)
    },
    async hubs(metric, scope, limit) {
      const degree = (id: NodeId) => [...(metric === 'out_degree' ? outgoing(id) : incoming(id))].filter(isNote).length
      const items = listed(scope).map(({ id, title }) => ({ id, title, score: degree(id) }))
      return { items: items.sort((a, b) => b.score - a.score || byId(a, b)).slice(0, limit), generation: 1 }
    },
    async topology() {
      return { generation: 1, ids: () => [], offsets: Uint32Array.of(0), targets: new Uint32Array() }
    },
    async names(wanted, match, scope, { limit, minimum } = { limit: Number.POSITIVE_INFINITY, minimum: 0 }) {
      return wanted.map((name) => {
        if (match !== 'similar') return names(scope, (other) => (foldId(other) === foldId(name) ? 1 : 0))
        const hits = names(scope, (other) => dice(name, other)).filter(({ score }) => score >= minimum)
        return [...hits].sort((a, b) => b.score - a.score).slice(0, limit)
      })
    },
    async words(terms, scope, limit) {
      const words = terms.map(({ form }) => form)
      const count = (id: NodeId, word: string) => (get(id)?.text.toLowerCase().split(word).length ?? 1) - 1
      const hits = listed(scope)
        .map(({ id }) => ({ id, score: words.reduce((sum, word) => sum + count(id, word), 0) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || byId(a, b))
      return {
        hits: hits.slice(0, limit).map((hit) => ({ ...hit, matched: 1 })),
        coverage: hits.length === 0 ? 0 : 1,
        terms: words.map((word) => ({ word, notes: hits.filter(({ id }) => count(id, word) > 0).length })),
      }
    },
    async nearest(_, vectors) {
      return vectors.map(() => [])
    },
    async nearestNames(_, vectors) {
      return vectors.map(() => [])
    },
    async vectors(_, ids) {
      return ids.map(() => undefined)
    },
    async vectorStates() {
      return []
    },
    async find(condition, { scope }, page) {
      const holds = (id: NodeId, part: Condition): boolean => {
        if (part.kind === 'and') return part.parts.every((inner) => holds(id, inner))
        if (part.kind === 'or') return part.parts.some((inner) => holds(id, inner))
        return part.kind === 'word' && get(id)?.text.includes(part.word.form) === true
      }
      const items = listed(scope).filter(({ id }) => condition === undefined || holds(id, condition))
      return slice(
        items.map(({ id, title }) => ({ id, title, score: 1 })),
        page,
      )
    },
  }
  return storeOf(snapshot, { texts, reads, problemsFound })
}

/** The store with another snapshot behind it. */
export function withSnapshot(store: FakeStore, others: Partial<Snapshot>): FakeStore {
  const { texts, reads, problemsFound } = store
  return storeOf({ ...store.snapshot, ...others }, { texts, reads, problemsFound })
}

/** A store whose use cases all read this snapshot. */
export function storeOf<T extends object>(snapshot: Snapshot, more: T): Store & { readonly snapshot: Snapshot } & T {
  return {
    ...more,
    snapshot,
    read: async (use) => await use(snapshot),
    condition: () => 'ready',
    async keepScores() {},
    async *export(): AsyncIterable<ExportRow> {},
    onChange: () => () => {},
    async close() {},
  }
}

/** A core over a fake store, its indexing idle unless told otherwise. */
export function fakeCore(
  store: Store & { readonly texts?: Texts },
  status: Partial<IndexStatus> = {},
): GraphCore & { calls: string[] } {
  const calls: string[] = []
  const indexing: Indexing = {
    status: () => ({ phase: 'idle', done: 0, total: 0, cache: 'memory', watch: 'off', ...status }),
    begin: () => void calls.push('begin'),
    async ready(timeout) {
      calls.push(`ready ${timeout}`)
      return true
    },
    async findable() {
      return true
    },
    isBehind: () => false,
    async caughtUp() {
      return true
    },
    async reconcile() {},
    onStatus: () => () => {},
    async close() {},
  }
  const { texts = { read: async (versions) => versions.map(() => undefined) } } = store
  const rankings = new Rankings(store, { run: async () => ({ scores: new Float64Array() }) })
  const layouts = {
    hasPlaces: async () => true,
    underWay: () => undefined,
    layOut: async () => ({ places: new Float32Array(), regions: new Int32Array(), added: 0, isRough: false }),
  }
  const pictures = { read: async () => undefined }
  const insightState = memoryInsightState()
  const insights = insightsOf({ store, texts }, insightState)
  const linkInsights = linkInsightsOf({ store, texts })
  return {
    root: '/vault',
    store,
    texts,
    rankings,
    layouts,
    pictures,
    insights,
    linkInsights,
    insightState,
    indexing,
    searchWeight: 'auto',
    calls,
    async close() {},
  }
}

/** An embedder that knows one direction only. */
export function fakeEmbedding(): NonNullable<GraphCore['embedding']> {
  const embedder: Embedder = {
    id: 'static:fake:2',
    dimensions: 2,
    batch: 8,
    embed: async (texts) => texts.map(() => Float32Array.of(1, 0)),
    async close() {},
  }
  return { open: async () => embedder, openFormer: async () => undefined }
}

function readEntries(files: Readonly<Record<string, FakeFile>>): Map<NodeId, Entry> {
  const entries = new Map<NodeId, Entry>()
  const ids = new Map(Object.keys(files).map((path) => [path, toNodeId(foldId(path))]))
  const resolve = (name: string): NodeId => {
    const wanted = foldId(name)
    const found = [...ids.values()].find((id) => [wanted, `${wanted}.md`].some((one) => id === one || id.endsWith(`/${one}`)))
    return found ?? toNodeId(wanted)
  }
  for (const [path, { body = '', properties = {}, excluded = false }] of Object.entries(files)) {
    const id = toNodeId(foldId(path))
    const lines = Object.entries(properties).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    const head = lines.length === 0 ? '' : `---\n${lines.join('')}---\n`
    const text = head + body
    entries.set(id, {
      node: {
        ...emptyNode(id),
        kind: kindOf(path),
        path: toVaultPath(path),
        ...describe(path, body, properties, head),
        excluded,
      },
      text,
      bodyStart: head.length,
      occurrences: linksOf(id, text, head.length, resolve),
    })
  }
  for (const { to } of [...entries.values()].flatMap(({ occurrences }) => occurrences)) {
    if (!entries.has(to))
      entries.set(to, { node: { ...emptyNode(to), kind: 'missing' }, text: '', bodyStart: 0, occurrences: [] })
  }
  return entries
}

function emptyNode(id: NodeId): Node {
  return {
    id,
    title: id,
    kind: 'note',
    tags: [],
    aliases: [],
    excluded: false,
    links: [],
    linkCount: 0,
    properties: {},
    headings: [],
    blocks: [],
    excerpt: '',
    excerptCut: false,
  }
}

function describe(path: string, body: string, properties: Readonly<Record<string, unknown>>, head: string) {
  const list = (key: string) => (Array.isArray(properties[key]) ? properties[key].map(String) : [])
  const before = head.split('\n').length - 1
  const headings = body.split('\n').flatMap((line, index): Heading[] => {
    const match = /^(#{1,6}) (.+)$/.exec(line)
    return match?.[1] === undefined || match[2] === undefined
      ? []
      : [{ level: match[1].length, text: match[2], line: before + index + 1 }]
  })
  return {
    title: typeof properties.title === 'string' ? properties.title : path.replace(/^.*\//, '').replace(/\.md$/, ''),
    tags: list('tags'),
    aliases: list('aliases'),
    properties,
    created: '2024-01-01T00:00:00Z',
    modified: '2024-02-02T00:00:00Z',
    headings,
    blocks: [],
    excerpt: body.slice(0, EXCERPT_LENGTH),
    excerptCut: body.length > EXCERPT_LENGTH,
  }
}

function linksOf(from: NodeId, text: string, bodyStart: number, resolve: (name: string) => NodeId): readonly Occurrence[] {
  return [...text.matchAll(/(!?)\[\[([^\]|#]+)[^\]]*\]\]/g)].map((match): Occurrence => {
    const before = text.slice(0, match.index).split('\n')
    const inHead = match.index < bodyStart
    const property = /^(\w+):/.exec(before.at(-1) ?? '')?.[1]
    return {
      from,
      to: resolve(match[2] ?? ''),
      kind: inHead ? 'property' : match[1] === '!' ? 'embed' : 'link',
      form: 'wikilink',
      ...(inHead && property !== undefined ? { property } : {}),
      line: before.length,
      start: match.index,
      end: match.index + match[0].length,
      inComment: false,
    }
  })
}

function kindOf(path: string): NodeKind {
  if (path.endsWith('.md')) return 'note'
  return path.endsWith('.canvas') ? 'canvas' : 'attachment'
}

function fits(node: Node, { path, folder, tags, kinds = ['note'] }: Scope): boolean {
  const has = (wanted: string) => node.tags.some((tag) => `${foldId(tag)}/`.startsWith(`${foldId(wanted)}/`))
  return (
    kinds.includes(node.kind) &&
    (path === undefined || node.id.startsWith(foldId(path))) &&
    (folder === undefined || node.id.startsWith(`${foldId(folder)}/`)) &&
    (tags === undefined || (tags.mode === 'all' ? tags.names.every(has) : tags.names.some(has)))
  )
}

/** Dice coefficient on character pairs. */
function dice(a: string, b: string): number {
  const pairs = (text: string) => [...foldId(text)].slice(1).map((char, index) => [...foldId(text)][index] + char)
  const left = pairs(a)
  const right = pairs(b)
  if (left.length + right.length === 0) return foldId(a) === foldId(b) ? 1 : 0
  const unused = [...right]
  const shared = left.filter((pair) => {
    const at = unused.indexOf(pair)
    if (at !== -1) unused.splice(at, 1)
    return at !== -1
  })
  return (2 * shared.length) / (left.length + right.length)
}
