/** Links from number to number: node `n` has the stretch from `offsets[n]` to `offsets[n + 1]` of `targets`. */
export interface LinkLists {
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

/** For each node the nodes that it is linked with, in either direction, ascending, each once. */
export function undirected({ offsets, targets }: LinkLists): LinkLists {
  const nodes = offsets.length - 1
  const counts = new Uint32Array(nodes + 1)
  const eachEnd = (use: (node: number, other: number) => void): void => {
    for (let node = 0; node < nodes; node++) {
      for (let at = offsets[node] as number; at < (offsets[node + 1] as number); at++) {
        const other = targets[at] as number
        if (other === node) continue
        use(node, other)
        use(other, node)
      }
    }
  }
  eachEnd((node) => {
    counts[node + 1] = (counts[node + 1] as number) + 1
  })
  for (let node = 0; node < nodes; node++) counts[node + 1] = (counts[node + 1] as number) + (counts[node] as number)
  const next = counts.slice()
  const all = new Uint32Array(counts[nodes] as number)
  eachEnd((node, other) => {
    const place = next[node] as number
    all[place] = other
    next[node] = place + 1
  })
  const found = { offsets: new Uint32Array(nodes + 1), targets: all }
  let end = 0
  for (let node = 0; node < nodes; node++) {
    let last = -1
    for (const other of all.slice(counts[node], counts[node + 1]).sort()) {
      if (other !== last) all[end++] = other
      last = other
    }
    found.offsets[node + 1] = end
  }
  return { offsets: found.offsets, targets: all.slice(0, end) }
}

/** The chance that a walk ends at each step. */
const STOP = 0.15
/** A smaller remainder at a node is dropped, which bounds the number of links walked per note. */
const LEAST = 1e-4

/**
 * How often a random walk with restarts visits other nodes: personalised PageRank by pushing remainders until they are
 * small (R. Andersen, F. Chung and K. Lang, 2006).
 */
export class Walker {
  readonly #links: LinkLists
  readonly #visits: Float64Array
  readonly #left: Float64Array
  readonly #met: number[] = []

  constructor(links: LinkLists) {
    this.#links = links
    this.#visits = new Float64Array(links.offsets.length - 1)
    this.#left = new Float64Array(links.offsets.length - 1)
  }

  /** The nodes met, in order; the next walk reuses the list. */
  from(start: number): readonly number[] {
    const { offsets, targets } = this.#links
    for (const node of this.#met) {
      this.#visits[node] = 0
      this.#left[node] = 0
    }
    this.#met.length = 0
    this.#met.push(start)
    this.#left[start] = 1
    const queue = [start]
    for (let head = 0; head < queue.length; head++) {
      const node = queue[head] as number
      const rest = this.#left[node] as number
      this.#left[node] = 0
      this.#visits[node] = (this.#visits[node] as number) + STOP * rest
      const from = offsets[node] as number
      const to = offsets[node + 1] as number
      const share = ((1 - STOP) * rest) / (to - from)
      for (let at = from; at < to; at++) this.#give(targets[at] as number, share, queue)
    }
    return this.#met
  }

  #give(node: number, share: number, queue: number[]): void {
    const { offsets } = this.#links
    const before = this.#left[node] as number
    if (before === 0 && this.#visits[node] === 0) this.#met.push(node)
    const after = before + share
    this.#left[node] = after
    const least = LEAST * ((offsets[node + 1] as number) - (offsets[node] as number))
    if (before < least && after >= least) queue.push(node)
  }

  /** How often the last walk visited a node. */
  visits(node: number): number {
    return (this.#visits[node] as number) + STOP * (this.#left[node] as number)
  }
}
