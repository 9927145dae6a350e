/** The part of `hnswlib-node` 3 that we use. It checks little and aborts the process on much: only `HnswGraph` may call it. */
export interface HnswAddon {
  readonly HierarchicalNSW: new (space: 'ip', dimensions: number) => NativeGraph
}

export interface NativeGraph {
  initIndex(settings: { readonly maxElements: number; readonly m: number; readonly efConstruction: number }): void
  resizeIndex(maxElements: number): void
  addPoint(vector: readonly number[], label: number): void
  markDelete(label: number): void
  searchKnn(query: readonly number[], count: number): { readonly neighbors: readonly number[] }
  getIdsList(): readonly number[]
  setEf(ef: number): void
  readIndex(path: string): Promise<boolean>
  writeIndex(path: string): Promise<boolean>
}

export type LoadedAddon =
  | { readonly addon: HnswAddon; readonly reason?: undefined }
  | { readonly addon: undefined; readonly reason: string }

/** Loads the optional addon; where it is missing, not compiled or made for another Node, says why. Never throws. */
export async function loadHnswAddon(module = 'hnswlib-node'): Promise<LoadedAddon> {
  try {
    const { default: addon } = (await import(module)) as { readonly default?: Partial<HnswAddon> }
    if (typeof addon?.HierarchicalNSW === 'function') return { addon: addon as HnswAddon }
    return { addon: undefined, reason: `${module} has no HierarchicalNSW: install version 3.` }
  } catch (error) {
    const [line] = String(error instanceof Error ? error.message : error).split('\n')
    return { addon: undefined, reason: `${module} cannot be loaded (${line}). Vectors are found by the exact scan.` }
  }
}
