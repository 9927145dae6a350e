import type { NodeId, VaultPath } from './ids.ts'
import type { Decisions } from './insight/insight.ts'
import type { Heading, LinkForm, LinkKind, Task } from './note.ts'
import type { Condition, WordTerm } from './query.ts'
import type { ChunkHit, FoundPage, NameVectorHit, NearWord, NoteChunks, NoteLanguages, VectorState, WordHits } from './search.ts'
import type { SharedResults } from './shared-results.ts'

/** `missing` is a link target that does not exist. */
export type NodeKind = 'note' | 'attachment' | 'canvas' | 'missing'

export interface NodeSummary {
  readonly id: NodeId
  readonly title: string
  /** In answers, omitted if it is the same as the id. */
  readonly path?: string
}

export interface Node extends NodeSummary {
  readonly kind: NodeKind
  /** Omitted for `missing` nodes. */
  readonly path?: VaultPath
  readonly tags: readonly string[]
  readonly aliases: readonly string[]
  /** Hidden by the vault's own ignore filters. Such nodes can be read by id, but are never listed. */
  readonly excluded: boolean
  /** Listed notes that this node links to, excluding itself. Ordered by in-degree, then id, and limited by `NodeOptions.links`. */
  readonly links: readonly NodeSummary[]
  readonly linkCount: number
  readonly properties: Readonly<Record<string, unknown>>
  /** ISO 8601 in UTC, or as written in the note's properties. Only set if `NodeOptions.times` is true. */
  readonly created?: string
  readonly modified?: string
  readonly headings: readonly Heading[]
  /** Only set if `NodeOptions.tasks` is true. */
  readonly tasks?: readonly Task[]
  /** Block ids without `^`. */
  readonly blocks: readonly string[]
  /** First characters of the body, for lists; see `EXCERPT_LENGTH`. */
  readonly excerpt: string
  readonly excerptCut: boolean
}

export interface FileVersion {
  readonly id: NodeId
  readonly path: VaultPath
  readonly kind: NodeKind
  /** Hex SHA-256 of the bytes. Empty for files that were not read. */
  readonly hash: string
}

export interface NoteText {
  /** Decoded as UTF-8. Invalid bytes are replaced. */
  readonly text: string
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  /** Hex SHA-256 of the file's bytes. */
  readonly hash: string
}

