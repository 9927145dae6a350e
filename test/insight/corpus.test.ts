import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Corpus } from '../../src/insight/corpus.ts'
import { FLAG_BITS } from '../../src/insight/note-record.ts'
import { analyze } from '../../src/search/words/scan.ts'
import { type CorpusNote, corpusOf } from './corpora.ts'

/** The terms of a note and their counts. */
function bagOf({ bags, terms }: Corpus, note: number): Readonly<Record<string, number>> {
  const from = bags.offsets[note] as number
  const to = bags.offsets[note + 1] as number
  return Object.fromEntries([...bags.terms.subarray(from, to)].map((term, at) => [terms[term], bags.counts[from + at]]))
}

/** The lines of a note: line number and words. */
function linesOf({ lines, forms }: Corpus, note: number): readonly string[] {
  const shown: string[] = []
  for (let line = lines.offsets[note] as number; line < (lines.offsets[note + 1] as number); line++) {
    const words = lines.words.subarray(line === 0 ? 0 : lines.ends[line - 1], lines.ends[line])
    shown.push(`${lines.numbers[line]}: ${[...words].map((word) => forms[word >>> FLAG_BITS]).join(' ')}`)
  }
  return shown
}

const LINES = ['Water the roses', 'Prune roses in March', 'Bees and honey', 'See also', '# Links', '', '2024 10', '知识管理']
const note = fc.record({
  text: fc.array(fc.constantFrom(...LINES), { maxLength: 6 }).map((lines) => lines.join('\n')),
  names: fc.array(fc.constantFrom('Roses', 'The bees', 'Garden 2024'), { maxLength: 2 }),
})

/** Independently finds the lines of each note that are not boilerplate. */
function ownLines(notes: readonly CorpusNote[]): readonly (readonly { readonly number: number; readonly text: string }[])[] {
  const wordsOf = (text: string): string => formsOf(text).join(' ')
  const having = (text: string): number =>
    notes.filter((each) => each.text.split('\n').some((line) => wordsOf(line) === wordsOf(text))).length
  return notes.map(({ text }) =>
    text
      .split('\n')
      .map((line, at) => ({ number: at + 1, text: line }))
      .filter((line) => wordsOf(line.text) !== '' && having(line.text) < Math.max(3, notes.length / 200)),
  )
}

function formsOf(text: string): readonly string[] {
  return analyze(text).flatMap(({ form, kind }) => (kind === 'word' ? [form] : []))
}

describe('the corpus', () => {
  test('counts the terms of each note, with words of its names twice, without function words and numbers', () => {
    const corpus = corpusOf([{ text: 'Water the rose.\nRoses need water in 2024.', names: ['The garden'] }, { text: 'Roses' }])
    expect([bagOf(corpus, 0), bagOf(corpus, 1)]).toEqual([{ water: 2, rose: 2, need: 1, garden: 2 }, { rose: 1 }])
    expect([...corpus.documents].map((count, term) => [corpus.terms[term], count])).toContainEqual(['rose', 2])
  })

  test('has the stems of the language of the notes, without its function words', () => {
    const [vorlagen = '', rosen = ''] = [
      'Die Vorlagen und eine Vorlage sind nicht das, was ich mit dem Sternbild will.',
      'Die Rosen sind in dem Garten, weil ich sie nicht mit einer Rose vergleichen will.',
    ]
    const corpus = corpusOf([{ text: vorlagen }, { text: rosen }, { text: 'Rosen' }, { text: 'The same roses and a rose.' }])
    expect(bagOf(corpus, 0)).toEqual({ 'vorlag~de': 2, 'sternbild~de': 1 })
    expect(bagOf(corpus, 2)).toEqual({ 'rose~de': 1 })
  })

  test('has one term for a word that notes in several languages contain', () => {
    const corpus = corpusOf([
      { text: 'Ich habe die Dateien mit Obsidian geschrieben und nicht mit einem anderen Programm.' },
      { text: 'I wrote this with Obsidian and not with any other program.' },
    ])
    const shared = Object.keys(bagOf(corpus, 0)).filter((term) => term in bagOf(corpus, 1))
    expect(shared).toEqual([expect.stringMatching(/^obsidia/)])
  })

  test('leaves out lines that three notes share, regardless of formatting', () => {
    const shared = ['- Kind: plant', '* kind: Plant', '**Kind**: plant']
    const corpus = corpusOf(shared.map((line, at) => ({ text: `${line}\nOwn words ${'abc'[at]}x\n` })))
    expect([0, 1, 2].map((at) => linesOf(corpus, at))).toEqual([['2: own words ax'], ['2: own words bx'], ['2: own words cx']])
    expect([...corpus.ownWords]).toEqual([3, 3, 3])
  })

  test('keeps a line that one note repeats', () => {
    expect(linesOf(corpusOf([{ text: 'To do\nTo do\nTo do\nTo do' }]), 0)).toHaveLength(4)
  })

  test('handles no notes, and notes without words', () => {
    expect(corpusOf([]).notes).toBe(0)
    expect([...corpusOf([{ text: '' }, { text: '---' }]).ownWords]).toEqual([0, 0])
  })

  test('contains the non-boilerplate lines of each note, and the terms of these lines and of its names', () => {
    fc.assert(
      fc.property(fc.array(note, { maxLength: 8 }), (notes) => {
        const corpus = corpusOf(notes)
        const expected = ownLines(notes)
        expect(notes.map((_, at) => linesOf(corpus, at))).toEqual(
          expected.map((lines) => lines.map(({ number, text }) => `${number}: ${formsOf(text).join(' ')}`)),
        )
        expect([...corpus.ownWords]).toEqual(expected.map((lines) => lines.flatMap(({ text }) => formsOf(text)).length))
        for (const [at, { names }] of notes.entries()) {
          const named = new Set(
            [...(expected[at] ?? []).map(({ text }) => text), ...(names ?? [])]
              .flatMap((text) => analyze(text))
              .flatMap(({ stem, kind, isStopWord }) => (kind === 'word' && !isStopWord && /\p{L}/u.test(stem) ? [stem] : [])),
          )
          expect(new Set(Object.keys(bagOf(corpus, at)))).toEqual(named)
        }
        for (const [term, count] of corpus.documents.entries()) {
          expect(count).toBe(notes.filter((_, at) => (corpus.terms[term] as string) in bagOf(corpus, at)).length)
        }
      }),
      { numRuns: 300 },
    )
  })
})
