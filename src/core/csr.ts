/** A graph in compressed sparse rows: row `n` is `targets.slice(offsets[n], offsets[n + 1])`. */
export interface Adjacency {
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export function degree({ offsets }: Adjacency, node: number): number {
  return (offsets[node + 1] ?? 0) - (offsets[node] ?? 0)
}

/** Calls `call` for each link, in order. Self-links are skipped. */
export function eachLink({ offsets, targets }: Adjacency, call: (from: number, to: number) => void): void {
  for (let from = 0; from + 1 < offsets.length; from++) {
    for (let at = offsets[from] as number; at < (offsets[from + 1] as number); at++) {
      const to = targets[at] as number
      if (to !== from) call(from, to)
    }
  }
}

/**
 * Returns a graph in which each link appears in the rows of both ends. A neighbor appears once per row, and self-links are
 * dropped.
 */
export function undirected(graph: Adjacency): Adjacency {
  const count = graph.offsets.length - 1
  const starts = new Uint32Array(count + 1)
  eachLink(graph, (from, to) => {
    starts[from + 1]!++
    starts[to + 1]!++
  })
  for (let node = 0; node < count; node++) starts[node + 1]! += starts[node] as number
  const all = new Uint32Array(starts[count] as number)
  const next = starts.slice()
  eachLink(graph, (from, to) => {
    all[next[from]!++] = to
    all[next[to]!++] = from
  })
  const offsets = new Uint32Array(count + 1)
  const seenIn = new Int32Array(count).fill(-1)
  let size = 0
  for (let node = 0; node < count; node++) {
    for (let at = starts[node] as number; at < (starts[node + 1] as number); at++) {
      const other = all[at] as number
      if (seenIn[other] === node) continue
      seenIn[other] = node
      all[size++] = other
    }
    offsets[node + 1] = size
  }
  return { offsets, targets: all.slice(0, size) }
}

/**
 * Groups positions by number. Row `n` lists the positions of `n` among the first `length` numbers, in ascending order. All
 * numbers must be below `count`.
 */
export function placesByNumber(numbers: ArrayLike<number>, count: number, length = numbers.length): Adjacency {
  const offsets = new Uint32Array(count + 1)
  for (let at = 0; at < length; at++) offsets[(numbers[at] as number) + 1]!++
  for (let number = 0; number < count; number++) offsets[number + 1]! += offsets[number] as number
  const next = offsets.slice()
  const targets = new Uint32Array(length)
  for (let at = 0; at < length; at++) targets[next[numbers[at] as number]!++] = at
  return { offsets, targets }
}
