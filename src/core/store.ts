import type { NodeId, VaultPath } from './ids.ts'
import type { Decisions } from './insight/insight.ts'
import type { Link, LinkForm, LinkKind, Note, Task } from './note.ts'
import type { Condition, WordTerm } from './query.ts'
import type { ChunkHit, FoundPage, NameVectorHit, NearWord, NoteChunks, NoteLanguages, VectorState, WordHits } from './search.ts'

/** The kind of a node. `missing` is a link target that does not exist. */
export type NodeKind = 'note' | 'attachment' | 'canvas' | 'missing'

export interface NodeSummary {
  readonly id: NodeId
  readonly title: string
  /** The path on disk. Answers omit it if it equals the id. */
  readonly path?: string
}

export interface Node extends NodeSummary, Pick<Note, 'aliases' | 'properties' | 'headings' | 'blocks'> {
  readonly kind: NodeKind
  /** The path on disk, which `missing` nodes do not have. */
  readonly path?: VaultPath
  readonly tags: readonly string[]
  /** True if the vault's ignore filters hide the file. Such a file can be read by id, but it is never listed. */
  readonly excluded: boolean
  /**
   * The listed targets of this node's links, without self-links. They are ordered by in-degree, then id, and limited by
   * `NodeOptions.links`.
   */
  readonly links: readonly NodeSummary[]
  readonly linkCount: number
  /** The time in ISO 8601 (UTC), or as written in a property. It is present only if requested. */
  readonly created?: string
  readonly modified?: string
  /** The note's tasks, which are present only if requested. */
  readonly tasks?: readonly Task[]
  /** The first characters of the body; see `EXCERPT_LENGTH`. */
  readonly excerpt: string
  readonly excerptCut: boolean
}

export interface FileVersion {
  readonly id: NodeId
  readonly path: VaultPath
  readonly kind: NodeKind
  /** SHA-256 in hex. The string is empty for files that were not read. */
  readonly hash: string
}

export interface NoteText {
  /** The text, decoded as UTF-8. Invalid bytes are replaced. */
  readonly text: string
  /** The offset in UTF-16 units. */
  readonly bodyStart: number
  /** The SHA-256 of the file's bytes, in hex. */
  readonly hash: string
}

