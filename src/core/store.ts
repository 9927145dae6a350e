import type { NodeId, VaultPath } from './ids.ts'
import type { Decisions } from './insight/insight-state.ts'
import type { Heading, LinkForm, LinkKind, Task } from './note.ts'
import type { Condition, WordTerm } from './query.ts'
import type { ChunkHit, Found, NameVectorHit, NoteChunks, VectorState, WordHits } from './search.ts'
import type { SharedResults } from './shared-results.ts'

/** `missing` is a link's target that does not exist. */
export type NodeKind = 'note' | 'attachment' | 'canvas' | 'missing'

/** A node as lists show it. */
export interface NodeSummary {
  readonly id: NodeId
  readonly title: string
}

/** A node without its text. */
export interface Node extends NodeSummary {
  readonly kind: NodeKind
  /** Absent for `missing`. */
  readonly path?: VaultPath
  readonly tags: readonly string[]
  readonly aliases: readonly string[]
  /** Hidden by the vault's own ignore filters: readable by id, never listed. */
  readonly excluded: boolean
  /** The listed notes that this node links to, by in-degree then id, capped by `NodeOptions.links`; itself left out. */
  readonly links: readonly NodeSummary[]
  /** How many there are in all. */
  readonly linkCount: number
  readonly properties: Readonly<Record<string, unknown>>
  /** ISO 8601 with time zone `Z`, or as written in the note's properties; only where `NodeOptions.times` asks. */
  readonly created?: string
  readonly modified?: string
  readonly headings: readonly Heading[]
  /** Only where `NodeOptions.tasks` asks. */
  readonly tasks?: readonly Task[]
  /** Names of its blocks, without `^`. */
  readonly blocks: readonly string[]
  /** The first characters of the body (see `EXCERPT_LENGTH`), for lists. */
  readonly excerpt: string
  /** True if the body continues after `excerpt`. */
  readonly excerptCut: boolean
}

/** Which bytes an engine has of a file. */
export interface FileVersion {
  readonly id: NodeId
  readonly path: VaultPath
  readonly kind: NodeKind
  /** SHA-256 of the bytes, hex; empty for files that were not read. */
  readonly hash: string
}

/** A note's text with facts about exactly this text. */
export interface NoteText {
  /** Decoded as UTF-8, invalid bytes replaced. */
  readonly text: string
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  /** SHA-256 of the file's bytes, hex. */
  readonly hash: string
}

