import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packCoarse, unpackCoarse } from '../../../../src/store/embedded/search/coarse-part.ts'
import { DamagedIndex } from '../../../../src/store/embedded/sqlite.ts'
import { coarsen } from '../../../../src/store/embedded/vectors/packed-vector.ts'
import { drawUnitVector, generator } from '../vectors/draw-vectors.ts'
import { DIMENSIONS, VectorNotes } from './vector-notes.ts'

const PLACE = { embedder: 3, revision: 7 }

/** Each number is the seed of a vector; 0 means a text without a vector. */
const seeds = fc.array(fc.nat(30), { maxLength: 5 })
const shapes = fc.uniqueArray(fc.record({ key: fc.nat(2 ** 31 - 1), chunks: seeds, names: seeds }), {
  selector: ({ key }) => key,
  maxLength: 12,
})

const draw = (seed: number) => (seed === 0 ? new Float32Array(DIMENSIONS) : drawUnitVector(generator(seed), DIMENSIONS))

function notesOf(
  given: readonly { readonly key: number; readonly chunks: readonly number[]; readonly names: readonly number[] }[],
) {
  const notes = new VectorNotes()
  for (const { key, chunks, names } of given) notes.set(key, chunks.map(draw), names.map(draw))
  return [...notes.rows].map(([key, stored]) => ({ key, stored }))
}

describe('vectors of a batch of notes as they are compared', () => {
  test('equal the rounded vectors, without texts that have none, at any byte offset', () => {
    fc.assert(
      fc.property(shapes, fc.nat(16), (given, offset) => {
        const notes = notesOf(given)
        const packed = packCoarse(PLACE, notes, DIMENSIONS)
        const bytes = new Uint8Array(packed.length + offset).subarray(offset)
        bytes.set(packed)
        const read = unpackCoarse(PLACE, bytes)
        expect(read.map(({ key, stamp }) => [key, stamp])).toEqual(notes.map(({ key, stored }) => [key, stored.stamp]))
        for (const [at, { stored }] of notes.entries()) {
          for (const kind of ['chunks', 'names'] as const) {
            const list = read[at]?.[kind]
            const present = stored[kind].flatMap(({ packed: fine }, ordinal) =>
              fine.slice(0, 4).some(Boolean) ? [[ordinal, fine] as const] : [],
            )
            expect(list?.length).toBe(present.length)
            for (const [place, [ordinal, fine]] of present.entries()) {
              const { scale, values } = coarsen(fine, DIMENSIONS)
              expect(list?.ordinal(place)).toBe(ordinal)
              expect(list?.vector(place)).toEqual({ scale: Math.fround(scale), values })
            }
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  test('for another place, truncated or changed are damage', () => {
    const packed = packCoarse(PLACE, notesOf([{ key: 1, chunks: [1, 2], names: [3] }]), DIMENSIONS)
    const damaged: readonly (readonly [typeof PLACE, unknown])[] = [
      [{ ...PLACE, revision: 8 }, packed],
      [{ ...PLACE, embedder: 4 }, packed],
      [PLACE, packed.subarray(0, -1)],
      [PLACE, packed.map((byte, at) => (at === 40 ? byte ^ 1 : byte))],
      [PLACE, 'text'],
      [PLACE, undefined],
    ]
    for (const [place, data] of damaged) expect(() => unpackCoarse(place, data)).toThrow(DamagedIndex)
  })
})

test('a mark distinguishes texts and vectors', () => {
  const [first, second] = unpackCoarse(
    PLACE,
    packCoarse(
      PLACE,
      notesOf([
        { key: 1, chunks: [1, 2, 1], names: [1] },
        { key: 2, chunks: [2], names: [] },
      ]),
      DIMENSIONS,
    ),
  )
  const marks = [0, 1, 2].map((at) => first?.chunks.mark(at))
  expect(marks[2]).toBe(marks[0])
  expect(first?.names.mark(0)).toBe(marks[0])
  expect(second?.chunks.mark(0)).toBe(marks[1])
  expect(marks[1]).not.toBe(marks[0])
})
