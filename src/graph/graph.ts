import { foldId, type NodeId, toNodeId, type VaultPath } from '../core/ids.ts'
import type { NodeKind } from '../core/store.ts'
import { FileIds } from './file-ids.ts'
import { MissingTargets } from './missing-targets.ts'
import { selectTop } from './select-top.ts'

/** The graph's facts about one file. `key` is small, dense and stays with the path. */
export interface GraphRow {
  readonly key: number
  /** `undefined`: the file is gone. */
  readonly path: VaultPath | undefined
  readonly kind: Exclude<NodeKind, 'missing'>
  readonly excluded: boolean
  readonly archived: boolean
  /** The name is one that a sync tool gives to a conflict copy. */
  readonly conflict: boolean
  readonly title: string
  readonly aliases: readonly string[]
  readonly tags: readonly string[]
  /** Keys of the files it links to, each once; the file itself where it links to itself. */
  readonly targets: Int32Array
  /** Missing targets as written, each folded name once. */
  readonly missing: readonly string[]
  /** How many links are broken, ambiguous, parts malformed, and links to headings or blocks that are not there. */
  readonly problems: readonly [broken: number, ambiguous: number, malformed: number, brokenHeadings: number]
}

/**
 * A node's number: files have their key (≥ 0), missing targets are negative. Valid until the next `apply`.
 */
export type NodeIndex = number

const NOTHING = new Int32Array(0)

/**
 * The link graph in memory: what every call needs, in typed and plain arrays indexed by key. It is a projection of the
 * store's rows; `apply` brings it from one generation to the next at a cost that grows with the change, not the graph.
 */
export class Graph {
  readonly #vault: string | undefined
  readonly #ids: FileIds
  readonly #missing = new MissingTargets()
  readonly #rows: (GraphRow | undefined)[] = []
  readonly #in: number[][] = []
  // Asked for every node of the vault in one call: rows lie all over the memory, these do not.
  #listed = new Uint8Array(1024)
  #problemCount = new Int32Array(1024)
  #inDegree = new Int32Array(1024)
  #outDegree = new Int32Array(1024)
  #files = 0

  constructor(vault?: string) {
    this.#vault = vault
    this.#ids = new FileIds(vault)
  }

  /** Keys are below this. */
  get size(): number {
    return this.#rows.length
  }

  /** Files, of any kind. */
  get files(): number {
    return this.#files
  }

  row(key: number): GraphRow | undefined {
    return this.#rows[key]
  }

