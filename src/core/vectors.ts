/** Returns the length of a vector. Unlike `Math.hypot(...values)`, it accepts any number of values. */
export function magnitudeOf(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum)
}

/** Returns the cosine of the angle between two vectors of the same dimension, or 0 if either has zero length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return dotProduct(a, b) / (magnitudeOf(a) * magnitudeOf(b) || 1)
}

/** Returns the dot product of two vectors of the same dimension. For unit vectors, this is their cosine. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