/** Which nodes are meant; texts are folded as ids and names are (`foldId`, `foldName`). */
export interface Scope {
  /** Notes under this path prefix. */
  readonly path?: string
  /** Notes in this folder and below, without slashes around it; unlike `path` it ends at a folder's boundary. */
  readonly folder?: string
  /** With these tags; a nested tag counts for its parents. */
  readonly tags?: { readonly names: readonly string[]; readonly mode: 'any' | 'all' }
  /** Default: notes only. */
  readonly kinds?: readonly NodeKind[]
  /** This note only. */
  readonly note?: NodeId
  /** Also files that the vault's own filters hide. */
  readonly withExcluded?: boolean
  /** Without notes that are archived. */
  readonly withoutArchived?: boolean
  /** Without conflict copies that a sync tool made. */
  readonly withoutConflicts?: boolean
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

/** Every item there is. */
export const ALL: Page = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

export interface Paged<T> {
  readonly items: readonly T[]
  readonly total: number
}

export type Direction = 'in' | 'out' | 'both'

export interface NeighborOptions {
  readonly direction: Direction
  /** Only over links of this property. */
  readonly type?: string
  readonly kinds?: readonly NodeKind[]
}

/** One place where one node links to another. */
export interface Occurrence {
  readonly from: NodeId
  readonly to: NodeId
  readonly kind: LinkKind
  readonly form: LinkForm
  /** The property's name; absent for links in the body. */
  readonly property?: string
  readonly subpath?: string
  /** The heading or block that it names is not in the note that it leads to. */
  readonly brokenSubpath?: true
  readonly line: number
  /** UTF-16 offsets in the text of `from`. */
  readonly start: number
  readonly end: number
  readonly inComment: boolean
}

/** A part of a node's text; UTF-16 offsets. */
export interface Stretch {
  readonly id: NodeId
  readonly start: number
  readonly end: number
}

/** A link in a text, and how well known what it leads to is. */
export interface OutgoingLink extends Occurrence {
  /** Nodes that link to `to`. */
  readonly inLinks: number
}

export interface PathOptions {
  /** `out` follows links only forwards. */
  readonly direction: 'any' | 'out'
  /** Maximum number of paths, shortest first. */
  readonly count: number
  /** Go around the notes that most is linked to and from, where there is another way. */
  readonly avoidHubs: boolean
}

export type Metric = 'in_degree' | 'out_degree' | 'pagerank' | 'betweenness'

export interface RankedNode extends NodeSummary {
  readonly score: number
}

export interface Ranked {
  readonly items: readonly RankedNode[]
  /** The generation that the scores are of. */
  readonly generation: number
  /** Betweenness from this many sampled sources instead of all. */
  readonly sampled?: number
}

/** The listed notes of one generation and the links among them, self-links left out: what algorithms over the whole graph take. */
export interface Topology {
  readonly generation: number
  /** The ids of all nodes, made on demand. @throws SnapshotOutdated when the vault has moved on */
  ids(): readonly NodeId[]
  /** `offsets[n]` to `offsets[n + 1]` is the stretch of `targets` that node `n` links to. */
  readonly offsets: Uint32Array
  /** Numbers of nodes. */
  readonly targets: Uint32Array
}

export interface TagCount {
  /** In the spelling that most notes use. */
  readonly tag: string
  /** Notes that carry it or a tag nested in it. */
  readonly count: number
}

/** A property that notes have. */
export interface PropertyCount {
  /** In the spelling that most notes use. */
  readonly key: string
  /** Notes that have it. */
  readonly count: number
  /** The kinds of its values, the most frequent first. */
  readonly kinds: readonly ValueKind[]
}

export type ValueKind = 'text' | 'number' | 'checkbox' | 'date' | 'list' | 'object' | 'empty'

/** A value of a property, each item of a list by itself. */
export interface ValueCount {
  /** As most notes write it; empty for nothing. */
  readonly value: string
  readonly count: number
}

export interface Folder {
  /** Folder path as spelled on disk; empty for the vault itself. */
  readonly path: string
  /** Notes below, at any depth. */
  readonly noteCount: number
  readonly folders: readonly Folder[]
  readonly notes: readonly NodeSummary[]
  /** Notes of this folder that `limit` or `depth` left out. */
  readonly omittedNotes: number
  readonly omittedFolders: number
}

export interface TreeOptions {
  /** Levels of folders to show, from 1. */
  readonly depth: number
  /** Notes at the leaves, over the whole tree. */
  readonly limit: number
  readonly includeArchived: boolean
}

export const PROBLEM_KINDS = [
  'broken_link',
  'broken_heading',
  'ambiguous_link',
  'malformed',
  'orphan',
  'twin',
  'outside_link',
  'conflict_copy',
] as const
export type ProblemKind = (typeof PROBLEM_KINDS)[number]

/** A link as written. */
export interface WrittenLink {
  readonly form: LinkForm
  readonly target: string
  readonly subpath?: string
}

/** A problem as facts; `app/read/problems.ts` puts it into words and finds similar names. */
export type Problem = {
  readonly id: NodeId
  /** 1-based; 0 for the whole file. */
  readonly line: number
} & (
  | { readonly kind: 'broken_link'; readonly link: WrittenLink; readonly name: string }
  /** The note that `to` names is there, its heading or block is not. */
  | { readonly kind: 'broken_heading'; readonly link: WrittenLink; readonly to: NodeId }
  /** `to` was chosen, by an alias or not; the rivals would have fitted, too. */
  | {
      readonly kind: 'ambiguous_link'
      readonly link: WrittenLink
      readonly to: NodeId
      readonly byAlias: boolean
      readonly rivals: readonly NodeId[]
    }
  /** As the parser said it when the note was indexed. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'twin'; readonly twins: readonly NodeId[] }
  | { readonly kind: 'outside_link'; readonly target: string }
  | { readonly kind: 'orphan' | 'conflict_copy' }
)

export interface ProblemFilter {
  readonly kind?: ProblemKind
  readonly folder?: string
  /** Only problems of this node. */
  readonly id?: NodeId
  /** Only of links that lead to this node. */
  readonly target?: NodeId
}

export type ProblemCounts = Readonly<Record<ProblemKind, number>>

/** Which files want something. */
export interface WantedFilter {
  readonly folder?: string
  /** True if links from a file with this path count; all do if absent. */
  readonly counts?: (path: VaultPath) => boolean
}

/** A note that is linked to and does not exist. */
export interface WantedNote {
  /** As most files write it. */
  readonly name: string
  /** The missing targets that mean it, by id: their names differ in case, accents, or by what stands between words. */
  readonly ids: readonly [NodeId, ...NodeId[]]
  /** How many files link to it. */
  readonly files: number
  /** At most three of them, by in-degree, then id. */
  readonly sources: readonly NodeId[]
}

/** How a name is compared with titles, aliases and file names. */
export type NameMatch =
  /** Folded. */
  | 'equal'
  /** Folded, but for accents, the amount of white space, and punctuation around the name. */
  | 'plain'
  /** By what they share; see `NameOptions`. */
  | 'similar'

export interface NameHit extends NodeSummary {
  /** Similarity, 0–1; 1 for names that are equal. */
  readonly score: number
  /** The name that matched. */
  readonly name: string
  readonly of: 'title' | 'alias' | 'file'
}

/** How many names are wanted where they need not be equal. */
export interface NameOptions {
  readonly limit: number
  /** Least similarity, 0–1. */
  readonly minimum: number
  /** The greatest useful difference in length (see `plainName`); an engine may return other names, too. */
  readonly slips?: number
}

/** Options of `nodes`. */
export interface NodeOptions {
  /** Maximum links per node. */
  readonly links: number
  /** True to return `created` and `modified`. */
  readonly times?: boolean
  readonly tasks?: boolean
}

/** Which notes `find` looks at, and how it orders them. */
export interface FindOptions {
  readonly scope: Scope
  readonly order: FindOrder
}

export interface FindOrder {
  /** Notes without that time come last, in either direction. */
  readonly by: 'relevance' | 'title' | 'modified' | 'created'
  /** Not for `relevance`, which has the best first. */
  readonly direction: 'asc' | 'desc'
  /** By how well a note answers these words it is scored; without them none is. */
  readonly terms: readonly WordTerm[]
  /** Ids with score 1. */
  readonly first: readonly NodeId[]
}

/**
 * The data of one generation. Ids and texts are compared letter by letter; callers fold them first. Absence is
 * `undefined` or an empty list. A list argument is answered in its order by one round trip.
 * @throws SnapshotOutdated from any method when the vault has moved on; see `Store.read`
 */
export interface Snapshot {
  /** Grows with every commit; 0 before the first. */
  readonly generation: number
  /** Files known. */
  readonly files: number
  /** Everything that was found in the vault is in it; else this or another process is still reading it. */
  readonly complete: boolean
  /** The index's lineage, see `VaultState.lineage`; absent if it has none yet. */
  readonly lineage?: string | undefined
  /** This run is the last, even if the vault moves on. */
  readonly isLast: boolean
  /** The vault moved on while it was read, and this is the last run: what was answered may be of two generations. */
  readonly isMixed: boolean
  /** Ends this run for one on a newer generation; does nothing in the last run. @throws SnapshotOutdated */
  restart(): void
  /** The kind of each id's node; `undefined` if there is none. */
  kinds(ids: readonly string[]): Promise<readonly (NodeKind | undefined)[]>
  nodes(ids: readonly NodeId[], options: NodeOptions): Promise<readonly (Node | undefined)[]>
  /** `undefined` for missing targets. */
  versions(ids: readonly NodeId[]): Promise<readonly (FileVersion | undefined)[]>
  /** The texts of nodes, where the engine has them instead of a folder; `undefined` for what has none. */
  texts?(ids: readonly NodeId[]): Promise<readonly (NoteText | undefined)[]>
  /** The names of notes: the title, then the aliases; nothing for a missing note. */
  namesOf(ids: readonly NodeId[]): Promise<readonly (readonly string[])[]>
  /** By id. Excluded nodes are left out. */
  select(scope: Scope, page: Page): Promise<Paged<NodeSummary>>
  /** One of the scope's nodes; the same `seed` (0 ≤ seed < 1) picks the same of an unchanged vault. */
  sample(scope: Scope, seed: number): Promise<NodeId | undefined>
  /** By count, then name. */
  tags(prefix?: string): Promise<readonly TagCount[]>
  /** Properties of listed notes, by count, then name. */
  properties(): Promise<readonly PropertyCount[]>
  /** The values of a property in listed notes, by count, then text; its name is folded. */
  propertyValues(key: string): Promise<readonly ValueCount[]>
  /** `undefined` when there is no such folder. */
  tree(path: string, options: TreeOptions): Promise<Folder | undefined>
  /** By id, then line, then kind (in the order of `PROBLEM_KINDS`). */
  problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>>
  /** How many problems of each kind `problems` has. */
  problemCounts(filter: Omit<ProblemFilter, 'kind'>): Promise<ProblemCounts>
  /** By how many files want them, of those that the filter has, then by name; without attachments. */
  wanted(filter: WantedFilter, page: Page): Promise<Paged<WantedNote>>
  /** By in-degree, then id; without the node itself and without excluded nodes. */
  neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>>
  /** Every place where the first of a pair links to the second, in order of position; a list a pair. */
  occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]>
  /** Every place in other listed nodes that links to one of these, by source, then position. */
  linksInto(ids: readonly NodeId[]): Promise<readonly Occurrence[]>
  /**
   * Links that start in each range and lead to other nodes of the scope, in order of position, without those in
   * comments. Offsets are those of occurrences.
   */
  linksWithin(stretches: readonly Stretch[], scope: Scope): Promise<readonly (readonly OutgoingLink[])[]>
  /** Shortest first, then by ids; each is `[source, …, target]`. */
  paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]>
  /** By score, then id; `undefined` for a metric of the whole graph that has not been computed yet. */
  hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked | undefined>
  topology(): Promise<Topology>
  /**
   * For each name the files that are called so, best first, then by id; a file once, under its best name. `options` are for `similar`.
   */
  names(names: readonly string[], match: NameMatch, scope: Scope, options?: NameOptions): Promise<readonly (readonly NameHit[])[]>
  /** Notes that hold any of these words, best first, then by id. */
  words(terms: readonly WordTerm[], scope: Scope, limit: number): Promise<WordHits>
  /** For each vector of this embedder the parts of notes nearest to it, best first. */
  nearest(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    limit: number,
  ): Promise<readonly (readonly ChunkHit[])[]>
  /** For each vector of this embedder the titles and aliases nearest to it, best first; a node may come under several names. */
  nearestNames(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    options: NameOptions,
  ): Promise<readonly (readonly NameVectorHit[])[]>
  /** The vectors of each note's chunks; `undefined` if this embedder made none. */
  vectors(embedder: string, ids: readonly NodeId[]): Promise<readonly (NoteChunks | undefined)[]>
  /** The stored vectors by embedder, the one used last first. */
  vectorStates(): Promise<readonly VectorState[]>
  /** The notes that fit a condition (all when absent), in the order asked for, then by id. */
  find(condition: Condition | undefined, options: FindOptions, page: Page): Promise<Found>
}

