import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRowTable, type RowTable } from '../../src/embed/row-sums.ts'

test('the committed module that adds rows is what the script assembles', () => {
  const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url))
  const assembled = execFileSync(process.execPath, [path('scripts/assemble-kernel.mjs'), '--print', 'rows'], { encoding: 'utf8' })
  expect(readFileSync(path('src/embed/row-sums-module.ts'), 'utf8')).toBe(assembled)
})

test('SIMD and plain code add rows of a table to the same bits', () => {
  const widths = fc.integer({ min: 1, max: 21 }).chain((columns) =>
    fc.record({
      columns: fc.constant(columns),
      table: fc.array(fc.array(fc.integer({ min: -128, max: 127 }), { minLength: columns, maxLength: columns }), {
        minLength: 1,
      }),
      factors: fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 })),
    }),
  )
  fc.assert(
    fc.property(widths, ({ columns, table, factors }) => {
      const rows = Int32Array.from(factors, (_, at) => (at * 7) % table.length)
      const [simd, plain] = [true, false].map((isSimd) => {
        const loaded = tableOf(table.flat(), columns, isSimd)
        expect(loaded.kind).toBe(isSimd ? 'simd' : 'plain')
        return [...loaded.sum(rows, Float64Array.from(factors), factors.length)]
      })
      expect(simd).toEqual(plain)
    }),
  )
})

test('adds more rows than one call of the kernel takes', () => {
  const table = tableOf([1, 2, 3], 3, true)
  expect([...table.sum(new Int32Array(10_001), new Float64Array(10_001).fill(1), 10_001)]).toEqual([10_001, 20_002, 30_003])
})

function tableOf(weights: readonly number[], columns: number, isSimd: boolean): RowTable {
  const table = createRowTable(weights.length / columns, columns, isSimd)
  table.weights.set(weights)
  return table
}
