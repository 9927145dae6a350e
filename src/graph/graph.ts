import { foldId, type NodeId, toNodeId, type VaultPath } from '../core/ids.ts'
import type { FileRecord } from '../core/index-writer.ts'
import type { NodeKind } from '../core/store.ts'
import { FileIds } from './file-ids.ts'
import { selectTop } from './select-top.ts'

export interface GraphRow
  extends Pick<FileRecord, 'key' | 'kind' | 'excluded' | 'archived' | 'conflict' | 'title' | 'aliases' | 'tags'> {
  readonly path: VaultPath | undefined
  readonly targets: Int32Array
  readonly missing: readonly string[]
  readonly problems: readonly [broken: number, ambiguous: number, malformed: number, brokenHeadings: number]
}

/** A file's key (≥ 0), or a negative number for a missing target. The number is valid until the next `apply`. */
export type NodeIndex = number

const NOTHING = new Int32Array(0)

/** The link graph of the stored rows, in memory. An update takes time proportional to the change. */
export class Graph {
  readonly #vault: string | undefined
  readonly #ids: FileIds
  readonly #missing = new MissingTargets()
  readonly #rows: (GraphRow | undefined)[] = []
  readonly #in: number[][] = []
  // Typed arrays, because one call may check every node.
  #isListed = new Uint8Array(1024)
  #problemCount = new Int32Array(1024)
  #inDegree = new Int32Array(1024)
  #outDegree = new Int32Array(1024)
  #files = 0

  constructor(vault?: string) {
    this.#vault = vault
    this.#ids = new FileIds(vault)
  }

  get size(): number {
    return this.#rows.length
  }

  get files(): number {
    return this.#files
  }

  row(key: number): GraphRow | undefined {
    return this.#rows[key]
  }