/**
 * True if a store can answer. `building`: it is not complete yet · `rebuilding`: its data was unusable and is being
 * rebuilt; it answers `STORE_UNAVAILABLE` · `unreachable`: it answers `STORE_UNAVAILABLE` until it can be reached
 */
export type StoreCondition = 'ready' | 'building' | 'rebuilding' | 'unreachable'

/** Scores of one metric, in the order of the topology that they were computed from. */
export interface Scores {
  readonly scores: Float64Array
  /** Estimated from this many sources; absent when exact. */
  readonly sampled?: number
}

/** The reading side of an engine, for `app/` only; `docs/architecture.md` has its rules. */
export interface Store {
  /**
   * Runs a use case over the newest generation. If the vault moves on meanwhile, runs `use` again, up to a few times.
   * `use` must only read, and wait for nothing else. `signal` ends every question of the snapshot.
   * @throws RouxError `STORE_UNAVAILABLE` while there is nothing to read, see `condition`
   */
  read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T>
  condition(): StoreCondition
  /** Keeps scores for `Snapshot.hubs`, until there are newer ones. */
  keepScores(metric: Metric, topology: Topology, scores: Scores): Promise<void>
  /** Absent where the index is this computer's own. */
  readonly results?: SharedResults
  /** Decisions about the vault, if the index is shared; otherwise they are stored on this computer. */
  readonly decisions?: Decisions
  /** The whole graph of one generation, for export: every node by id, then every edge by source. */
  export(signal?: AbortSignal): AsyncIterable<ExportRow>
  /** Tells of every commit that this store sees, until it is closed. Returns how to stop listening. */
  onChange(listener: (change: StoreChange) => void): () => void
  close(): Promise<void>
}

export interface StoreChange {
  readonly generation: number
  readonly ids: readonly NodeId[]
}

export type ExportRow =
  | {
      readonly kind: 'node'
      readonly id: NodeId
      readonly path: VaultPath
      readonly title: string
      readonly nodeKind: NodeKind
      readonly tags: readonly string[]
      readonly aliases: readonly string[]
      readonly excluded: boolean
      /** The ids of its communities, of the first level and one down; where they are asked for and it is in any. */
      readonly communities?: readonly string[]
    }
  | {
      readonly kind: 'edge'
      readonly source: NodeId
      readonly target: NodeId
      readonly count: number
      readonly kinds: readonly LinkKind[]
    }
  /** `target` as written first, without subpath and `.md`. */
  | { readonly kind: 'unresolved'; readonly source: NodeId; readonly target: string; readonly count: number }

/** Characters of a body kept for lists: the longest excerpt that lists show is 500, and one may be cut at a grapheme's boundary. */
export const EXCERPT_LENGTH = 560