/** A restriction to some nodes. Strings are folded with `foldId` or `foldName`. */
export interface Scope {
  /** A prefix of the path. */
  readonly path?: string
  /** A folder without leading and trailing slashes. Subfolders are included. Unlike `path`, it matches whole folder names. */
  readonly folder?: string
  /** Notes with nested tags match, too. */
  readonly tags?: { readonly names: readonly string[]; readonly mode: 'any' | 'all' }
  /** If omitted, only notes match. */
  readonly kinds?: readonly NodeKind[]
  readonly note?: NodeId
  /** If true, files hidden by the vault's ignore filters are included. */
  readonly withExcluded?: boolean
  readonly withoutArchived?: boolean
  /** If true, conflict copies made by sync tools are left out. */
  readonly withoutConflicts?: boolean
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

export const ALL: Page = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

export interface Paged<T> {
  readonly items: readonly T[]
  readonly total: number
}

export type Direction = 'in' | 'out' | 'both'

export interface NeighborOptions {
  readonly direction: Direction
  /** If given, only links in this property are followed. */
  readonly type?: string
  readonly kinds?: readonly NodeKind[]
}

/** A link from one node to another, with its position. */
export interface Occurrence extends Omit<Link, 'target' | 'display' | 'column' | 'inComment'> {
  readonly from: NodeId
  readonly to: NodeId
  /** True if the target lacks the linked heading or block. */
  readonly brokenSubpath?: true
  readonly inComment: boolean
}

export interface Stretch {
  readonly id: NodeId
  readonly start: number
  readonly end: number
}

/** A link with the in-degree of its target. */
export interface OutgoingLink extends Pick<Occurrence, 'to' | 'kind' | 'form' | 'line' | 'start' | 'end'> {
  readonly inLinks: number
}

export interface PathOptions {
  /** The direction of links to follow. `out` follows links only forwards. */
  readonly direction: 'any' | 'out'
  /** Maximum number of paths. Shorter paths come first. */
  readonly count: number
  /** If true, paths avoid the most connected notes whenever possible. */
  readonly avoidHubs: boolean
}

export type Metric = 'in_degree' | 'out_degree' | 'pagerank' | 'betweenness'

export interface RankedNode extends NodeSummary {
  readonly score: number
}

export interface Ranked {
  readonly items: readonly RankedNode[]
  /** The generation from which the scores were computed. */
  readonly generation: number
  /** Number of sampled sources, if betweenness was estimated. */
  readonly sampled?: number
}

/** The listed notes and the links among them, without self-links, for algorithms on the whole graph. */
export interface Topology {
  readonly generation: number
  /** Returns the ids, which are created on demand. @throws SnapshotOutdated if the vault has changed */
  ids(): readonly NodeId[]
  /** The start of each row. Row `n` is `targets.slice(offsets[n], offsets[n + 1])`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export interface TagCount {
  /** The tag in its most common spelling. */
  readonly tag: string
  /** The count includes notes with nested tags. */
  readonly count: number
}

export interface PropertyCount {
  /** The key in its most common spelling. */
  readonly key: string
  readonly count: number
  /** The most frequent kinds come first. */
  readonly kinds: readonly ValueKind[]
}

export type ValueKind = 'text' | 'number' | 'checkbox' | 'date' | 'list' | 'object' | 'empty'

/** The number of notes with a value. Items of a list are counted individually. */
export interface ValueCount {
  /** The value in its most common spelling, or an empty string if the property has no value. */
  readonly value: string
  readonly count: number
}

export interface Folder {
  /** The path as spelled on disk. It is empty for the root. */
  readonly path: string
  /** Number of notes in the folder and all its subfolders. */
  readonly noteCount: number
  readonly folders: readonly Folder[]
  readonly notes: readonly NodeSummary[]
  /** Notes of this folder left out because of `limit` or `depth`. */
  readonly omittedNotes: number
  readonly omittedFolders: number
}

export interface TreeOptions {
  /** Folder levels to show, at least 1. */
  readonly depth: number
  /** Maximum number of notes in the whole tree. */
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

export interface WrittenLink {
  readonly form: LinkForm
  readonly target: string
  readonly subpath?: string
  /** True for links in comments, which readers do not see. */
  readonly inComment?: true
}

export type Problem = {
  readonly id: NodeId
  /** The 1-based line, or 0 if the problem concerns the whole file. */
  readonly line: number
} & (
  | { readonly kind: 'broken_link'; readonly link: WrittenLink; readonly name: string }
  /** The note exists, but not the heading or block. */
  | { readonly kind: 'broken_heading'; readonly link: WrittenLink; readonly to: NodeId }
  /** Several files match. `to` was chosen, possibly by an alias. */
  | {
      readonly kind: 'ambiguous_link'
      readonly link: WrittenLink
      readonly to: NodeId
      readonly byAlias: boolean
      readonly rivals: readonly NodeId[]
    }
  /** A problem that the parser found when the note was indexed. */
  | { readonly kind: 'malformed'; readonly message: string }
  | { readonly kind: 'twin'; readonly twins: readonly NodeId[] }
  | { readonly kind: 'outside_link'; readonly target: string }
  | { readonly kind: 'orphan' | 'conflict_copy' }
)

export interface ProblemFilter {
  readonly kind?: ProblemKind
  readonly folder?: string
  readonly id?: NodeId
  readonly target?: NodeId
}

export type ProblemCounts = Readonly<Record<ProblemKind, number>>

export interface WantedFilter {
  readonly folder?: string
  /** Returns false for files whose links do not count. If omitted, all links count. */
  readonly counts?: (path: VaultPath) => boolean
}

export interface WantedNote {
  /** The name in its most common spelling. */
  readonly name: string
  /** The ids of missing targets whose spellings differ only in case, accents or separators. */
  readonly ids: readonly [NodeId, ...NodeId[]]
  /** Number of files that link to the note. */
  readonly files: number
  /** A few of these files, most linked first. */
  readonly sources: readonly NodeId[]
}

/** The ways in which a name can match a title, alias or file name. */
export type NameMatch =
  /** The names are equal after folding. */
  | 'equal'
  /** The names are equal if accents, the amount of whitespace, and surrounding punctuation are ignored. */
  | 'plain'
  /** The names are similar; see `NameOptions`. */
  | 'similar'

export interface NameHit extends NodeSummary {
  /** The similarity, 0–1, where 1 means equal. */
  readonly score: number
  readonly name: string
  readonly of: 'title' | 'alias' | 'file'
}

export interface NameOptions {
  readonly limit: number
  /** Minimum similarity, 0–1. */
  readonly minimum: number
  /** Maximum difference in length (see `plainName`). Engines may use it to skip names. */
  readonly slips?: number
}

export interface NodeOptions {
  readonly links: number
  readonly times?: boolean
  readonly tasks?: boolean
}

/** The grouping, in which property names are folded. */
export type GroupBy =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'folder' | 'tag' | 'created' | 'modified' }

export interface GroupOptions {
  readonly scope: Scope
  readonly by: readonly GroupBy[]
}

export interface GroupedNote {
  readonly id: NodeId
  readonly path: VaultPath
  /**
   * For each `GroupBy`, the values as spelled. There is one value per list item, or an empty string for no value. Tags include
   * their parents. Times are in milliseconds since the Unix epoch.
   */
  readonly values: readonly (readonly string[])[]
}

export interface FindOptions {
  readonly scope: Scope
  readonly order: FindOrder
}

export interface FindOrder {
  /** The sort order. Notes without a time come last in both directions. */
  readonly by: 'relevance' | 'title' | 'modified' | 'created'
  /** The sort order `relevance` ignores the direction and lists the best note first. */
  readonly direction: 'asc' | 'desc'
  /** The words to score. Without them, notes have no score. */
  readonly terms: readonly WordTerm[]
  /** Notes that get a score of 1. */
  readonly first: readonly NodeId[]
}

/**
 * Read access to one generation. Callers must fold ids and strings. Missing values are `undefined` or an empty list. Methods that
 * take a list return results in its order, in one round trip.
 * @throws SnapshotOutdated from any method if the vault has changed; see `Store.read`
 */
export interface Snapshot {
  /** The number increases with every commit. It is 0 before the first one. */
  readonly generation: number
  readonly files: number
  /** False while a process is still reading files. */
  readonly complete: boolean
  /** The lineage of the index; see `VaultState.lineage`. */
  readonly lineage?: string | undefined
  /** True in the last attempt, which tolerates further changes. */
  readonly isLast: boolean
  /** True if the vault changed during the last attempt, so results may mix two generations. */
  readonly isMixed: boolean
  /** Restarts the use case on a newer generation. In the last attempt, the method does nothing. @throws SnapshotOutdated */
  restart(): void
  /** Returns the kind of each node. The kind is `undefined` for nodes that do not exist. */
  kinds(ids: readonly string[]): Promise<readonly (NodeKind | undefined)[]>
  nodes(ids: readonly NodeId[], options: NodeOptions): Promise<readonly (Node | undefined)[]>
  /** Returns the version of each file. The version is `undefined` for missing targets. */
  versions(ids: readonly NodeId[]): Promise<readonly (FileVersion | undefined)[]>
  /** Returns the stored text of each node, for engines that store text. It is `undefined` for nodes without text. */
  texts?(ids: readonly NodeId[]): Promise<readonly (NoteText | undefined)[]>
  /** Returns the title and aliases of each node. The list is empty for missing notes. */
  namesOf(ids: readonly NodeId[]): Promise<readonly (readonly string[])[]>
  /** Returns nodes ordered by id. Excluded nodes are left out. */
  select(scope: Scope, page: Page): Promise<Paged<NodeSummary>>
  /** Returns a node at random. For an unchanged vault, the same `seed` (0 ≤ seed < 1) returns the same node. */
  sample(scope: Scope, seed: number): Promise<NodeId | undefined>
  /** Returns tags ordered by count, then by name. */
  tags(prefix?: string): Promise<readonly TagCount[]>
  /** Returns the properties of listed notes, ordered by count, then by name. */
  properties(): Promise<readonly PropertyCount[]>
  /** Returns values ordered by count, then by text. `key` is folded. */
  propertyValues(key: string): Promise<readonly ValueCount[]>
  /** Returns the folder tree, or `undefined` if there is no such folder. */
  tree(path: string, options: TreeOptions): Promise<Folder | undefined>
  /** Returns problems ordered by id, line and kind (as in `PROBLEM_KINDS`). */
  problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>>
  problemCounts(filter: Omit<ProblemFilter, 'kind'>): Promise<ProblemCounts>
  /** Returns missing notes, ordered by the number of linking files, then by name. Attachments are left out. */
  wantedNotes(filter: WantedFilter, page: Page): Promise<Paged<WantedNote>>
  /** Returns neighbors ordered by in-degree, then by id. The node itself and excluded nodes are left out. */
  neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>>
  /** Returns, for each pair, all links from the first node to the second, ordered by position. */
  occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]>
  /** Returns links from other listed nodes, ordered by source and position. */
  linksInto(ids: readonly NodeId[]): Promise<readonly Occurrence[]>
  /** Returns links to other nodes, ordered by source and position. Excluded nodes are left out. */
  linksFrom(ids: readonly NodeId[]): Promise<readonly Occurrence[]>
  /**
   * Returns, for each range, the links that start in it and lead to other nodes in the scope, ordered by position. Links in
   * comments are left out. Offsets are those of `occurrences`.
   */
  linksWithin(stretches: readonly Stretch[], scope: Scope): Promise<readonly (readonly OutgoingLink[])[]>
  /** Returns paths ordered by length, then by ids. Each path is `[source, …, target]`. */
  paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]>
  /** Returns nodes ordered by score, then by id, or `undefined` if the whole graph has not been scored yet. */
  hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked | undefined>
  topology(): Promise<Topology>
  /** Returns, for each name, the matching files, best first, then by id. Each file appears once. `options` apply to `similar`. */
  names(names: readonly string[], match: NameMatch, scope: Scope, options?: NameOptions): Promise<readonly (readonly NameHit[])[]>
  /** Returns the notes that contain any of the words, best first, then by id. */
  words(terms: readonly WordTerm[], scope: Scope, limit: number): Promise<WordHits>
  /**
   * Returns indexed words that differ by one letter or two swapped letters, and start with the word's first or second letter. The
   * most frequent words come first, then code-point order decides.
   */
  wordsNear(words: readonly string[]): Promise<readonly (readonly NearWord[])[]>
  languages(ids: readonly NodeId[]): Promise<NoteLanguages>
  /** Returns the most similar chunks for each vector, best first. */
  nearest(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    limit: number,
  ): Promise<readonly (readonly ChunkHit[])[]>
  /** Returns the most similar titles and aliases for each vector, best first. A node can appear several times. */
  nearestNames(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    options: NameOptions,
  ): Promise<readonly (readonly NameVectorHit[])[]>
  /** Returns the vectors of each note. They are `undefined` for notes that this embedder has not embedded. */
  vectors(embedder: string, ids: readonly NodeId[]): Promise<readonly (NoteChunks | undefined)[]>
  vectorStates(): Promise<readonly VectorState[]>
  /** Returns the notes that meet the condition, or all notes if there is none, in the requested order, then by id. */
  find(condition: Condition | undefined, options: FindOptions, page: Page): Promise<FoundPage>
  /** Returns values of the notes that meet the condition, or of all notes if there is none, ordered by id. */
  groupValues(condition: Condition | undefined, options: GroupOptions): Promise<readonly GroupedNote[]>
}

