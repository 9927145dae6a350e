import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hunksOf, shownDiff, textAround } from '../../../src/app/write/facts.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'

const LONG = Array.from({ length: 200 }, (_, at) => `Line ${at} of many.\n`).join('')
const around = (change: string) => {
  const start = LONG.indexOf(change)
  return textAround(LONG, 500, { start, end: start + change.length })
}

test('shows a short text whole', () => {
  expect(textAround('One.\nTwo.\n', 500, { start: 5, end: 9 })).toBe('One.\nTwo.\n')
})

test('shows an addition at the end with preceding lines, from the start of a line', () => {
  const shown = around('Line 199 of many.\n')
  expect(shown.startsWith(`${MARKER}\nLine 1`)).toBe(true)
  expect(shown.endsWith('Line 198 of many.\nLine 199 of many.\n')).toBe(true)
  expect(shown.length).toBeLessThanOrEqual(500)
})

test('shows a change in the middle between two markers', () => {
  const shown = around('Line 100 of many.\n')
  expect(shown.startsWith(MARKER) && shown.endsWith(MARKER)).toBe(true)
  expect(shown).toContain('Line 95 of many.\nLine 96')
  expect(shown).toContain('Line 100 of many.\nLine 101 of many.\n')
})

test('shows a change at the beginning from the beginning', () => {
  expect(around('Line 0 of many.\n').startsWith('Line 0 of many.\nLine 1')).toBe(true)
})

test('shows the beginning of a change that does not fit', () => {
  const start = LONG.indexOf('Line 50 ')
  const shown = textAround(LONG, 500, { start, end: LONG.length })
  expect(shown.startsWith(`${MARKER}Line 50 of many.`)).toBe(true)
  expect(shown.endsWith(MARKER)).toBe(true)
})

test('the excerpt is part of the text, within the limit, and contains a change that fits', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', '👨‍👩‍👧', 'z\u0301'), maxLength: 400 })
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(30), (written, at, length) => {
      const start = at % (written.length + 1)
      const end = Math.min(written.length, start + length)
      const shown = textAround(written, 120, { start, end })
      expect(shown.length).toBeLessThanOrEqual(120)
      const inner = shown.replaceAll(MARKER, '')
      expect(written).toContain(inner)
      expect(inner).toContain(written.slice(start, end).trim().slice(0, 20))
      expect(inner.isWellFormed()).toBe(true)
      if (shown.length < written.length) expect(shown).toContain(MARKER)
    }),
  )
})

test('shows a diff of up to sixty lines whole, and counts the remaining lines of a longer one', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `+${at}\n`).join('')
  expect(shownDiff(lines(60))).toBe(lines(60))
  expect(shownDiff(lines(61))).toBe(`${lines(60)}… 1 more line\n`)
  expect(shownDiff(lines(1000))).toBe(`${lines(60)}… 940 more lines\n`)
  expect(shownDiff('')).toBe('')
})

test('hunks are the part of a diff after the file names', () => {
  expect(hunksOf('--- a/a.md\n+++ b/a.md\n@@ -1 +1 @@\n--- x\n+++ y\n')).toBe('@@ -1 +1 @@\n--- x\n+++ y\n')
  expect(hunksOf('The versions differ')).toBe('The versions differ')
})

test('fewer than sixty lines fit when they are long, and the rest is counted', () => {
  const shown = shownDiff(`+${'x'.repeat(5000)}\n`.repeat(60))
  expect(shown.length).toBeLessThan(4_100)
  expect(shown).toMatch(/\n… \d+ more lines\n$/)
})

test('cuts long lines to the part that changed', () => {
  const [before, after] = ['word '.repeat(100), ' word'.repeat(100)]
  const shown = shownDiff(`@@ -1 +1 @@\n ${before}\n-${before}old${after}\n+${before}new${after}\n`)
  const [, context = '', gone = '', come = ''] = shown.split('\n')
  expect(context).toBe(` ${before.slice(0, 99 - MARKER.length)}${MARKER}`)
  expect(gone.startsWith(`-${MARKER}`)).toBe(true)
  expect(gone).toContain('word old word')
  expect(come.startsWith(`+${MARKER}`)).toBe(true)
  expect(come).toContain('word new word')
  expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(201)
})
