import { expect, test } from 'vitest'
import { IS_NAMED } from '../../src/core/insight/link-suggestions.ts'
import { CorpusBuilder } from '../../src/insight/corpus.ts'
import { findDuplicates } from '../../src/insight/duplicates.ts'
import { suggestLinks } from '../../src/insight/link-suggestions.ts'
import { singularOf, splitName } from '../../src/insight/mentions.ts'
import { noteRecord } from '../../src/insight/note-record.ts'
import { placeNames } from '../../src/insight/place-names.ts'

type Vault = Readonly<Record<string, string>>

function corpusOf(vault: Vault) {
  const builder = new CorpusBuilder()
  for (const [name, text] of Object.entries(vault)) builder.add(noteRecord({ text, bodyStart: 0 }), [name])
  return builder.build()
}

/** What each note is told to link by name, as `from > to: line`. */
function named(vault: Vault, linked: readonly (readonly [string, string])[] = []): readonly string[] {
  const names = Object.keys(vault)
  const lists = names.map((name) =>
    linked
      .filter(([from]) => from === name)
      .map(([, to]) => names.indexOf(to))
      .sort((a, b) => a - b),
  )
  const offsets = new Uint32Array(names.length + 1)
  for (const [note, list] of lists.entries()) offsets[note + 1] = (offsets[note] as number) + list.length
  const links = { offsets, targets: Uint32Array.from(lists.flat()) }
  const found = suggestLinks({
    corpus: corpusOf(vault),
    names: names.map((name) => [name]),
    folders: new Uint32Array(names.length),
    links,
  })
  return names.flatMap((name, note) => {
    const places = Array.from(
      { length: (found.offsets[note + 1] as number) - (found.offsets[note] as number) },
      (_, at) => (found.offsets[note] as number) + at,
    )
    const open = places.filter((at) => ((found.reasons[at] as number) & IS_NAMED) !== 0)
    return open.map((at) => `${name} > ${names[found.targets[at] as number]}: ${found.lines[at]}`)
  })
}

test('a name in the text is suggested with its line, in the plural too', () => {
  expect(named({ Garden: '# Plan\n\nPut roses there.\n', Rose: 'A thorny bush.\n' })).toEqual(['Garden > Rose: 3'])
})

test('a name is not suggested where no link can be put, nor where it is linked, nor in its own note', () => {
  const vault = { Garden: '# Rose\n\n`Rose` and [[Rose]]\n\n> Rose\n', Rose: 'The Rose is a Rose.\n' }
  expect(named(vault)).toEqual([])
  expect(named({ Garden: 'A Rose.\n', Rose: 'A bush.\n' }, [['Garden', 'Rose']])).toEqual([])
})

test('the longest name at a place is the one that is meant', () => {
  const vault = { Home: 'Graph theory is fun.\n', Graph: 'Nodes.\n', 'Graph theory': 'Proofs.\n' }
  expect(named(vault)).toEqual(['Home > Graph theory: 1'])
})

test('names of one letter and of function words only are never looked for', () => {
  expect(named({ Home: 'A plan to do and to be.\n', a: 'One.\n', 'To do': 'Two.\n', And: 'Three.\n' })).toEqual([])
  expect(splitName('书').forms).toEqual([])
})

test('a name in a script without spaces is found within a sentence', () => {
  expect(named({ 首页: '我喜欢知识管理这个主题。\n', 知识管理: '卡片。\n' })).toEqual(['首页 > 知识管理: 1'])
})

test.each([
  ['settings', 'setting'],
  ['set', 'set'],
  ['queries', 'query'],
  ['boxes', 'box'],
  ['glass', 'glass'],
  ['happiness', 'happiness'],
  ['gas', 'gas'],
])('the singular of %s is %s', (form, singular) => expect(singularOf(form)).toBe(singular))

test.each([
  ['no notes', {}],
  ['one note', { Only: 'Only words.\n' }],
  ['notes without words', { A1: '', B1: '' }],
  [
    'notes that are all equal',
    Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`Copy ${n}`, 'The same words in each of them.\n'])),
  ],
])('%s give finite scores and no suggestion of a note for itself', (_, vault) => {
  expect(named(vault).filter((line) => /^(.*) > \1:/.test(line))).toEqual([])
})

test('suggestions of a vault where one note links all others stay finite', () => {
  const names = Array.from({ length: 60 }, (_, n) => `Topic ${n}`)
  const vault = {
    Index: 'All.\n',
    ...Object.fromEntries(names.map((name, n) => [name, `Words about ${n} and Topic ${(n + 1) % 60}.\n`])),
  }
  const found = named(
    vault,
    names.map((name) => ['Index', name] as const),
  )
  expect(found).toContain('Topic 3 > Topic 4: 1')
})

test('a place is not told where markup would be torn apart', () => {
  const wanted = [{ names: ['Select Sync'], line: 1 }]
  expect(placeNames({ text: 'Now select **Sync** there.\n', bodyStart: 0 }, wanted)).toEqual([undefined])
  expect(placeNames({ text: '\nNow select sync there.\n', bodyStart: 0 }, wanted)).toEqual([{ line: 2, start: 5, end: 16 }])
})

test('two notes that say the same are found with their equal lines, and neighbours are not', () => {
  const lines = Array.from(
    { length: 12 },
    (_, n) => `Sentence number ${'abcdefghijkl'[n]}${n} about bees and honey in hive ${n}.`,
  )
  const vault = {
    First: `${lines.join('\n')}\n`,
    Second: `Another start here.\n${lines.join('\n')}\n`,
    Third: 'Bees and honey in the hive are sweet things that we like to eat in the morning.\n',
  }
  const [pair, ...others] = findDuplicates(corpusOf(vault))
  expect(others).toEqual([])
  expect(pair).toMatchObject({ notes: [0, 1], equalLines: 12 })
  expect(pair?.lines[0]).toEqual([1, 2])
})
