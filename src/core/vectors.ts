/** Unlike `Math.hypot(...values)`, accepts any number of values. */
export function magnitudeOf(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum)
}

export function cosine(a: Float32Array, b: Float32Array): number {
  return dotProduct(a, b) / (magnitudeOf(a) * magnitudeOf(b) || 1)
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
