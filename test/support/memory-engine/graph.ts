import { foldId, type NodeId, toNodeId } from '../../../src/core/ids.ts'
import type { ResolvedLink } from '../../../src/core/index-writer.ts'
import { fileStemOf } from '../../../src/core/paths.ts'
import {
  type Direction,
  type ExportRow,
  type Folder,
  type NeighborOptions,
  type NodeKind,
  type NodeSummary,
  type Occurrence,
  type OutgoingLink,
  type PathOptions,
  PROBLEM_KINDS,
  type Problem,
  type ProblemCounts,
  type ProblemFilter,
  type PropertyCount,
  type Scope,
  type Stretch,
  type TagCount,
  type TreeOptions,
  type ValueCount,
  type WantedFilter,
  type WantedNote,
} from '../../../src/core/store.ts'
import { foldName, foldTag } from '../../../src/core/text/fold.ts'
import { SimilarNames } from '../../../src/search/similar-names.ts'
import { type PropertyFacts, wantedKey } from '../../../src/store/note-facts.ts'
import { factsOfFile, type Generation, type MemoryFile } from './data.ts'

export interface MemoryNode extends NodeSummary {
  readonly kind: NodeKind
  /** Absent for missing targets. */
  readonly file?: MemoryFile
  readonly out: Set<NodeId>
  readonly in: Set<NodeId>
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : Number(a.id > b.id))

/** One generation with the vault's name in its ids: everything is found by going through all of it. */
export class MemoryGraph {
  readonly generation: Generation
  readonly #vault: string | undefined
  readonly nodes = new Map<NodeId, MemoryNode>()
  /** Files by id, then missing targets by id. */
  readonly #sorted: readonly MemoryNode[]
  #names: SimilarNames | undefined

  constructor(generation: Generation, vault: string | undefined) {
    this.generation = generation
    this.#vault = vault
    const node = (of: Omit<MemoryNode, 'out' | 'in'>) => this.nodes.set(of.id, { ...of, out: new Set(), in: new Set() })
    const files = [...generation.files.values()]
    for (const file of files) node({ id: this.idOf(file), title: file.record.title, kind: file.record.kind, file })
    for (const file of files) {
      for (const link of file.record.links) {
        const id = this.endOf(file, link)
        if (id === undefined) continue
        if (typeof link.to === 'string' && !this.nodes.has(id)) node({ id, title: link.to, kind: 'missing' })
        this.nodes.get(this.idOf(file))?.out.add(id)
        this.nodes.get(id)?.in.add(this.idOf(file))
      }
    }
    const rank = ({ kind }: MemoryNode) => Number(kind === 'missing')
    this.#sorted = [...this.nodes.values()].sort((a, b) => rank(a) - rank(b) || byId(a, b))
  }

