/** Builds graphs of vectors off the main thread. */
export interface VectorGraphs {
  /** Begins a graph of vectors of so many dimensions. @throws Error where there is no addon */
  begin(dimensions: number): Promise<VectorGraphBuilder>
}

/** A graph that is being built; one call at a time. */
export interface VectorGraphBuilder {
  /** Adds or replaces the vectors of labels, one after another in `vectors`; these two are handed over. */
  add(labels: Uint32Array, vectors: Float32Array): Promise<void>
  delete(labels: Uint32Array): Promise<void>
  /** Writes the graph. */
  write(path: string): Promise<WrittenGraph>
  /** Gives the memory back. */
  close(): void
}

/** A graph as it lies in a file. */
export interface WrittenGraph {
  readonly path: string
  readonly dimensions: number
  /** Labels in it, deleted ones too. */
  readonly count: number
  /** Labels there is room for. */
  readonly capacity: number
  /** Labels that are marked as deleted. */
  readonly deleted: readonly number[]
}