/** Selects nodes. Strings are folded like ids and names (`foldId`, `foldName`). */
export interface Scope {
  /** Only notes whose path starts with this prefix. */
  readonly path?: string
  /**
   * Only notes in this folder and its subfolders, given without leading and trailing slashes. Unlike `path`, it matches whole folder
   * names.
   */
  readonly folder?: string
  /** Only notes with these tags, or with tags nested in them. */
  readonly tags?: { readonly names: readonly string[]; readonly mode: 'any' | 'all' }
  /** Defaults to notes only. */
  readonly kinds?: readonly NodeKind[]
  readonly note?: NodeId
  /** Includes files hidden by the vault's own filters. */
  readonly withExcluded?: boolean
  readonly withoutArchived?: boolean
  /** Excludes conflict copies made by sync tools. */
  readonly withoutConflicts?: boolean
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

/** Selects all items. */
export const ALL: Page = { offset: 0, limit: Number.MAX_SAFE_INTEGER }

export interface Paged<T> {
  readonly items: readonly T[]
  readonly total: number
}

export type Direction = 'in' | 'out' | 'both'

export interface NeighborOptions {
  readonly direction: Direction
  /** Follows only the links in this property. */
  readonly type?: string
  readonly kinds?: readonly NodeKind[]
}

/** A single link from one node to another, with its position. */
export interface Occurrence {
  readonly from: NodeId
  readonly to: NodeId
  readonly kind: LinkKind
  readonly form: LinkForm
  /** The property's name. Omitted for links in the body. */
  readonly property?: string
  readonly subpath?: string
  /** Set if the target note lacks the heading or block named by the link. */
  readonly brokenSubpath?: true
  readonly line: number
  /** UTF-16 offsets in the text of `from`. */
  readonly start: number
  readonly end: number
  readonly inComment: boolean
}

export interface Stretch {
  readonly id: NodeId
  readonly start: number
  readonly end: number
}

/** A link in the text, with the number of links to its target. */
export interface OutgoingLink extends Pick<Occurrence, 'to' | 'kind' | 'form' | 'line' | 'start' | 'end'> {
  /** Number of nodes that link to `to`. */
  readonly inLinks: number
}

export interface PathOptions {
  /** With `out`, links are only followed forwards. */
  readonly direction: 'any' | 'out'
  /** Maximum number of paths to return. Shorter paths come first. */
  readonly count: number
  /** Prefers paths that avoid the most connected notes, if such paths exist. */
  readonly avoidHubs: boolean
}

export type Metric = 'in_degree' | 'out_degree' | 'pagerank' | 'betweenness'

export interface RankedNode extends NodeSummary {
  readonly score: number
}

export interface Ranked {
  readonly items: readonly RankedNode[]
  /** The generation of the vault from which the scores were computed. */
  readonly generation: number
  /** Number of sampled sources, if betweenness was estimated. */
  readonly sampled?: number
}

/** The listed notes of one generation and the links among them, excluding self-links. Input for algorithms over the whole graph. */
export interface Topology {
  readonly generation: number
  /** Returns the ids of all nodes, which are created on demand. @throws SnapshotOutdated if the vault has changed */
  ids(): readonly NodeId[]
  /** The links of node `n` are `targets[offsets[n]]` up to `targets[offsets[n + 1]]`. */
  readonly offsets: Uint32Array
  /** Indexes of nodes. */
  readonly targets: Uint32Array
}

export interface TagCount {
  /** The most common spelling. */
  readonly tag: string
  /** Number of notes with this tag or a tag nested in it. */
  readonly count: number
}

export interface PropertyCount {
  /** The most common spelling. */
  readonly key: string
  /** Number of notes that have this property. */
  readonly count: number
  /** Types of the property's values, most frequent first. */
  readonly kinds: readonly ValueKind[]
}

export type ValueKind = 'text' | 'number' | 'checkbox' | 'date' | 'list' | 'object' | 'empty'

/** A property value. The items of a list are counted individually. */
export interface ValueCount {
  /** The most common spelling of the value. Empty if the property has no value. */
  readonly value: string
  readonly count: number
}

export interface Folder {
  /** Folder path as spelled on disk. Empty for the vault's root. */
  readonly path: string
  /** Number of notes at any depth. */
  readonly noteCount: number
  readonly folders: readonly Folder[]
  readonly notes: readonly NodeSummary[]
  /** Number of notes directly in this folder that were left out because of `limit` or `depth`. */
  readonly omittedNotes: number
  readonly omittedFolders: number
}

export interface TreeOptions {
  /** Number of folder levels to show, at least 1. */
  readonly depth: number
  /** Maximum number of notes to list in the whole tree. */
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
  /** Set if the link is in a comment, which readers do not see. */
  readonly inComment?: true
}

export type Problem = {
  readonly id: NodeId
  /** 1-based line number. 0 if the problem concerns the whole file. */
  readonly line: number
} & (
  | { readonly kind: 'broken_link'; readonly link: WrittenLink; readonly name: string }
  /** The note `to` exists, but not the heading or block. */
  | { readonly kind: 'broken_heading'; readonly link: WrittenLink; readonly to: NodeId }
  /** Several files match the link. `to` is the one that was chosen, possibly by an alias. */
  | {
      readonly kind: 'ambiguous_link'
      readonly link: WrittenLink
      readonly to: NodeId
      readonly byAlias: boolean
      readonly rivals: readonly NodeId[]
    }
  /** The message reported by the parser when the note was indexed. */
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

/** Limits which files are counted. */
export interface WantedFilter {
  readonly folder?: string
  /** Returns true if links from a file with this path count. By default, all links count. */
  readonly counts?: (path: VaultPath) => boolean
}

export interface WantedNote {
  /** The most common spelling. */
  readonly name: string
  /** Ids of the missing targets with this name. Their spellings differ in case, accents, or separators between words. */
  readonly ids: readonly [NodeId, ...NodeId[]]
  /** Number of files that link to the note. */
  readonly files: number
  /** Ids of a few of these files, those with the most incoming links first. */
  readonly sources: readonly NodeId[]
}

/** How a name is compared with titles, aliases and file names. */
export type NameMatch =
  /** Equal after folding. */
  | 'equal'
  /** Equal after folding, ignoring accents, the amount of whitespace, and surrounding punctuation. */
  | 'plain'
  /** Similar; see `NameOptions`. */
  | 'similar'

export interface NameHit extends NodeSummary {
  /** Similarity, 0–1, where 1 means equal. */
  readonly score: number
  readonly name: string
  readonly of: 'title' | 'alias' | 'file'
}

/** Options for `similar` matches. */
export interface NameOptions {
  readonly limit: number
  /** Minimum similarity, 0–1. */
  readonly minimum: number
  /** Maximum difference in length (see `plainName`). An engine may use it to skip names, but need not. */
  readonly slips?: number
}

export interface NodeOptions {
  readonly links: number
  readonly times?: boolean
  readonly tasks?: boolean
}

/** A value to group notes by. A property's name must be folded. */
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
   * For each `GroupBy`, the note's values as spelled. List items of a property are separated, and an empty string means no value. Tags
   * include their parents. Times are in milliseconds since the Unix epoch.
   */
  readonly values: readonly (readonly string[])[]
}

/** Filters and order for `find`. */
export interface FindOptions {
  readonly scope: Scope
  readonly order: FindOrder
}

export interface FindOrder {
  /** Notes without the requested time are sorted last in either direction. */
  readonly by: 'relevance' | 'title' | 'modified' | 'created'
  /** Ignored for `relevance`, which always puts the best note first. */
  readonly direction: 'asc' | 'desc'
  /** Words used to score the notes. Without them, notes have no score. */
  readonly terms: readonly WordTerm[]
  /** Ids of notes that get a score of 1. */
  readonly first: readonly NodeId[]
}

/**
 * Read access to one generation of the data. Ids and strings are compared exactly, so callers must fold them. Missing values are
 * `undefined` or an empty list. Methods that take a list return results in the same order, in a single round trip.
 * @throws SnapshotOutdated from any method if the vault has changed; see `Store.read`
 */
export interface Snapshot {
  /** Increases with every commit. 0 before the first one. */
  readonly generation: number
  readonly files: number
  /** True if every file found in the vault is included. Otherwise, this process or another one is still reading files. */
  readonly complete: boolean
  /** Lineage of the index. Omitted if the index has none; see `VaultState.lineage`. */
  readonly lineage?: string | undefined
  /** True if this is the last attempt, even if the vault changes again. */
  readonly isLast: boolean
  /** True if results may mix two generations, because the vault changed during the last attempt. */
  readonly isMixed: boolean
  /**
   * Aborts this attempt so that the use case runs again on a newer generation. Does nothing in the last attempt. @throws
   * SnapshotOutdated
   */
  restart(): void
  /** Returns the kind of each node, or `undefined` for nodes that do not exist. */
  kinds(ids: readonly string[]): Promise<readonly (NodeKind | undefined)[]>
  nodes(ids: readonly NodeId[], options: NodeOptions): Promise<readonly (Node | undefined)[]>
  /** `undefined` for missing targets. */
  versions(ids: readonly NodeId[]): Promise<readonly (FileVersion | undefined)[]>
  /** Returns the text of each node, for engines that store it. `undefined` for nodes without text. */
  texts?(ids: readonly NodeId[]): Promise<readonly (NoteText | undefined)[]>
  /** Returns the title and aliases of each note. Empty for missing notes. */
  namesOf(ids: readonly NodeId[]): Promise<readonly (readonly string[])[]>
  /** Ordered by id. Excluded nodes are left out. */
  select(scope: Scope, page: Page): Promise<Paged<NodeSummary>>
  /** Picks one of the nodes in the scope. The same `seed` (0 ≤ seed < 1) selects the same node as long as the vault does not change. */
  sample(scope: Scope, seed: number): Promise<NodeId | undefined>
  /** Ordered by count, then name. */
  tags(prefix?: string): Promise<readonly TagCount[]>
  /** Properties of listed notes, ordered by count, then name. */
  properties(): Promise<readonly PropertyCount[]>
  /** Values of a property in listed notes, ordered by count, then text. The name must be folded. */
  propertyValues(key: string): Promise<readonly ValueCount[]>
  /** Returns `undefined` if there is no such folder. */
  tree(path: string, options: TreeOptions): Promise<Folder | undefined>
  /** Ordered by id, line and kind (in the order of `PROBLEM_KINDS`). */
  problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>>
  /** Number of problems of each kind that `problems` would return. */
  problemCounts(filter: Omit<ProblemFilter, 'kind'>): Promise<ProblemCounts>
  /** Missing notes, excluding attachments, ordered by the number of matching files that link to them, then by name. */
  wanted(filter: WantedFilter, page: Page): Promise<Paged<WantedNote>>
  /** Ordered by in-degree, then id. Excludes the node itself and excluded nodes. */
  neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>>
  /** For each pair, all links from the first node to the second, in order of position. */
  occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]>
  /** All links from other listed nodes to the given nodes, ordered by source and position. */
  linksInto(ids: readonly NodeId[]): Promise<readonly Occurrence[]>
  /** All links from the given nodes to other nodes, ordered by source and position. Excluded nodes are left out. */
  linksFrom(ids: readonly NodeId[]): Promise<readonly Occurrence[]>
  /**
   * For each range, the links that start in it and lead to other nodes in the scope, in order of position. Links in comments are
   * excluded. Offsets are the same as in `occurrences`.
   */
  linksWithin(stretches: readonly Stretch[], scope: Scope): Promise<readonly (readonly OutgoingLink[])[]>
  /** Shortest paths first, then ordered by ids. Each path is `[source, …, target]`. */
  paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]>
  /** Ordered by score, then id. `undefined` if the metric covers the whole graph and has not been computed yet. */
  hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked | undefined>
  topology(): Promise<Topology>
  /**
   * For each name, the matching files, best first, then ordered by id. Each file appears once, with its best match. `options` apply
   * to `similar`.
   */
  names(names: readonly string[], match: NameMatch, scope: Scope, options?: NameOptions): Promise<readonly (readonly NameHit[])[]>
  /** Notes that contain any of the words, best first, then ordered by id. */
  words(terms: readonly WordTerm[], scope: Scope, limit: number): Promise<WordHits>
  /**
   * For each folded word, the indexed words that differ from it by one letter or two swapped letters and start with its first or
   * second letter. Ordered by the number of notes that contain them, descending, then in code-point order.
   */
  wordsNear(words: readonly string[]): Promise<readonly (readonly NearWord[])[]>
  languages(ids: readonly NodeId[]): Promise<NoteLanguages>
  /** For each vector from this embedder, the most similar chunks, best first. */
  nearest(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    limit: number,
  ): Promise<readonly (readonly ChunkHit[])[]>
  /** For each vector from this embedder, the most similar titles and aliases, best first. A node can appear with several names. */
  nearestNames(
    embedder: string,
    vectors: readonly Float32Array[],
    scope: Scope,
    options: NameOptions,
  ): Promise<readonly (readonly NameVectorHit[])[]>
  /** Vectors of each note's chunks. `undefined` for notes without vectors from this embedder. */
  vectors(embedder: string, ids: readonly NodeId[]): Promise<readonly (NoteChunks | undefined)[]>
  vectorStates(): Promise<readonly VectorState[]>
  /** Notes that match the condition, or all notes if there is no condition, in the requested order, then by id. */
  find(condition: Condition | undefined, options: FindOptions, page: Page): Promise<FoundPage>
  /** Notes that match the condition (all notes if there is none), each with the values to group it by. Ordered by id. */
  groupValues(condition: Condition | undefined, options: GroupOptions): Promise<readonly GroupedNote[]>
}

