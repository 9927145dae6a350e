import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'

/** Properties that differ between embedders. */
export interface EmbedderTraits {
  /** The largest distance (1 − cosine) between two vectors of one text; more than rounding if the rest of the batch has an influence. */
  readonly tolerance?: number
  /** Whether it knows meanings, not only spellings. */
  readonly knowsMeanings: boolean
  /** Runs of each property. */
  readonly runs?: number
}

/** The contract of the `Embedder` port. */
export function testEmbedder(name: string, open: () => Promise<Embedder>, traits: EmbedderTraits): void {
  const { tolerance = 1e-6, knowsMeanings, runs = 30 } = traits
  let opened: Embedder[] = []
  const openOne = async () => {
    const embedder = await open()
    opened.push(embedder)
    return embedder
  }
  const embedOne = async (embedder: Embedder, text: string) => (await embedder.embed([text], 'passage'))[0] as Float32Array

  describe(`${name} embedder`, () => {
    afterEach(async () => {
      for (const embedder of opened) await embedder.close()
      opened = []
    })

    test('has an id with kind and dimension, and a batch size', async () => {
      const { id, dimensions, batch } = await openOne()
      expect(id.split(':').length).toBeGreaterThanOrEqual(3)
      expect(id).toContain(`:${dimensions}`)
      expect(Number.isInteger(dimensions) && dimensions > 0).toBe(true)
      expect(Number.isInteger(batch) && batch > 0).toBe(true)
      expect((await openOne()).id).toBe(id)
    })

    test('returns nothing for no texts', async () => {
      expect(await (await openOne()).embed([], 'query')).toEqual([])
    })

    test('returns one unit vector per text in order, independent of the other texts', async () => {
      const embedder = await openOne()
      await fc.assert(
        fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 12 }), async (texts) => {
          const vectors = await embedder.embed(texts, 'passage')
          expect(vectors.length).toBe(texts.length)
          for (const [i, text] of texts.entries()) {
            const vector = vectors[i] as Float32Array
            expect(vector.length).toBe(embedder.dimensions)
            expect(isUnitOrZero(vector)).toBe(true)
            expect(distance(vector, await embedOne(embedder, text))).toBeLessThanOrEqual(tolerance)
          }
        }),
        { numRuns: runs },
      )
    })

    test('returns zeros for a blank text', async () => {
      const vectors = await (await openOne()).embed(['', ' \n\t', 'word'], 'query')
      expect(vectors.map((vector) => vector.every((value) => value === 0))).toEqual([true, true, false])
    })

    test('accepts more texts than its batch size', async () => {
      const embedder = await openOne()
      const texts = Array.from({ length: embedder.batch + 3 }, (_, i) => `text number ${i}`)
      const vectors = await embedder.embed(texts, 'passage')
      expect(vectors.length).toBe(texts.length)
      expect(distance(vectors.at(-1), await embedOne(embedder, texts.at(-1) ?? ''))).toBeLessThanOrEqual(tolerance)
    })

    test('accepts hostile texts: lone surrogates, NUL, combining marks, a long word, emoji', async () => {
      const embedder = await openOne()
      const texts = [
        '\ud800',
        'a\0b',
        `e${'\u0301\u0323'.repeat(5000)}`,
        'x'.repeat(20_000),
        '😀'.repeat(3000),
        '[CLS] [SEP] ##ing',
      ]
      const vectors = await embedder.embed(texts, 'passage')
      expect(vectors.map((vector) => isUnitOrZero(vector))).toEqual(texts.map(() => true))
    })

    test('concurrent calls do not mix', async () => {
      const embedder = await openOne()
      const texts = ['cat', 'a longer sentence about dogs', 'trains']
      const together = await Promise.all(texts.map((text) => embedOne(embedder, text)))
      for (const [i, text] of texts.entries()) {
        expect(distance(together[i], await embedOne(embedder, text))).toBeLessThanOrEqual(tolerance)
      }
    })

    test("an aborted call rejects with the signal's reason, and the next one works", async () => {
      const embedder = await openOne()
      const reason = new Error('no longer wanted')
      await expect(embedder.embed(['word'], 'query', AbortSignal.abort(reason))).rejects.toBe(reason)
      const controller = new AbortController()
      const running = embedder.embed(
        Array(4 * embedder.batch).fill('some words to embed '.repeat(200)),
        'passage',
        controller.signal,
      )
      setTimeout(() => controller.abort(reason), 1)
      await expect(running).rejects.toBe(reason)
      expect(isUnitOrZero(await embedOne(embedder, 'word'))).toBe(true)
    })

    test('a call after closing is an error, closing twice is not', async () => {
      const embedder = await open()
      await embedder.close()
      await embedder.close()
      await expect(embedder.embed(['word'], 'query')).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    })

    test.runIf(knowsMeanings)('similar meanings are nearer than different ones', async () => {
      const embedder = await openOne()
      const near = async (a: string, b: string) => dot(await embedOne(embedder, a), await embedOne(embedder, b))
      expect(await near('a cat sleeps', 'a kitten naps')).toBeGreaterThan(await near('a cat sleeps', 'stock markets fell'))
      expect(await near('how to prune roses', 'cutting back rose bushes')).toBeGreaterThan(
        await near('how to prune roses', 'compiling a kernel module'),
      )
    })
  })
}

export function dot(left: Float32Array, right: Float32Array): number {
  return left.reduce((sum, value, i) => sum + value * (right[i] as number), 0)
}

function isUnitOrZero(vector: Float32Array): boolean {
  const squares = dot(vector, vector)
  return squares === 0 || Math.abs(squares - 1) < 1e-5
}

function distance(left: Float32Array | undefined, right: Float32Array | undefined): number {
  if (left === undefined || right === undefined || left.length !== right.length) return Number.POSITIVE_INFINITY
  const zero = [left, right].filter((vector) => vector.every((value) => value === 0)).length
  return zero === 2 ? 0 : 1 - dot(left, right)
}