  /** Replaces rows in one step. The files must be distinct. */
  apply(rows: readonly GraphRow[]): void {
    const movedRows = rows.filter((row) => this.#rows[row.key]?.path !== row.path)
    const unlinked = this.#unlink(rows)
    for (const row of movedRows) this.#ids.remove(row.key)
    for (const row of rows) this.#place(row)
    for (const { key, path } of movedRows) if (path !== undefined) this.#ids.add(key, path)
    for (const row of rows) this.#link(row.key)
    this.#missing.release(unlinked)
  }

  #grow(key: number): void {
    while (this.#rows.length <= key) {
      this.#rows.push(undefined)
      this.#in.push([])
    }
    if (this.#isListed.length > key) return
    const length = Math.max(key + 1, this.#isListed.length * 2)
    this.#isListed = enlarged(this.#isListed, new Uint8Array(length))
    this.#problemCount = enlarged(this.#problemCount, new Int32Array(length))
    this.#inDegree = enlarged(this.#inDegree, new Int32Array(length))
    this.#outDegree = enlarged(this.#outDegree, new Int32Array(length))
  }

  #place(row: GraphRow): void {
    this.#grow(row.key)
    if (this.#rows[row.key] !== undefined) this.#files--
    this.#rows[row.key] = row.path === undefined ? undefined : row
    if (row.path !== undefined) this.#files++
    this.#problemCount[row.key] = problemCountOf(row)
    const listedBit = isListedRow(row) ? 1 : 0
    const change = listedBit - (this.#isListed[row.key] ?? 0)
    if (change === 0) return
    this.#isListed[row.key] = listedBit
    // The new rows have no links yet, so `#link` counts them later.
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

  #unlink(rows: readonly GraphRow[]): ReadonlySet<number> {
    const leaving = new Map<number[], number[]>()
    const missing = new Set<number>()
    for (const { key } of rows) {
      const row = this.#rows[key]
      if (row === undefined) continue
      const counts = this.isListedNote(key)
      for (const target of row.targets) {
        withdraw(this.#in[target], key, leaving)
        if (counts && target !== key) add(this.#inDegree, target, -1)
      }
      this.#outDegree[key] = 0
      for (const name of row.missing) {
        const number = this.#missing.numberOf(name)
        missing.add(number)
        withdraw(this.#missing.sources(number), key, leaving)
      }
    }
    for (const [list, keys] of leaving) {
      if (keys.length <= FEW) for (const key of keys) removeOne(list, key)
      else removeAll(list, keys)
    }
    return missing
  }

  /** Returns a snapshot of the keys, sorted by id. */
  order(): readonly number[] {
    return this.#ids.order()
  }

  missing(): readonly NodeIndex[] {
    const entries = this.#missing.numbers().map((number) => ({ node: -number - 1, id: this.id(-number - 1) }))
    return entries.sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id))).map(({ node }) => node)
  }

  /** Returns the folded path without the vault's name. Twins share it. */
  folded(node: NodeIndex): string {
    return node < 0 ? foldId(this.#missing.name(-node - 1)) : this.#ids.folded(node)
  }

  /** Returns the other files with the same folded path, by precedence. */
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

  /** Returns the id of a folded path, even if there is no such node. */
  idOf(folded: string): NodeId {
    return toNodeId(folded, this.#vault)
  }

  title(node: NodeIndex): string {
    return node < 0 ? this.#missing.name(-node - 1) : (this.#rows[node]?.title ?? '')
  }

  kind(node: NodeIndex): NodeKind | undefined {
    return node < 0 ? 'missing' : this.#rows[node]?.kind
  }

  /** Returns true for a listed note. Only such notes appear in lists and paths, and count in degrees. */
  isListedNote(node: NodeIndex): boolean {
    return node >= 0 && this.#isListed[node] === 1
  }

  /** Returns the number of problems. A conflict copy counts as one problem, and excluded files have none. */
  problemCount(key: number): number {
    return this.#problemCount[key] ?? 0
  }

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

  findMissing(name: string): NodeIndex | undefined {
    const number = this.#missing.find(name)
    return number === undefined ? undefined : -number - 1
  }

  /** Returns the keys of linking files in no order, possibly including the node itself. */
  sources(node: NodeIndex): readonly number[] {
    return node < 0 ? this.#missing.sources(-node - 1) : (this.#in[node] ?? [])
  }

  targets(node: NodeIndex): Int32Array {
    return (node < 0 ? undefined : this.#rows[node]?.targets) ?? NOTHING
  }

  linksTo(source: number, target: NodeIndex): boolean {
    return target >= 0 ? this.targets(source).includes(target) : this.sources(target).includes(source)
  }

  missingTargets(key: number): readonly NodeIndex[] {
    return (this.#rows[key]?.missing ?? []).map((name) => -this.#missing.numberOf(name) - 1)
  }

  inDegree(node: NodeIndex): number {
    if (node >= 0) return this.#inDegree[node] ?? 0
    let degree = 0
    for (const source of this.sources(node)) if (this.isListedNote(source)) degree++
    return degree
  }

  outDegree(key: number): number {
    return this.#outDegree[key] ?? 0
  }

  topByInDegree(nodes: Iterable<NodeIndex>, count: number): NodeIndex[] {
    return selectTop(nodes, count, (a, b) => {
      const difference = this.inDegree(a) - this.inDegree(b)
      return difference > 0 || (difference === 0 && this.id(a) < this.id(b))
    })
  }
}

export function isListedRow(row: GraphRow): boolean {
  return row.path !== undefined && row.kind === 'note' && !row.excluded
}

function problemCountOf({ path, excluded, conflict, problems }: GraphRow): number {
  if (path === undefined || excluded) return 0
  return problems.reduce((sum, count) => sum + count, conflict ? 1 : 0)
}

function enlarged<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function add(counts: Int32Array, key: number, by: number): void {
  counts[key] = (counts[key] ?? 0) + by
}

/** A longer list is filtered as a whole, because removing many keys one by one would take quadratic time. */
const SHORT = 64
/** Up to this many keys are removed one by one, even from a long list. */
const FEW = 4

/** Removes a key from a short list, and adds it to `leaving` if the list is long. */
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
  const removed = new Set(keys)
  let keptCount = 0
  for (const key of list) if (!removed.has(key)) list[keptCount++] = key
  list.length = keptCount
}

function removeOne(list: number[], key: number): void {
  const at = list.indexOf(key)
  if (at < 0) return
  const last = list.pop()
  if (at < list.length && last !== undefined) list[at] = last
}

/** Missing targets by folded name, numbered from 0. Numbers are reused, so memory stays bounded. */
class MissingTargets {
  readonly #names: string[] = []
  readonly #sources: number[][] = []
  readonly #byFold = new Map<string, number>()
  readonly #unused: number[] = []

  numberOf(name: string): number {
    const folded = foldId(name)
    const existing = this.#byFold.get(folded)
    if (existing !== undefined) return existing
    const number = this.#unused.pop() ?? this.#names.length
    this.#names[number] = name
    this.#sources[number] = []
    this.#byFold.set(folded, number)
    return number
  }

  release(numbers: Iterable<number>): void {
    for (const number of numbers) {
      const folded = foldId(this.name(number))
      if (this.sources(number).length > 0 || this.#byFold.get(folded) !== number) continue
      this.#byFold.delete(folded)
      this.#names[number] = ''
      this.#unused.push(number)
    }
  }

  find(name: string): number | undefined {
    return this.#byFold.get(foldId(name))
  }

  name(number: number): string {
    return this.#names[number] ?? ''
  }

  sources(number: number): number[] {
    return this.#sources[number] ?? []
  }

  numbers(): readonly number[] {
    return [...this.#byFold.values()]
  }
}