/**
 * Whether a store can serve requests. `building`: incomplete · `rebuilding`: its data was unusable and is being rebuilt; calls fail
 * with `STORE_UNAVAILABLE` · `unreachable`: calls fail with `STORE_UNAVAILABLE` until the store can be reached
 */
export type StoreCondition = 'ready' | 'building' | 'rebuilding' | 'unreachable'

export interface Scores {
  readonly scores: Float64Array
  /** Number of sampled sources. Omitted if the scores are exact. */
  readonly sampled?: number
}

/** The read interface of an engine, used only by `app/`. The rules are described in `docs/architecture.md`. */
export interface Store {
  /**
   * Runs a use case on the newest generation. If the vault changes in the meantime, `use` is run again, up to a few times. `use`
   * must only read from the snapshot, and must not wait for anything else. `signal` aborts all pending reads.
   * @throws RouxError `STORE_UNAVAILABLE` if there is nothing to read; see `condition`
   */
  read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T>
  condition(): StoreCondition
  /** Stores scores for `Snapshot.hubs` until newer ones arrive. */
  keepScores(metric: Metric, topology: Topology, scores: Scores): Promise<void>
  /** Results shared with other processes. Omitted if the index is stored on this computer. */
  readonly results?: SharedResults
  /** User decisions about the vault, if the index is shared. Otherwise they are stored on this computer. */
  readonly decisions?: Decisions
  /** Exports the whole graph of one generation: all nodes by id, then all edges by source. */
  export(signal?: AbortSignal): AsyncIterable<ExportRow>
  /** Calls the listener for every commit that this store sees, until it is closed. Returns a function that removes the listener. */
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
      /** Ids of the note's communities, first level before second. Only set if requested and the note belongs to a community. */
      readonly communities?: readonly string[]
    }
  | {
      readonly kind: 'edge'
      readonly source: NodeId
      readonly target: NodeId
      readonly count: number
      readonly kinds: readonly LinkKind[]
    }
  /** `target` is spelled as first written, without subpath and `.md`. */
  | { readonly kind: 'unresolved'; readonly source: NodeId; readonly target: string; readonly count: number }

/**
 * Number of body characters stored for lists. The longest excerpt shown is 500, and truncation at a grapheme boundary can need a few
 * more.
 */
export const EXCERPT_LENGTH = 560
