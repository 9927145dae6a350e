import type { NodeId, VaultPath } from './ids.ts'
import type { Heading, LinkForm, LinkKind } from './note.ts'
import type { ChunkHit, FindOptions, Found, NameVectorHit, NoteChunks, VectorState, WordHits } from './search.ts'

/** `missing` is a link's target that does not exist. */
export type NodeKind = 'note' | 'attachment' | 'canvas' | 'missing'

/** What a list shows of a node. */
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
  /** The first characters of the body (see `EXCERPT_LENGTH`), for lists. */
  readonly excerpt: string
  /** Whether the body goes on after `excerpt`. */
  readonly excerptCut: boolean
  /** SHA-256 of the bytes that all of this is of, hex; only where `NodeOptions.hash` asks, and of files that were read. */
  readonly hash?: string
}

/** A note's text as it is on disk now; everything here is of this text, whatever the index says. */
export interface NoteText {
  /** Decoded as UTF-8, invalid bytes replaced. */
  readonly text: string
  /** UTF-16 offset of the body. */
  readonly bodyStart: number
  /** SHA-256 of the file's bytes, hex. */
  readonly hash: string
}

export interface Scope {
  /** Notes under this path prefix, compared folded. */
  readonly path?: string
  /** Notes in this folder (and below), compared folded; unlike `path` it ends at a folder's boundary. */
  readonly folder?: string
  /** With these tags (a nested tag counts for its parents), compared folded. */
  readonly tags?: { readonly names: readonly string[]; readonly mode: 'any' | 'all' }
  /** Default: notes only. */
  readonly kinds?: readonly NodeKind[]
  /** This note only. */
  readonly note?: NodeId
  /** Without notes that are archived. */
  readonly withoutArchived?: boolean
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

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
  /** SHA-256 of the bytes that `start` and `end` belong to, hex. */
  readonly hash: string
}

export interface PathOptions {
  /** `out` follows links only forwards. */
  readonly direction: 'any' | 'out'
  /** How many paths at the most, shortest first. */
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
  /** The scores belong to an older state of the graph; newer ones are being computed. */
  readonly stale: boolean
  /** Betweenness from this many sampled sources instead of all. */
  readonly sampled?: number
}

export interface TagCount {
  /** In the spelling that most notes use. */
  readonly tag: string
  /** Notes that carry it or a tag nested in it. */
  readonly count: number
}

