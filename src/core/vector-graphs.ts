export interface VectorGraphs {
  /** Starts a graph for vectors of this dimension. @throws Error if the addon is not available */
  begin(dimensions: number): Promise<VectorGraphBuilder>
}

/** Builds a graph. Calls must not overlap. */
export interface VectorGraphBuilder {
  /**
   * Adds vectors, or replaces those of existing labels. `vectors` is their concatenation. The caller must not use the arrays
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
