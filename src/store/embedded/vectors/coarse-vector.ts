import { measureUnit, readPacked } from './packed-vector.ts'

/** A vector as it is compared: value = `values` × `scale`. Cosines of it are good to about a hundredth. */
export interface CoarseVector {
  readonly scale: number
  readonly values: Int8Array
}

/** Rounds a packed vector. Throws a `RouxError` when the bytes do not have this dimension and unit length. */
export function coarsen(packed: Uint8Array, dimensions: number): CoarseVector {
  const view = readPacked(packed, dimensions)
  const factor = INT8_PEAK / measureUnit(view)
  const values = new Int8Array(dimensions)
  // Made positive first, cutting rounds, without a branch on the sign.
  for (let i = 0; i < dimensions; i++) values[i] = (((view.values[i] as number) * factor + 128.5) | 0) - 128
  return { scale: view.scale / factor, values }
}

const INT8_PEAK = 127