  idOf(file: MemoryFile): NodeId {
    return toNodeId(file.id, this.#vault)
  }

  idOfKey(key: number): NodeId | undefined {
    const file = this.generation.files.get(key)
    return file === undefined ? undefined : this.idOf(file)
  }

  endOf(file: MemoryFile, { to }: ResolvedLink): NodeId | undefined {
    if (typeof to === 'number') return this.idOfKey(to)
    const missing = file.missing.get(to)
    return missing === undefined ? undefined : toNodeId(missing, this.#vault)
  }

  isListed(id: NodeId): boolean {
    const node = this.nodes.get(id)
    return node?.kind === 'note' && node.file?.record.excluded === false
  }

  degree(node: MemoryNode, side: 'in' | 'out'): number {
    return [...node[side]].filter((id) => id !== node.id && this.isListed(id)).length
  }

  byDegree(ids: Iterable<NodeId>): MemoryNode[] {
    const nodes = [...ids].flatMap((id) => this.nodes.get(id) ?? [])
    return nodes.sort((a, b) => this.degree(b, 'in') - this.degree(a, 'in') || byId(a, b))
  }

  /** Without the vault's name. */
  #bare({ id }: { readonly id: NodeId }): string {
    return this.#vault === undefined ? id : id.slice(this.#vault.length + 1)
  }

  inScope(scope: Scope): readonly MemoryNode[] {
    const {
      kinds = ['note'],
      path = '',
      folder,
      tags,
      note,
      withExcluded = false,
      withoutArchived = false,
      withoutConflicts = false,
    } = scope
    const start = path === '' && folder !== undefined && folder !== '' ? `${folder}/` : path
    return this.#sorted.filter((node) => {
      const { file, kind } = node
      const record = file?.record
      const has = (name: string) => record?.tags.some((tag) => `${foldTag(tag)}/`.startsWith(`${name}/`)) === true
      if (!kinds.includes(kind) || (note !== undefined && node.id !== note)) return false
      if (record?.excluded === true && !withExcluded) return false
      if (record?.archived === true && withoutArchived) return false
      if (record?.conflict === true && withoutConflicts) return false
      const bare = file === undefined ? this.#bare(node) : foldId(file.record.path)
      if (!bare.startsWith(start)) return false
      return tags === undefined || tags.names.length === 0 || (tags.mode === 'all' ? tags.names.every(has) : tags.names.some(has))
    })
  }

  tags(prefix: string): readonly TagCount[] {
    const found = new Map<string, { readonly notes: Set<NodeId>; readonly spellings: string[] }>()
    for (const { id, file } of this.inScope({})) {
      for (const tag of file?.record.tags ?? []) {
        const parts = tag.split('/')
        for (const name of parts.map((_, depth) => parts.slice(0, depth + 1).join('/'))) {
          const entry = found.get(foldTag(name)) ?? { notes: new Set(), spellings: [] }
          entry.notes.add(id)
          entry.spellings.push(name)
          found.set(foldTag(name), entry)
        }
      }
    }
    return [...found]
      .filter(([folded]) => folded.startsWith(prefix))
      .map(([, { notes, spellings }]) => ({ tag: usual(spellings), count: notes.size }))
      .sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
  }

  properties(): readonly PropertyCount[] {
    const found = new Map<string, PropertyFacts[]>()
    for (const { file } of this.inScope({})) {
      for (const [name, property] of file === undefined ? [] : factsOfFile(file).properties) {
        found.set(name, [...(found.get(name) ?? []), property])
      }
    }
    return [...found.values()]
      .map((all) => ({ key: usual(all.map(({ name }) => name)), count: all.length, kinds: ranked(all.map(({ kind }) => kind)) }))
      .sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
  }

  propertyValues(key: string): readonly ValueCount[] {
    const found = new Map<string, string[]>()
    for (const { file } of this.inScope({})) {
      const property = file === undefined ? undefined : factsOfFile(file).properties.get(key)
      const spelled = new Map(property?.texts.map((text, at) => [text, property.values[at] ?? '']))
      for (const [text, value] of spelled) found.set(text, [...(found.get(text) ?? []), value])
    }
    return [...found.values()]
      .map((values) => ({ value: usual(values), count: values.length }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
  }

  tree(path: string, { depth, limit, includeArchived }: TreeOptions): Folder | undefined {
    const notes = this.inScope({ withoutArchived: !includeArchived })
    const pathOf = (node: MemoryNode): string => node.file?.record.path ?? ''
    let left = limit
    const build = (folder: string, levels: number): Folder => {
      const below = notes.filter((node) => folder === '' || foldId(pathOf(node)).startsWith(`${folder}/`))
      const rest = (node: MemoryNode) => (folder === '' ? pathOf(node) : pathOf(node).slice(folder.length + 1))
      const direct = below.filter((node) => !rest(node).includes('/'))
      const names = below.map(rest).filter((one) => one.includes('/'))
      const inner = [...new Set(names.map((one) => foldId(one.slice(0, one.indexOf('/')))))].sort()
      const shown = direct.slice(0, Math.max(0, left)).map(({ id, title }) => ({ id, title }))
      left -= shown.length
      const folders = levels > 0 ? inner.map((name) => build(folder === '' ? name : `${folder}/${name}`, levels - 1)) : []
      const spelled = below[0] === undefined ? folder : pathOf(below[0]).slice(0, folder.length)
      return {
        path: spelled,
        noteCount: below.length,
        folders,
        notes: shown,
        omittedNotes: direct.length - shown.length,
        omittedFolders: inner.length - folders.length,
      }
    }
    const tree = build(path, depth)
    return tree.noteCount === 0 && path !== '' ? undefined : tree
  }

  problems({ kind, folder = '', id: only, target }: ProblemFilter): readonly Problem[] {
    const start = folder === '' ? '' : `${folder}/`
    const kinds = ['note', 'canvas', 'attachment'] as const
    const own = this.inScope({ kinds, folder }).flatMap((node) => this.#problemsOf(node, target))
    const outside = this.generation.state.outside
      .filter(({ path }) => foldId(path).startsWith(start))
      .map(
        ({ path, target: to }): Problem => ({
          kind: 'outside_link',
          id: toNodeId(foldId(path), this.#vault),
          line: 0,
          target: to,
        }),
      )
    return [...own, ...(only === undefined && target === undefined ? outside : [])]
      .filter((problem) => (kind === undefined || problem.kind === kind) && (only === undefined || problem.id === only))
      .sort(byId)
  }

  problemCounts(filter: Omit<ProblemFilter, 'kind'>): ProblemCounts {
    const counts = PROBLEM_KINDS.map((kind) => [kind, this.problems({ ...filter, kind }).length])
    return Object.fromEntries(counts)
  }

  wanted({ folder = '', counts = () => true }: WantedFilter): readonly WantedNote[] {
    const start = folder === '' ? '' : `${folder}/`
    const isMeant = ({ file }: MemoryNode) =>
      file?.record.excluded === false && foldId(file.record.path).startsWith(start) && counts(file.record.path)
    const found = new Map<string, { readonly node: MemoryNode; readonly sources: readonly NodeId[] }[]>()
    for (const node of this.#sorted) {
      const means = node.kind === 'missing' ? wantedKey(node.title) : undefined
      const sources = this.byDegree(node.in).filter(isMeant)
      if (means === undefined || sources.length === 0) continue
      found.set(means, [...(found.get(means) ?? []), { node, sources: sources.map(({ id }) => id) }])
    }
    return [...found.values()]
      .map((all): WantedNote => {
        const sources = this.byDegree(new Set(all.flatMap((one) => one.sources)))
        const ids = all.map(({ node }) => node.id) as [NodeId, ...NodeId[]]
        const [most] = [...all].sort((a, b) => b.sources.length - a.sources.length)
        return { name: most?.node.title ?? '', ids, files: sources.length, sources: sources.slice(0, 3).map(({ id }) => id) }
      })
      .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1))
  }

  #problemsOf(node: MemoryNode, target: NodeId | undefined): readonly Problem[] {
    const { id, file } = node
    if (file === undefined) return []
    const { record, info, twins } = file
    const isNote = record.kind === 'note'
    const inLinks = record.links.flatMap((link): readonly Problem[] => {
      const { line, form, target: written, subpath, rivals } = link
      const at = { id, line, link: { form, target: written, ...(subpath === undefined ? {} : { subpath }) } }
      const to = this.endOf(file, link)
      if (to === undefined || (target !== undefined && to !== target)) return []
      if (typeof link.to === 'string') return [{ ...at, kind: 'broken_link', name: link.to }]
      const broken: readonly Problem[] = link.brokenSubpath === true ? [{ ...at, kind: 'broken_heading', to }] : []
      if (rivals === undefined) return broken
      const others = rivals.flatMap((key) => this.idOfKey(key) ?? [])
      return [...broken, { ...at, kind: 'ambiguous_link', to, byAlias: link.byAlias === true, rivals: others }]
    })
    if (target !== undefined) return inOrder(inLinks)
    const isOrphan = isNote && this.degree(node, 'in') === 0 && this.degree(node, 'out') === 0
    const all: readonly Problem[] = [
      ...inLinks,
      ...(info?.malformed ?? []).map(({ line, message }): Problem => ({ kind: 'malformed', id, line, message })),
      ...(isOrphan ? [{ kind: 'orphan', id, line: 0 } as const] : []),
      ...(isNote && twins.length > 0
        ? [{ kind: 'twin', id, line: 0, twins: twins.flatMap((key) => this.idOfKey(key) ?? []) } as const]
        : []),
      ...(record.conflict ? [{ kind: 'conflict_copy', id, line: 0 } as const] : []),
    ]
    return inOrder(all)
  }

  neighbors(id: NodeId, { direction, type, kinds = ['note'] }: NeighborOptions): readonly NodeId[] {
    const node = this.nodes.get(id)
    if (node === undefined) return []
    const wants = (side: Direction) => direction === 'both' || direction === side
    const links = (from: NodeId, to: NodeId) =>
      type === undefined || this.occurrences(from, to).some((one) => isOfType(one, type))
    const all = [
      ...(wants('out') ? [...node.out].filter((to) => links(id, to)) : []),
      ...(wants('in') ? [...node.in].filter((from) => links(from, id)) : []),
    ]
    const isShown = (other: NodeId) => {
      const found = this.nodes.get(other)
      return other !== id && found !== undefined && kinds.includes(found.kind) && found.file?.record.excluded !== true
    }
    return this.byDegree(new Set(all.filter(isShown))).map((other) => other.id)
  }

  occurrences(from: NodeId, to: NodeId): readonly Occurrence[] {
    const file = this.nodes.get(from)?.file
    const links = file?.record.links.filter((link) => this.endOf(file, link) === to) ?? []
    return links.map(({ kind, form, property, subpath, brokenSubpath, line, start, end, inComment }) => ({
      from,
      to,
      kind,
      form,
      ...(property === undefined ? {} : { property }),
      ...(subpath === undefined ? {} : { subpath }),
      ...(brokenSubpath === undefined ? {} : { brokenSubpath }),
      line,
      start,
      end,
      inComment: inComment === true,
    }))
  }

  linksInto(ids: readonly NodeId[]): readonly Occurrence[] {
    const targets = new Set(ids)
    const others = [...this.nodes.values()].filter(({ id, file }) => !targets.has(id) && file?.record.excluded === false)
    const sorted = others.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
    return sorted.flatMap((from) => {
      const reached = [...(this.nodes.get(from)?.out ?? [])].filter((to) => targets.has(to))
      return reached.flatMap((to) => this.occurrences(from, to)).sort((a, b) => a.start - b.start)
    })
  }

  linksWithin({ id, start, end }: Stretch, scope: Scope): readonly OutgoingLink[] {
    const wanted = new Set(this.inScope(scope).map((node) => node.id))
    const targets = [...(this.nodes.get(id)?.out ?? [])].filter((to) => to !== id && wanted.has(to))
    return targets
      .flatMap((to) => this.occurrences(id, to).map((one) => ({ ...one, inLinks: this.nodes.get(to)?.in.size ?? 0 })))
      .filter((one) => one.start >= start && one.start < end && !one.inComment)
      .sort((a, b) => a.start - b.start)
  }

  /** It knows no hubs to go around. */
  paths(source: NodeId, target: NodeId, { direction, count }: PathOptions): readonly (readonly NodeId[])[] {
    const found: (readonly NodeId[])[] = []
    for (let front: (readonly NodeId[])[] = [[source]]; front.length > 0 && found.length < count; ) {
      found.push(...front.filter((path) => path.at(-1) === target).sort((a, b) => (a.join('\n') < b.join('\n') ? -1 : 1)))
      front = front.flatMap((path) => {
        const last = this.nodes.get(path.at(-1) as NodeId)
        if (last === undefined || last.id === target) return []
        const next = new Set([...last.out, ...(direction === 'any' ? last.in : [])])
        return [...next].filter((id) => this.isListed(id) && !path.includes(id)).map((id) => [...path, id])
      })
    }
    return found.slice(0, count)
  }

  /** Titles, aliases and names of files, by key. */
  names(): SimilarNames {
    if (this.#names !== undefined) return this.#names
    this.#names = new SimilarNames()
    for (const { record } of this.generation.files.values()) this.#names.set(record.key, namesOf(record))
    return this.#names
  }

  *export(): Generator<ExportRow> {
    const files = this.#sorted.flatMap(({ file }) => file ?? [])
    for (const file of files) {
      const { path, title, kind: nodeKind, tags, aliases, excluded } = file.record
      yield { kind: 'node', id: this.idOf(file), path, title, nodeKind, tags, aliases, excluded }
    }
    for (const file of files) {
      const source = this.idOf(file)
      const ends = new Map<NodeId | undefined, ResolvedLink[]>()
      for (const link of file.record.links) {
        const end = this.endOf(file, link)
        ends.set(end, [...(ends.get(end) ?? []), link])
      }
      for (const [target, links] of [...ends].sort(([a = ''], [b = '']) => (a < b ? -1 : 1))) {
        const [first] = links
        if (target === undefined || first === undefined) continue
        const count = links.length
        if (typeof first.to === 'string') yield { kind: 'unresolved', source, target: first.to, count }
        else yield { kind: 'edge', source, target, count, kinds: [...new Set(links.map(({ kind }) => kind))].sort() }
      }
    }
  }
}

/** The names of a file: its title first, its file name last. */
export function namesOf({ path, kind, title, aliases }: MemoryFile['record']): readonly string[] {
  const stem = kind === 'note' ? fileStemOf(path) : title
  return stem === title ? [title, ...aliases] : [title, ...aliases, stem]
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const rank = ({ kind }: Problem): number => PROBLEM_KINDS.indexOf(kind)
  return [...problems].sort((a, b) => a.line - b.line || rank(a) - rank(b))
}

/** Each once, the most frequent first, then by text. */
function ranked<T extends string>(texts: readonly T[]): readonly T[] {
  const count = (text: T): number => texts.filter((one) => one === text).length
  return [...new Set(texts)].sort((a, b) => count(b) - count(a) || (a < b ? -1 : 1))
}

function usual(spellings: readonly string[]): string {
  return ranked(spellings)[0] ?? ''
}

function isOfType({ property }: Occurrence, type: string): boolean {
  return property !== undefined && foldName(property) === foldName(type)
}
