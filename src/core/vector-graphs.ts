/** Builds vector graphs off the main thread. */
export interface VectorGraphs {
  /** Starts a graph for vectors of this dimension. @throws Error if the addon is not available */
  begin(dimensions: number): Promise<VectorGraphBuilder>
}

/** Builds a graph. Calls must not overlap. */
export interface VectorGraphBuilder {
  /** Adds vectors, or replaces those of existing labels. `vectors` contains them concatenated. Takes ownership of both arrays. */
  add(labels: Uint32Array, vectors: Float32Array): Promise<void>
  delete(labels: Uint32Array): Promise<void>
  write(path: string): Promise<WrittenGraph>
  /** Frees the memory. */
  close(): void
}

/** A graph stored in a file. */
export interface WrittenGraph {
  readonly path: string
  readonly dimensions: number
  /** Number of labels, including deleted ones. */
  readonly count: number
  /** Maximum number of labels. */
  readonly capacity: number
  /** Labels marked as deleted. */
  readonly deleted: readonly number[]
}
