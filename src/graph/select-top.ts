/** If more items are requested, a full sort is faster. */
const MAX_ITEMS = 1_000

export function selectTop<T>(items: Iterable<T>, count: number, comesBefore: (a: T, b: T) => boolean): T[] {
  const best: T[] = []
  if (count <= 0) return best
  if (count > MAX_ITEMS) return [...items].sort((a, b) => (comesBefore(a, b) ? -1 : 1)).slice(0, count)
  for (const item of items) {
    if (best.length >= count && !comesBefore(item, best[best.length - 1] as T)) continue
    let low = 0
    let high = best.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (comesBefore(best[middle] as T, item)) low = middle + 1
      else high = middle
    }
    best.splice(low, 0, item)
    if (best.length > count) best.pop()
  }
  return best
}
