/** The adjusted Rand index of two partitions of the same nodes (Hubert, Arabie 1985): 1 if equal, about 0 by chance. */
export function adjustedRand(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const cells = new Map<string, number>()
  const rows = new Map<number, number>()
  const columns = new Map<number, number>()
  const count = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (let node = 0; node < a.length; node++) {
    count(rows, a[node] as number)
    count(columns, b[node] as number)
    count(cells, `${a[node]} ${b[node]}`)
  }
  const pairs = (counts: ReadonlyMap<unknown, number>) => [...counts.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0)
  const expected = (pairs(rows) * pairs(columns)) / ((a.length * (a.length - 1)) / 2)
  const most = (pairs(rows) + pairs(columns)) / 2
  return most === expected ? 1 : (pairs(cells) - expected) / (most - expected)
}
