/** Unlike `Math.hypot(...values)`, this function accepts any number of values. */
export function magnitudeOf(values: Iterable<number>): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum)
}

/** Returns the cosine, or 0 if either vector has zero length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return dotProduct(a, b) / (magnitudeOf(a) * magnitudeOf(b) || 1)
}

export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

export interface VectorGraphs {
  /** Begins a graph. @throws Error if the addon is not available */
  begin(dimensions: number): Promise<VectorGraphBuilder>
}

/** Calls must not overlap. */
export interface VectorGraphBuilder {
  /**
   * Adds vectors and replaces existing labels. `vectors` is the concatenation of all vectors. The caller must not use the arrays
   * afterwards.
   */
  add(labels: Uint32Array, vectors: Float32Array): Promise<void>
  delete(labels: Uint32Array): Promise<void>
  write(path: string): Promise<WrittenGraph>
  close(): void
}

export interface WrittenGraph {
  readonly path: string
  readonly dimensions: number
  readonly count: number
  readonly capacity: number
  readonly deleted: readonly number[]
}
