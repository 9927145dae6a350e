/** The length of a vector. Unlike `Math.hypot(...values)` it takes any number of values. */
export function magnitudeOf(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum)
}

/** The cosine of the angle between two vectors of the same dimension; 0 where one of them has no length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return dotProduct(a, b) / (magnitudeOf(a) * magnitudeOf(b) || 1)
}

/** The dot product of two vectors of the same dimension; for unit vectors this is their cosine. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
