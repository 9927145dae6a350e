import { foldId, type NodeId, toNodeId, type VaultPath } from '../core/ids.ts'
import type { NodeKind } from '../core/store.ts'
import { selectTop } from './select-top.ts'

/** What the graph needs to know of one file. `key` is small, dense and stays with the path. */
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
  /** How many links are broken, ambiguous, and parts malformed. */
  readonly problems: readonly [broken: number, ambiguous: number, malformed: number]
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
  readonly #rows: (GraphRow | undefined)[] = []
  readonly #in: number[][] = []
  #inDegree = new Int32Array(1024)
  readonly #byFold = new Map<string, number | number[]>()
  readonly #ids: (NodeId | undefined)[] = []
  readonly #folds: string[] = []
  readonly #missingNames: string[] = []
  readonly #missingSources: number[][] = []
  readonly #missingByFold = new Map<string, number>()
  #order: number[] | undefined
  #files = 0

  constructor(vault?: string) {
    this.#vault = vault
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

  /** Replaces what is known of these files, all at once. */
  apply(rows: readonly GraphRow[]): void {
    const moved = rows.filter((row) => this.#rows[row.key]?.path !== row.path)
    for (const row of rows) this.#unlink(row.key)
    for (const row of moved) this.#unname(row.key)
    for (const row of rows) this.#place(row)
    for (const row of moved) this.#name(row.key)
    for (const row of rows) this.#link(row.key)
    if (moved.length > 0) this.#reorder(moved.map((row) => row.key))
  }

  /** Makes room for a key; links can name one whose own row comes later. */
  #grow(key: number): void {
    while (this.#rows.length <= key) {
      this.#rows.push(undefined)
      this.#in.push([])
      this.#ids.push(undefined)
    }
    if (this.#inDegree.length > key) return
    const grown = new Int32Array(Math.max(key + 1, this.#inDegree.length * 2))
    grown.set(this.#inDegree)
    this.#inDegree = grown
  }

  #place(row: GraphRow): void {
    this.#grow(row.key)
    if (this.#rows[row.key] !== undefined) this.#files--
    this.#rows[row.key] = row.path === undefined ? undefined : row
    if (row.path !== undefined) this.#files++
  }

  #link(key: number): void {
    const row = this.#rows[key]
    if (row === undefined) return
    const counts = isListedNote(row)
    for (const target of row.targets) {
      this.#grow(target)
      this.#in[target]?.push(key)
      if (counts && target !== key) this.#addDegree(target, 1)
    }
    for (const name of row.missing) this.#missingSources[this.#missingNumber(name)]?.push(key)
  }

  #unlink(key: number): void {
    const row = this.#rows[key]
    if (row === undefined) return
    const counts = isListedNote(row)
    for (const target of row.targets) {
      withdraw(this.#in[target], key)
      if (counts && target !== key) this.#addDegree(target, -1)
    }
    for (const name of row.missing) withdraw(this.#missingSources[this.#missingNumber(name)], key)
  }

  #addDegree(key: number, by: number): void {
    this.#inDegree[key] = (this.#inDegree[key] ?? 0) + by
  }

  #missingNumber(name: string): number {
    const folded = foldId(name)
    const known = this.#missingByFold.get(folded)
    if (known !== undefined) return known
    const number = this.#missingNames.length
    this.#missingNames.push(name)
    this.#missingSources.push([])
    this.#missingByFold.set(folded, number)
    return number
  }

  #name(key: number): void {
    const path = this.#rows[key]?.path
    if (path === undefined) return
    const folded = foldId(path)
    this.#folds[key] = folded
    const others = this.#byFold.get(folded)
    if (others === undefined) {
      this.#byFold.set(folded, key)
      this.#ids[key] = toNodeId(folded, this.#vault)
      return
    }
    this.#regroup(folded, [...(typeof others === 'number' ? [others] : others), key])
  }

  #unname(key: number): void {
    const path = this.#rows[key]?.path
    if (path === undefined) return
    const folded = foldId(path)
    const group = this.#byFold.get(folded)
    this.#ids[key] = undefined
    if (typeof group === 'object') {
      this.#regroup(
        folded,
        group.filter((other) => other !== key),
      )
    } else {
      this.#byFold.delete(folded)
    }
  }

  /** Of paths that fold alike the one that is folded already has the plain id, else the first in code-point order. */
  #regroup(folded: string, keys: readonly number[]): void {
    const sorted = [...keys].sort((a, b) => compare(this.#pathOf(a), this.#pathOf(b)))
    const plain = sorted.find((key) => this.#pathOf(key) === folded) ?? sorted[0]
    for (const key of sorted) this.#ids[key] = toNodeId(key === plain ? folded : this.#pathOf(key), this.#vault)
    const group = [...(plain === undefined ? [] : [plain]), ...sorted.filter((key) => key !== plain)]
    if (group.length > 1) this.#byFold.set(folded, group)
    else if (plain !== undefined) this.#byFold.set(folded, plain)
    // Their ids changed, so their places in the order did too.
    this.#order = undefined
  }

  #pathOf(key: number): string {
    return this.#rows[key]?.path ?? ''
  }

  /** Below this share of changed names they are moved one by one; above it sorting anew is faster. */
  #reorder(keys: readonly number[]): void {
    if (this.#order === undefined) return
    if (keys.length > 64) {
      this.#order = undefined
      return
    }
    const changed = new Set(keys)
    const order = this.#order.filter((key) => !changed.has(key))
    for (const key of changed) {
      const id = this.#ids[key]
      if (id === undefined) continue
      let low = 0
      let high = order.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((this.#ids[order[middle] as number] as NodeId) < id) low = middle + 1
        else high = middle
      }
      order.splice(low, 0, key)
    }
    this.#order = order
  }

  /** Keys of all files, by id. */
  order(): readonly number[] {
    if (this.#order === undefined) {
      const keys: number[] = []
      for (let key = 0; key < this.#rows.length; key++) if (this.#rows[key] !== undefined) keys.push(key)
      this.#order = keys.sort((a, b) => compare(this.#ids[a] ?? '', this.#ids[b] ?? ''))
    }
    return this.#order
  }

  /** Missing targets that are still linked to, by id. */
  missing(): readonly NodeIndex[] {
    const numbers: NodeIndex[] = []
    this.#missingSources.forEach((sources, number) => {
      if (sources.length > 0) numbers.push(-number - 1)
    })
    return numbers.sort((a, b) => compare(this.id(a), this.id(b)))
  }

  /** A file's path as ids are folded; of twins the same. */
  folded(key: number): string {
    return this.#folds[key] ?? ''
  }

  /** The other files whose paths fold to the same id, in order of their ids' precedence; empty for most. */
  twins(key: number): readonly number[] {
    const group = this.#byFold.get(this.folded(key))
    return typeof group === 'object' ? group.filter((other) => other !== key) : []
  }

  hasTwins(key: number): boolean {
    return typeof this.#byFold.get(this.folded(key)) === 'object'
  }

  id(node: NodeIndex): NodeId {
    if (node < 0) return toNodeId(foldId(this.#missingNames[-node - 1] ?? ''), this.#vault)
    return this.#ids[node] ?? toNodeId('', this.#vault)
  }

  title(node: NodeIndex): string {
    return node < 0 ? (this.#missingNames[-node - 1] ?? '') : (this.#rows[node]?.title ?? '')
  }

  kind(node: NodeIndex): NodeKind | undefined {
    return node < 0 ? 'missing' : this.#rows[node]?.kind
  }

  /** A note that is not excluded: what lists, degrees and paths are made of. */
  isListedNote(node: NodeIndex): boolean {
    if (node < 0) return false
    const row = this.#rows[node]
    return row !== undefined && isListedNote(row)
  }

  /**
   * The node that an id names: a path spelled exactly so first, then folded, then with `.md` added; missing targets last.
   * With a vault name, ids carry it.
   */
  find(id: string): NodeIndex | undefined {
    const path = this.#withoutVault(id)
    if (path === undefined || path === '') return undefined
    return this.#findFile(path) ?? this.#findFile(`${path}.md`) ?? this.findMissing(path)
  }

  #withoutVault(id: string): string | undefined {
    if (this.#vault === undefined) return id
    return id.startsWith(`${this.#vault}:`) ? id.slice(this.#vault.length + 1) : undefined
  }

  #findFile(path: string): number | undefined {
    const group = this.#byFold.get(foldId(path))
    if (group === undefined || typeof group === 'number') return group
    return group.find((key) => this.#pathOf(key) === path) ?? group[0]
  }

  /** The missing target of this name. */
  findMissing(name: string): NodeIndex | undefined {
    const number = this.#missingByFold.get(foldId(name))
    return number === undefined || this.#missingSources[number]?.length === 0 ? undefined : -number - 1
  }

  /** Keys of the files that link to a node, in no order; itself among them where it links to itself. */
  sources(node: NodeIndex): readonly number[] {
    return (node < 0 ? this.#missingSources[-node - 1] : this.#in[node]) ?? []
  }

  /** What a node links to among the files, in no order. */
  targets(node: NodeIndex): Int32Array {
    return (node < 0 ? undefined : this.#rows[node]?.targets) ?? NOTHING
  }

  linksTo(source: number, target: NodeIndex): boolean {
    return target >= 0 ? this.targets(source).includes(target) : this.sources(target).includes(source)
  }

  /** The missing targets that a file links to. */
  missingTargets(key: number): readonly NodeIndex[] {
    return (this.#rows[key]?.missing ?? []).map((name) => -this.#missingNumber(name) - 1)
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
    let degree = 0
    for (const target of this.targets(key)) if (target !== key && this.isListedNote(target)) degree++
    return degree
  }

  /** The first `count` by in-degree (highest first), then id. */
  topByInDegree(nodes: Iterable<NodeIndex>, count: number): NodeIndex[] {
    return selectTop(nodes, count, (a, b) => {
      const difference = this.inDegree(a) - this.inDegree(b)
      return difference > 0 || (difference === 0 && this.id(a) < this.id(b))
    })
  }
}

function isListedNote(row: GraphRow): boolean {
  return row.kind === 'note' && !row.excluded
}

function withdraw(list: number[] | undefined, key: number): void {
  const at = list?.indexOf(key) ?? -1
  if (list === undefined || at < 0) return
  const last = list.pop()
  if (at < list.length && last !== undefined) list[at] = last
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