export interface Folder {
  /** Folder path as spelled on disk; empty for the vault itself. */
  readonly path: string
  /** Notes below, at any depth. */
  readonly noteCount: number
  readonly folders: readonly Folder[]
  readonly notes: readonly NodeSummary[]
  /** What `limit` or `depth` left out of this folder itself. */
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

export interface Problem {
  readonly kind: ProblemKind
  readonly id: NodeId
  /** 1-based; 0 where the whole file is meant. */
  readonly line: number
  /** What is wrong, or the link as written. */
  readonly text: string
  /** Ids that may have been meant, the rule that chose among them, or the other twins; of `broken_heading` ids with a `#heading` or `#^block`. */
  readonly candidates?: readonly string[]
}

export interface ProblemFilter {
  readonly kind?: ProblemKind
  readonly folder?: string
  /** Of this node only. */
  readonly id?: NodeId
}

export interface NameHit extends NodeSummary {
  /** Dice coefficient on character pairs, 0–1. */
  readonly score: number
  /** The title or alias that matched. */
  readonly name: string
}

export interface SimilarOptions {
  readonly limit: number
  /** Least similarity, 0–1. */
  readonly minimum: number
}

/** How much of the vault the answers rest on. */
export interface StoreState {
  /** Grows with every commit; 0 before the first. */
  readonly generation: number
  /** Files known. */
  readonly files: number
  /** Everything that was found in the vault is in it; else somebody, perhaps another process, is still reading. */
  readonly complete: boolean
}

/** What a caller may get of `nodes`. */
export interface NodeOptions {
  /** Links a node at the most. */
  readonly links: number
  /** Whether `created` and `modified` are wanted. */
  readonly times?: boolean
  /** Whether `hash` is wanted. */
  readonly hash?: boolean
}

/**
 * The reading side of a store, for `app/` only. Ids in arguments are as a caller wrote them: an exact path first, only
 * then folded; `.md` and the vault's name may be left out. Absence is `undefined` or an empty list. Every answer is of one generation.
 */
export interface Store {
  state(): Promise<StoreState>
  /** The ids the store knows for these arguments, in order; `kinds` other than notes too. */
  lookup(ids: readonly string[]): Promise<readonly (NodeId | undefined)[]>
  /** In order. */
  nodes(ids: readonly NodeId[], options: NodeOptions): Promise<readonly (Node | undefined)[]>
  /**
   * The text as it is now: where it changed since it was indexed, it is indexed again first.
   * @throws RouxError `TIMEOUT` when its file does not answer.
   */
  text(id: NodeId): Promise<NoteText | undefined>
  /** By id. Excluded nodes are left out. */
  select(scope: Scope, page: Page): Promise<Paged<NodeSummary>>
  /** One of the scope's nodes; the same `seed` (0 ≤ seed < 1) picks the same of an unchanged vault. */
  sample(scope: Scope, seed: number): Promise<NodeId | undefined>
  /** By count, then name. */
  tags(prefix?: string): Promise<readonly TagCount[]>
  /** `undefined` when there is no such folder. */
  tree(path: string, options: TreeOptions): Promise<Folder | undefined>
  /** By id, then line. */
  problems(filter: ProblemFilter, page: Page): Promise<Paged<Problem>>
  /** By in-degree, then id; without the node itself and without excluded nodes. */
  neighbors(id: NodeId, options: NeighborOptions, page: Page): Promise<Paged<NodeId>>
  /** Every place where the first of a pair links to the second, in order of position; a list a pair. */
  occurrences(pairs: readonly (readonly [from: NodeId, to: NodeId])[]): Promise<readonly (readonly Occurrence[])[]>
  /** Shortest first, then by ids; each is `[source, …, target]`. */
  paths(source: NodeId, target: NodeId, options: PathOptions): Promise<readonly (readonly NodeId[])[]>
  /** By score, then id. */
  hubs(metric: Metric, scope: Scope, limit: number): Promise<Ranked>
  /** Nodes whose title or an alias equals the name, compared folded; by id. */
  named(name: string, scope: Scope): Promise<readonly NameHit[]>
  /** Likewise, but for accents, the amount of white space, and punctuation around the name. */
  namedPlainly(name: string, scope: Scope): Promise<readonly NameHit[]>
  /** The most similar titles and aliases, best first; a node once, under its best name. */
  similarNames(name: string, scope: Scope, options: SimilarOptions): Promise<readonly NameHit[]>
  /** Notes that hold any of a text's words, best first. */
  words(text: string, scope: Scope, limit: number): Promise<WordHits>
  /** Parts of notes nearest to a vector of this embedder, best first. */
  nearest(embedder: string, vector: Float32Array, scope: Scope, limit: number): Promise<readonly ChunkHit[]>
  /** Titles and aliases nearest to a vector of this embedder, best first; a node may come under several names. */
  nearestNames(embedder: string, vector: Float32Array, scope: Scope, options: SimilarOptions): Promise<readonly NameVectorHit[]>
  /** The vectors of a note's chunks; `undefined` where it has none of this embedder. */
  vectors(embedder: string, id: NodeId): Promise<NoteChunks | undefined>
  /** What vectors there are, the embedder used last first. */
  vectorStates(): Promise<readonly VectorState[]>
  /**
   * The notes that a query of `docs/query.md` asks for; `now` is what its relative times are relative to.
   * @throws RouxError `INVALID_PARAMS` that shows where the query does not parse.
   */
  find(query: string, now: Date, scope: Scope, options: FindOptions, page: Page): Promise<Found>
  /** The whole graph, for export: every node by id, then every edge by source. */
  export(): AsyncIterable<ExportRow>
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