/**
 * `building`: incomplete · `rebuilding`: damaged, calls fail with `STORE_UNAVAILABLE` · `unreachable`: calls fail with
 * `STORE_UNAVAILABLE` until the database responds
 */
export type StoreCondition = 'ready' | 'building' | 'rebuilding' | 'unreachable'

export interface Scores {
  readonly scores: Float64Array
  /** Number of sampled sources. It is omitted if the scores are exact. */
  readonly sampled?: number
}

/** The read interface of an engine, used only by `app/`. See `docs/architecture.md`. */
export interface Store {
  /**
   * Runs `use` on the newest generation, and again if the vault changes, up to a few times. `use` must only read from the
   * snapshot, and must not wait for anything else. `signal` aborts pending reads.
   * @throws RouxError `STORE_UNAVAILABLE` if there is nothing to read; see `condition`
   */
  read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T>
  condition(): StoreCondition
  /** Stores scores for `Snapshot.hubs` until newer ones arrive. */
  keepScores(metric: Metric, topology: Topology, scores: Scores): Promise<void>
  /** The shared results. They are omitted if the index is stored on this computer. */
  readonly results?: SharedResults
  /** The shared decisions. They are omitted if they are stored on this computer. */
  readonly decisions?: Decisions
  /** Yields nodes by id, then edges by source, of one generation. */
  export(signal?: AbortSignal): AsyncIterable<ExportRow>
  /** Reports every commit that this store sees. @returns a function that removes the listener */
  onChange(listener: (change: StoreChange) => void): () => void
  close(): Promise<void>
}

