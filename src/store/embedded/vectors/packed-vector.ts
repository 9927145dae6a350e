import { endianness } from 'node:os'
import { RouxError } from '../../../core/errors.ts'
import { requireUnitLength, requireVector } from './vector-index.ts'

const INT8_PEAK = 127

/**
 * Packs a vector as a scale (float32) and an int16 per dimension, in little-endian order. Errors are at most 1.6e-5 of the
 * largest component.
 */
export function packVector(vector: Float32Array): Uint8Array<ArrayBuffer> {
  requireVector(vector, vector.length)
  let peak = 0
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i] as number)
    if (size > peak) peak = size
  }
  const packed = new Uint8Array(SCALE_BYTES + 2 * vector.length)
  const view = new DataView(packed.buffer)
  const scale = peak === 0 ? 0 : Math.fround(peak / PEAK)
  view.setFloat32(0, scale, true)
  if (scale === 0) return packed
  const values = new Int16Array(packed.buffer, SCALE_BYTES)
  for (let i = 0; i < vector.length; i++) {
    const value = Math.max(-PEAK, Math.min(PEAK, Math.round((vector[i] as number) / scale)))
    if (LITTLE_ENDIAN) values[i] = value
    else view.setInt16(SCALE_BYTES + 2 * i, value, true)
  }
  return packed
}

/** @throws RouxError if the size does not match */
export function unpackVector(packed: Uint8Array, dimensions: number): Float32Array<ArrayBuffer> {
  const { scale, values } = readPacked(packed, dimensions)
  const vector = new Float32Array(dimensions)
  for (let i = 0; i < dimensions; i++) vector[i] = (values[i] as number) * scale
  return vector
}

/** A packed vector, whose components are `values` × `scale`. */
export interface PackedView {
  readonly scale: number
  readonly values: Int16Array
}

/** Copies only unaligned data. @throws RouxError if the size does not match */
function readPacked(packed: Uint8Array, dimensions: number): PackedView {
  if (packed.length !== SCALE_BYTES + 2 * dimensions) {
    throw new RouxError('INVALID_PARAMS', `A stored vector of ${dimensions} dimensions cannot have ${packed.length} bytes.`, {
      hint: 'It is damaged, or a different model made it. Embed the text again.',
    })
  }
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length)
  const scale = view.getFloat32(0, true)
  if (LITTLE_ENDIAN && packed.byteOffset % 2 === 0) {
    return { scale, values: new Int16Array(packed.buffer, packed.byteOffset + SCALE_BYTES, dimensions) }
  }
  return { scale, values: Int16Array.from({ length: dimensions }, (_, i) => view.getInt16(SCALE_BYTES + 2 * i, true)) }
}

/** Returns the largest absolute value, 1–32768. Throws unless the vector has unit length. */
function measureUnit({ scale, values }: PackedView): number {
  let low = 0
  let high = 0
  let squares = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    squares += value * value
    if (value < low) low = value
    else if (value > high) high = value
  }
  requireUnitLength(Math.sqrt(squares) * scale)
  return Math.max(high, -low)
}

const SCALE_BYTES = 4

const PEAK = 32767

const LITTLE_ENDIAN = endianness() === 'LE'

/** A coarse vector, whose components are `values` × `scale`. Cosines have an error of about 0.01. */
export interface CoarseVector {
  readonly scale: number
  readonly values: Int8Array
}

/** Quantizes a vector. @throws RouxError for a wrong size or a length other than 1 */
export function coarsen(packed: Uint8Array, dimensions: number): CoarseVector {
  const view = readPacked(packed, dimensions)
  const factor = INT8_PEAK / measureUnit(view)
  const values = new Int8Array(dimensions)
  // The offset makes all values positive, so truncation rounds them.
  for (let i = 0; i < dimensions; i++) values[i] = (((view.values[i] as number) * factor + 128.5) | 0) - 128
  return { scale: view.scale / factor, values }
}
