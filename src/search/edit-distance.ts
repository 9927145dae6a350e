/**
 * How many letters must be put in, left out, changed or swapped with their neighbour to make one text of the other (optimal string
 * alignment distance); `undefined` when more than `most`. Time grows with `most` times the length.
 */
export function editDistance(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row: number[] = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isFar = Math.abs(i - j) > most
      const cost = isFar ? most + 1 : step({ a, b, i, j }, { beforeLast, last, row })
      row.push(cost)
      least = Math.min(least, cost)
    }
    if (least > most) return undefined
    beforeLast = last
    last = row
  }
  const distance = last[b.length] ?? 0
  return distance > most ? undefined : distance
}

interface Rows {
  readonly beforeLast: readonly number[]
  readonly last: readonly number[]
  readonly row: readonly number[]
}

function step(
  { a, b, i, j }: { readonly a: string; readonly b: string; readonly i: number; readonly j: number },
  { beforeLast, last, row }: Rows,
): number {
  const isSame = a[i - 1] === b[j - 1]
  const cost = Math.min((last[j - 1] ?? 0) + (isSame ? 0 : 1), (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
  const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
  return isSwapped ? Math.min(cost, (beforeLast[j - 2] ?? 0) + 1) : cost
}