  /** Replaces the facts of these files at once; each file appears once. */
  apply(rows: readonly GraphRow[]): void {
    const moved = rows.filter((row) => this.#rows[row.key]?.path !== row.path)
    this.#unlink(rows)
    for (const row of moved) this.#ids.remove(row.key)
    for (const row of rows) this.#place(row)
    for (const { key, path } of moved) if (path !== undefined) this.#ids.add(key, path)
    for (const row of rows) this.#link(row.key)
  }

  /** Makes room for a key; links can name one whose own row comes later. */
  #grow(key: number): void {
    while (this.#rows.length <= key) {
      this.#rows.push(undefined)
      this.#in.push([])
    }
    if (this.#listed.length > key) return
    const length = Math.max(key + 1, this.#listed.length * 2)
    this.#listed = grown(this.#listed, new Uint8Array(length))
    this.#problemCount = grown(this.#problemCount, new Int32Array(length))
    this.#inDegree = grown(this.#inDegree, new Int32Array(length))
    this.#outDegree = grown(this.#outDegree, new Int32Array(length))
  }

  #place(row: GraphRow): void {
    this.#grow(row.key)
    if (this.#rows[row.key] !== undefined) this.#files--
    this.#rows[row.key] = row.path === undefined ? undefined : row
    if (row.path !== undefined) this.#files++
    this.#problemCount[row.key] = problemCountOf(row)
    const listed = isListedRow(row) ? 1 : 0
    const change = listed - (this.#listed[row.key] ?? 0)
    if (change === 0) return
    this.#listed[row.key] = listed
    // Links of the rows that are being applied are withdrawn by now, and counted when they are made.
    for (const source of this.#in[row.key] ?? []) add(this.#outDegree, source, change)
  }

  #link(key: number): void {
    const row = this.#rows[key]
    if (row === undefined) return
    const counts = this.isListedNote(key)
    for (const target of row.targets) {
      this.#grow(target)
      this.#in[target]?.push(key)
      if (target === key) continue
      if (counts) add(this.#inDegree, target, 1)
      if (this.isListedNote(target)) add(this.#outDegree, key, 1)
    }
    for (const name of row.missing) this.#missing.sources(this.#missing.numberOf(name)).push(key)
  }

  /** Withdraws the links of these files as they are known. */
  #unlink(rows: readonly GraphRow[]): void {
    const leaving = new Map<number[], number[]>()
    for (const { key } of rows) {
      const row = this.#rows[key]
      if (row === undefined) continue
      const counts = this.isListedNote(key)
      for (const target of row.targets) {
        withdraw(this.#in[target], key, leaving)
        if (counts && target !== key) add(this.#inDegree, target, -1)
      }
      this.#outDegree[key] = 0
      for (const name of row.missing) withdraw(this.#missing.sources(this.#missing.numberOf(name)), key, leaving)
    }
    for (const [list, keys] of leaving) {
      if (keys.length <= FEW) for (const key of keys) removeOne(list, key)
      else removeAll(list, keys)
    }
  }

  /** Keys of all files, by id; a list that later changes leave as it is. */
  order(): readonly number[] {
    return this.#ids.order()
  }

  /** Missing targets that are still linked to, by id. */
  missing(): readonly NodeIndex[] {
    const entries = this.#missing.numbers().map((number) => ({ node: -number - 1, id: this.id(-number - 1) }))
    return entries.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id))).map(({ node }) => node)
  }

  /** A node's path as ids are folded, without the vault's name; of twins the same. */
  folded(node: NodeIndex): string {
    return node < 0 ? foldId(this.#missing.name(-node - 1)) : this.#ids.folded(node)
  }

  /** The other files whose paths fold to the same id, in order of their ids' precedence; empty for most. */
  twins(key: number): readonly number[] {
    return this.#ids.twins(key)
  }

  hasTwins(key: number): boolean {
    return this.#ids.hasTwins(key)
  }

  id(node: NodeIndex): NodeId {
    if (node < 0) return this.idOf(this.folded(node))
    return this.#ids.id(node) ?? this.idOf('')
  }

  /** The id of a folded path, whether or not anything is there. */
  idOf(folded: string): NodeId {
    return toNodeId(folded, this.#vault)
  }

  title(node: NodeIndex): string {
    return node < 0 ? this.#missing.name(-node - 1) : (this.#rows[node]?.title ?? '')
  }

  kind(node: NodeIndex): NodeKind | undefined {
    return node < 0 ? 'missing' : this.#rows[node]?.kind
  }

  /** A note that is not excluded: what lists, degrees and paths are made of. */
  isListedNote(node: NodeIndex): boolean {
    return node >= 0 && this.#listed[node] === 1
  }

  /** Problems of a file's own: broken and ambiguous links, those to parts that are not there, malformed parts, the name of a copy; 0 of excluded ones. */
  problemCount(key: number): number {
    return this.#problemCount[key] ?? 0
  }

  /** The node of an id of ours, which carries the name of a vault that has one. */
  find(id: string): NodeIndex | undefined {
    const path = this.#withoutVault(id)
    return this.#findFile(path) ?? this.findMissing(path)
  }

  #findFile(path: string): NodeIndex | undefined {
    return path === '' ? undefined : (this.#ids.find(path) ?? this.#ids.find(`${path}.md`))
  }

  #withoutVault(id: string): string {
    return this.#vault !== undefined && id.startsWith(`${this.#vault}:`) ? id.slice(this.#vault.length + 1) : id
  }

  /** The missing target of this name. */
  findMissing(name: string): NodeIndex | undefined {
    const number = this.#missing.find(name)
    return number === undefined ? undefined : -number - 1
  }

  /** Keys of the files that link to a node, in no order; itself among them where it links to itself. */
  sources(node: NodeIndex): readonly number[] {
    return node < 0 ? this.#missing.sources(-node - 1) : (this.#in[node] ?? [])
  }

  /** The files that a node links to, without order. */
  targets(node: NodeIndex): Int32Array {
    return (node < 0 ? undefined : this.#rows[node]?.targets) ?? NOTHING
  }

  linksTo(source: number, target: NodeIndex): boolean {
    return target >= 0 ? this.targets(source).includes(target) : this.sources(target).includes(source)
  }

  /** The missing targets that a file links to. */
  missingTargets(key: number): readonly NodeIndex[] {
    return (this.#rows[key]?.missing ?? []).map((name) => -this.#missing.numberOf(name) - 1)
  }

  /** Distinct listed notes that link here, without the node itself. */
  inDegree(node: NodeIndex): number {
    if (node >= 0) return this.#inDegree[node] ?? 0
    let degree = 0
    for (const source of this.sources(node)) if (this.isListedNote(source)) degree++
    return degree
  }

  /** Distinct listed notes linked to, without the node itself. */
  outDegree(key: number): number {
    return this.#outDegree[key] ?? 0
  }

  /** The first `count` by in-degree (highest first), then id. */
  topByInDegree(nodes: Iterable<NodeIndex>, count: number): NodeIndex[] {
    return selectTop(nodes, count, (a, b) => {
      const difference = this.inDegree(a) - this.inDegree(b)
      return difference > 0 || (difference === 0 && this.id(a) < this.id(b))
    })
  }
}

/** A file that is a listed note: see `Graph.isListedNote`. */
export function isListedRow(row: GraphRow): boolean {
  return row.path !== undefined && row.kind === 'note' && !row.excluded
}

function problemCountOf({ path, excluded, conflict, problems }: GraphRow): number {
  if (path === undefined || excluded) return 0
  return problems.reduce((sum, count) => sum + count, conflict ? 1 : 0)
}

function grown<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function add(counts: Int32Array, key: number, by: number): void {
  counts[key] = (counts[key] ?? 0) + by
}

/** How long a list is looked through for one key at a time: for thousands that leave a hub that would take quadratic time. */
const SHORT = 64
/** Up to this many keys, searching one at a time is faster than scanning the whole list. */
const FEW = 4

/** Takes a key out of a list; out of a long one later, with all others that leave it. */
function withdraw(list: number[] | undefined, key: number, leaving: Map<number[], number[]>): void {
  if (list === undefined) return
  if (list.length <= SHORT) {
    removeOne(list, key)
    return
  }
  const keys = leaving.get(list)
  if (keys === undefined) leaving.set(list, [key])
  else keys.push(key)
}

function removeAll(list: number[], keys: readonly number[]): void {
  const gone = new Set(keys)
  let kept = 0
  for (const key of list) if (!gone.has(key)) list[kept++] = key
  list.length = kept
}

function removeOne(list: number[], key: number): void {
  const at = list.indexOf(key)
  if (at < 0) return
  const last = list.pop()
  if (at < list.length && last !== undefined) list[at] = last
}