export interface StoreChange {
  readonly generation: number
  readonly ids: readonly NodeId[]
}

export type ExportRow =
  | (Pick<Node, 'id' | 'title' | 'tags' | 'aliases' | 'excluded'> & {
      readonly kind: 'node'
      readonly path: VaultPath
      readonly nodeKind: NodeKind
      /** The note's communities, first level before second. They are present only if requested. */
      readonly communities?: readonly string[]
    })
  | {
      readonly kind: 'edge'
      readonly source: NodeId
      readonly target: NodeId
      readonly count: number
      readonly kinds: readonly LinkKind[]
    }
  /** A link to a missing target. `target` is as first written, without subpath and `.md`. */
  | { readonly kind: 'unresolved'; readonly source: NodeId; readonly target: string; readonly count: number }

/** The longest excerpt in an answer has 500 characters, and cutting at a grapheme boundary can need a few more. */
export const EXCERPT_LENGTH = 560

export type CentralMetric = Exclude<Metric, 'in_degree' | 'out_degree'>

export function isCentral(metric: Metric): metric is CentralMetric {
  return metric !== 'in_degree' && metric !== 'out_degree'
}

/** Each method runs off the main thread. The arrays are transferred to a worker, so the caller must not use them again. */
export interface Analytics {
  run(metric: CentralMetric, topology: Pick<Topology, 'offsets' | 'targets'>): Promise<Scores>
}

export interface SharedResult {
  /** The generation from which the result was computed. */
  readonly generation: number
  readonly bytes: Uint8Array
}

/** Results that are stored next to a shared index, for all processes that use it. */
export interface SharedResults {
  /** Returns the stored result if its generation is later than `than`. */
  newer(name: string, than: number, signal?: AbortSignal): Promise<SharedResult | undefined>
  /** Stores a result, unless a result of a later generation is already stored. */
  keep(name: string, result: SharedResult): Promise<void>
}
