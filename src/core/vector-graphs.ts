export interface VectorGraphs {
  /** @throws Error if the addon is not available */
  begin(dimensions: number): Promise<VectorGraphBuilder>
}

/** Calls must not overlap. */
export interface VectorGraphBuilder {
  /** Replaces existing labels. `vectors` is the concatenation of all vectors. The caller must not use the arrays afterwards. */
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
