import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeTableRoom, type RowSums } from '../../src/embed/row-sums.ts'

test('the committed module that adds up rows is what the script assembles', () => {
  const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))
  const assembled = execFileSync(process.execPath, [path('scripts/assemble-kernel.mjs'), '--print', 'rows'], { encoding: 'utf8' })
  expect(readFileSync(path('src/embed/row-sums-module.ts'), 'utf8')).toBe(assembled)
})

test('rows of a table are added up by SIMD, and by plain code to the same bits', () => {
  const widths = fc.integer({ min: 1, max: 21 }).chain((dimensions) =>
    fc.record({
      dimensions: fc.constant(dimensions),
      columns: fc.integer({ min: 1, max: dimensions }),
      table: fc.array(fc.array(fc.integer({ min: -128, max: 127 }), { minLength: dimensions, maxLength: dimensions }), {
        minLength: 1,
      }),
      factors: fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
    }),
  )
  fc.assert(
    fc.property(widths, ({ dimensions, columns, table, factors }) => {
      const rows = Int32Array.from(factors, (_, at) => (at * 7) % table.length)
      const [simd, plain] = [true, false].map((isSimd) => {
        const sums = sumsOf(table.flat(), { dimensions, columns, isSimd })
        expect(sums.kind).toBe(isSimd ? 'simd' : 'plain')
        return [...sums.of(rows, Float64Array.from(factors), factors.length)]
      })
      expect(simd).toEqual(plain)
    }),
  )
})

test('more rows than one call of the kernel takes are all added up', () => {
  const sums = sumsOf([1, 2, 3], { dimensions: 3, columns: 3, isSimd: true })
  expect([...sums.of(new Int32Array(10_001), new Float64Array(10_001).fill(1), 10_001)]).toEqual([10_001, 20_002, 30_003])
})

function sumsOf(
  weights: readonly number[],
  { dimensions, columns, isSimd }: { readonly dimensions: number; readonly columns: number; readonly isSimd: boolean },
): RowSums {
  const room = makeTableRoom(isSimd)
  const bytes = room.allocate(weights.length)
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  values.set(weights)
  return room.sums(values, { dimensions, columns })
}
