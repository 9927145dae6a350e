import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Nearest, NO_NOTE } from '../../src/core/insight/insight.ts'
import { nearestNotes } from '../../src/insight/nearest.ts'
import { corpusOf } from './corpora.ts'

function nearestOf(texts: readonly string[]): Nearest {
  return nearestNotes(corpusOf(texts.map((text) => ({ text }))))
}

function neighborsOf(
  { kept, notes, scores }: Nearest,
  note: number,
): readonly { readonly note: number; readonly score: number }[] {
  const from = note * kept
  return [...notes.subarray(from, from + kept)].flatMap((other, at) =>
    other === NO_NOTE ? [] : [{ note: other, score: scores[from + at] as number }],
  )
}

const WORDS = ['rose', 'bee', 'honey', 'water', 'prune', 'march', 'compost', 'seed', 'frost', 'ladder']
const sentence = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((words) => words.join(' '))

describe('the nearest notes', () => {
  test('share words that few notes have', () => {
    const nearest = nearestOf([
      'plugin that grafts roses onto rootstock',
      'plugin that opens files in tabs',
      'grafting roses in spring',
      'plugin that sorts bookmarks',
      'plugin that counts words',
    ])
    expect(neighborsOf(nearest, 0)[0]?.note).toBe(2)
  })

  test('score lower for three common words than for thirty', () => {
    const long = Array.from({ length: 30 }, (_, at) => `word${'abcdefghijklmnopqrstuvwxyzäöüß'[at]}`).join(' ')
    const nearest = nearestOf([long, `${long}.`, 'rose bee honey', 'honey rose bee', 'something else altogether'])
    const [same] = neighborsOf(nearest, 0)
    const [short] = neighborsOf(nearest, 2)
    expect([same?.note, short?.note]).toEqual([1, 3])
    expect(short?.score).toBeLessThan((same?.score ?? 0) / 1.5)
    expect(same?.score).toBeLessThan(1)
  })

  test('do not exist if nothing is shared, or without notes', () => {
    expect(neighborsOf(nearestOf(['rose', 'bee', '']), 0)).toEqual([])
    expect(nearestOf([]).notes).toHaveLength(0)
  })

  test('are other notes, best first, with symmetric scores from 0 to 1', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 9 }), (texts) => {
        const nearest = nearestOf(texts)
        for (const note of texts.keys()) {
          const found = neighborsOf(nearest, note)
          const scores = found.map(({ score }) => score)
          expect(scores).toEqual(scores.toSorted((a, b) => b - a))
          expect(new Set([note, ...found.map((each) => each.note)]).size).toBe(found.length + 1)
          for (const { note: other, score } of found) {
            expect(score > 0 && score < 1).toBe(true)
            const back = neighborsOf(nearest, other).find((each) => each.note === note)
            if (back !== undefined) expect(back.score).toBe(score)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
