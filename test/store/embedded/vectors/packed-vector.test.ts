import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../../src/core/errors.ts'
import { coarsen, packVector, unpackVector } from '../../../../src/store/embedded/vectors/packed-vector.ts'
import { cosine, drawUnitVector, generator } from './draw-vectors.ts'

const vectors = fc
  .tuple(fc.integer({ min: 1, max: 4096 }), fc.nat())
  .map(([dimensions, seed]) => drawUnitVector(generator(seed), dimensions))

describe('packed vectors', () => {
  test('are a float32 scale and one int16 per dimension, little endian', () => {
    const packed = packVector(Float32Array.of(0.6, -0.8))
    const view = new DataView(packed.buffer)
    expect(packed.length).toBe(8)
    expect(view.getFloat32(0, true)).toBe(Math.fround(Math.fround(0.8) / 32767))
    expect([view.getInt16(4, true), view.getInt16(6, true)]).toEqual([24575, -32767])
  })

  test('change cosines by less than 2e-5, to themselves and to others', () => {
    fc.assert(
      fc.property(vectors, fc.nat(), (vector, seed) => {
        const unpacked = unpackVector(packVector(vector), vector.length)
        const other = drawUnitVector(generator(seed), vector.length)
        expect(1 - cosine(vector, unpacked)).toBeLessThan(2e-5)
        expect(Math.abs(cosine(vector, other) - cosine(unpacked, other))).toBeLessThan(2e-5)
      }),
      { numRuns: 60 },
    )
  })

  test('with one very large value are as precise', () => {
    const spiky = new Float32Array(4096).fill(0.0068)
    spiky[7] = 0.9
    expect(1 - cosine(spiky, unpackVector(packVector(spiky), 4096))).toBeLessThan(2e-5)
  })

  test('packing an unpacked vector gives the same bytes', () => {
    fc.assert(
      fc.property(vectors, (vector) => {
        const packed = packVector(vector)
        expect(packVector(unpackVector(packed, vector.length)).subarray(4)).toEqual(packed.subarray(4))
      }),
      { numRuns: 60 },
    )
  })

  test('may start anywhere in a buffer', () => {
    const vector = drawUnitVector(generator(1), 33)
    const packed = packVector(vector)
    for (const offset of [0, 1, 2, 3]) {
      const buffer = new Uint8Array(packed.length + 8)
      buffer.set(packed, offset)
      expect(unpackVector(buffer.subarray(offset, offset + packed.length), 33)).toEqual(unpackVector(packed, 33))
    }
  })

  test('zeros stay zeros', () => {
    expect(unpackVector(packVector(new Float32Array(5)), 5)).toEqual(new Float32Array(5))
  })

  test.each([0, 3, 67, 69, 100])('rejects %i bytes for 32 dimensions', (bytes) => {
    expect(() => unpackVector(new Uint8Array(bytes), 32)).toThrow(RouxError)
  })

  test('rejects values that are not finite, and other lists', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => packVector(Float32Array.of(1, value))).toThrow(RouxError)
    }
    expect(() => packVector([0.6, 0.8] as unknown as Float32Array)).toThrow(RouxError)
  })

  test.each([0, 2])('cannot be rounded if the length is %i', (length) => {
    expect(() => coarsen(packVector(Float32Array.of(0.6 * length, 0.8 * length)), 2)).toThrow(RouxError)
  })
})
