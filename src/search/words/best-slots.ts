/** The order of results: higher scores first, of equal ones smaller keys. */
export interface SlotOrder {
  readonly scores: Float32Array
  readonly keys: Uint32Array
}

/** The `limit` best slots, best first; a binary heap with the worst of them on top. */
export function bestSlots(slots: Iterable<number>, limit: number, { scores, keys }: SlotOrder): readonly number[] {
  const isWorse = (a: number, b: number): boolean => {
    const difference = (scores[a] as number) - (scores[b] as number)
    return difference === 0 ? (keys[a] as number) > (keys[b] as number) : difference < 0
  }
  const heap: number[] = []
  /** Most slots are told by their scores alone. */
  let least = Number.NEGATIVE_INFINITY
  for (const slot of slots) {
    if ((scores[slot] as number) < least) continue
    if (heap.length < limit) raise(heap, slot, isWorse)
    else if (limit > 0 && isWorse(heap[0] as number, slot)) sink(heap, slot, isWorse)
    if (heap.length === limit && limit > 0) least = scores[heap[0] as number] as number
  }
  return heap.sort((a, b) => (isWorse(a, b) ? 1 : -1))
}

type IsWorse = (a: number, b: number) => boolean

/** Adds a slot at the bottom. */
function raise(heap: number[], slot: number, isWorse: IsWorse): void {
  let at = heap.length
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isWorse(slot, heap[parent] as number)) break
    heap[at] = heap[parent] as number
    at = parent
  }
  heap[at] = slot
}

/** Replaces the top. */
function sink(heap: number[], slot: number, isWorse: IsWorse): void {
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isWorse(heap[child + 1] as number, heap[child] as number)) child++
    if (!isWorse(heap[child] as number, slot)) break
    heap[at] = heap[child] as number
    at = child
  }
  heap[at] = slot
}
