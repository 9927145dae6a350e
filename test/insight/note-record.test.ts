import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeRecord, encodeRecord, FLAG_BITS, IS_CLOSED, noteRecord, readWords } from '../../src/insight/note-record.ts'
import { DamagedWords } from '../../src/search/words/index/bytes.ts'
import { soup } from '../markdown/soups.ts'
import { text } from '../search/words/documents.ts'

function recordOf(body: string) {
  return noteRecord({ text: body, bodyStart: 0 })
}

/** Each line with its words, `!` before words that cannot be linked. */
function shown(body: string): readonly string[] {
  const { forms, lines, ends, words } = recordOf(body)
  return [...lines].map((line, n) => {
    const own = [...words.subarray(ends[n - 1] ?? 0, ends[n])]
    return `${line}: ${own.map((word) => `${word & IS_CLOSED ? '!' : ''}${forms[word >>> FLAG_BITS]}`).join(' ')}`
  })
}

const anyText = fc.oneof(text, soup, fc.string({ unit: 'binary' }))

describe('the record of a note', () => {
  test('has the words of each line and marks those that cannot be linked', () => {
    expect(shown('# Roses\n\nWater the *roses*, see [[Garden]].\n```\nwater\n```\n')).toEqual([
      '1: !roses',
      '3: water the roses see !garden',
      '5: !water',
    ])
  })

  test('counts lines from the top of the file and leaves out the frontmatter', () => {
    const file = '---\ntitle: Roses\n---\nWater'
    const { lines, forms } = noteRecord({ text: file, bodyStart: 21 })
    expect([[...lines], forms]).toEqual([[4], ['water']])
  })

  test('leaves out addresses and HTML tags, but keeps link text', () => {
    expect(shown('[Roses](https://example.com/garden) <b class="x">red</b> https://example.com/a')).toEqual(['1: !roses red'])
  })

  test('splits scripts without spaces into pairs of characters', () => {
    expect(shown('知识管理')).toEqual(['1: 知识 识管 管理'])
  })

  test('hashes lines with the same words alike, and other words or another order differently', () => {
    const [a, b, c, d] = recordOf('- [ ] Water the roses\n* water   the ROSES.\nwater the rose\nthe water roses').hashes
    expect(b).toBe(a)
    expect(new Set([a, c, d]).size).toBe(3)
  })

  test('survives encoding and decoding', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        const record = recordOf(body)
        expect(decodeRecord(encodeRecord(record))).toEqual(record)
      }),
      { numRuns: 500 },
    )
  })

  test('has the position of every word in the text', () => {
    fc.assert(
      fc.property(anyText, (body) => {
        const placed: number[] = []
        readWords({ text: body, bodyStart: 0 }, ({ line, start, end }) => {
          expect(body.slice(0, start).split('\n')).toHaveLength(line)
          expect(end).toBeGreaterThan(start)
          placed.push(line)
        })
        const { lines, ends } = recordOf(body)
        expect(placed).toEqual([...lines].flatMap((line, n) => Array(Number(ends[n]) - (ends[n - 1] ?? 0)).fill(line)))
      }),
    )
  })

  test('is rejected if its bytes are damaged, unless they are still a valid record', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(255), (body, at, value) => {
        const bytes = encodeRecord(recordOf(body))
        bytes[at % bytes.length] = value
        try {
          const { forms, words } = decodeRecord(bytes)
          for (const word of words) expect(forms[word >>> FLAG_BITS]).toBeDefined()
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedWords)
        }
      }),
      { numRuns: 500 },
    )
  })
})
