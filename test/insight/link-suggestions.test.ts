import fc from 'fast-check'
import { expect, test } from 'vitest'
import { IS_NAMED } from '../../src/core/insight/insight.ts'
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

type Linked = readonly (readonly [string, string])[]

/** The suggestions for each note, best first; `folderOf` numbers the folders. */
function suggested(vault: Vault, linked: Linked = [], folderOf: (name: string) => number = () => 0) {
  const names = Object.keys(vault)
  const lists = names.map((name) =>
    [...new Set(linked.filter(([from]) => from === name).map(([, to]) => names.indexOf(to)))].sort((a, b) => a - b),
  )
  const offsets = new Uint32Array(names.length + 1)
  for (const [note, list] of lists.entries()) offsets[note + 1] = (offsets[note] as number) + list.length
  const found = suggestLinks({
    corpus: corpusOf(vault),
    names: names.map((name) => [name]),
    folders: Uint32Array.from(names, folderOf),
    links: { offsets, targets: Uint32Array.from(lists.flat()) },
  })
  return names.flatMap((from, note) =>
    Array.from({ length: (found.offsets[note + 1] as number) - (found.offsets[note] as number) }, (_, place) => {
      const at = (found.offsets[note] as number) + place
      return {
        from,
        to: names[found.targets[at] as number] as string,
        score: found.scores[at] as number,
        line: found.lines[at] as number,
        isNamed: ((found.reasons[at] as number) & IS_NAMED) !== 0,
      }
    }),
  )
}

/** The link suggestions by name, as `from > to: line`. */
function named(vault: Vault, linked: Linked = []): readonly string[] {
  return suggested(vault, linked).flatMap(({ from, to, line, isNamed }) => (isNamed ? [`${from} > ${to}: ${line}`] : []))
}

test('suggests a name in the text with its line, also in the plural', () => {
  expect(named({ Garden: '# Plan\n\nPut roses there.\n', Rose: 'A thorny bush.\n' })).toEqual(['Garden > Rose: 3'])
})

test('does not suggest a name that cannot be linked, is already linked, or is in the note of that name', () => {
  const vault = { Garden: '# Rose\n\n`Rose` and [[Rose]]\n\n> Rose\n', Rose: 'The Rose is a Rose.\n' }
  expect(named(vault)).toEqual([])
  expect(named({ Garden: 'A Rose.\n', Rose: 'A bush.\n' }, [['Garden', 'Rose']])).toEqual([])
})

test('prefers the longest name at a place', () => {
  const vault = { Home: 'Graph theory is fun.\n', Graph: 'Nodes.\n', 'Graph theory': 'Proofs.\n' }
  expect(named(vault)).toEqual(['Home > Graph theory: 1'])
})

test('ignores names that are one letter or only function words', () => {
  expect(named({ Home: 'A plan to do and to be.\n', a: 'One.\n', 'To do': 'Two.\n', And: 'Three.\n' })).toEqual([])
  expect(splitName('书')).toEqual([])
})

test('ignores names of function words in the language of the notes', () => {
  const vault = { Start: 'Die Katze und der Hund sind nicht im Haus, weil sie das nicht wollen.\n', Und: 'Das ist ein Wort.\n' }
  expect(named(vault)).toEqual([])
})

test('finds a name in a script without spaces within a sentence', () => {
  expect(named({ 首页: '我喜欢知识管理这个主题。\n', 知识管理: '卡片。\n' })).toEqual(['首页 > 知识管理: 1'])
})

test('takes no German word for the plural of another', () => {
  const text = 'Der Kurs ist nicht am Montag, sondern am Freitag, weil ich das so will.\n'
  expect(named({ Plan: text, Kur: 'Eine Kur ist das, was mir die Ärztin nach der Operation verschrieben hat.\n' })).toEqual([])
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
  ['recettes', 'fr', 'recette'],
  ['recherches', 'fr', 'recherche'],
  ['kurs', 'de', 'kurs'],
  ['queries', 'nl', 'queries'],
])('the singular of %s in %s is %s', (form, language, singular) => expect(singularOf(form, language)).toBe(singular))

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

test('scores stay finite when one note links to all others', () => {
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

test('an index note is suggested the one note of its folder that it lacks, without any other evidence', () => {
  const species = ['ash', 'beech', 'cedar', 'elm', 'fir', 'larch', 'maple', 'oak', 'pine', 'yew']
  const vault = { Index: 'Here.\n', Tools: 'Saws.\n', ...Object.fromEntries(species.map((tree) => [tree, `${tree}wood.\n`])) }
  const linked = species.filter((tree) => tree !== 'larch').map((tree) => ['Index', tree] as const)
  const found = suggested(vault, linked, (name) => (species.includes(name) ? 1 : 0))
  expect(found.filter(({ from }) => from === 'Index').map(({ to }) => to)).toEqual(['larch'])
})

test('among equally similar notes, first suggests the one whose own best match is this note', () => {
  const crowd = ['crab', 'gull', 'seal', 'tern']
  const vault = {
    Here: 'Quartz lantern.\n',
    // Four other notes match the remaining words of this note better.
    Busy: 'Quartz harbour ferry island.\n',
    Quiet: 'Lantern velvet thimble bobbin.\n',
    ...Object.fromEntries(crowd.map((name) => [name, `Harbour ferry island ${name}.\n`])),
    ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`Note ${n}`, 'Another.\n'.repeat(n % 2)])),
  }
  const found = suggested(vault).filter(({ from }) => from === 'Here')
  expect(found.slice(0, 2).map(({ to }) => to)).toEqual(['Quiet', 'Busy'])
})

test('prefers a note of the same folder over one with the same text elsewhere', () => {
  const vault = { Here: 'Quartz lantern.\n', Far: 'A quartz lantern.\n', Near: 'One quartz lantern.\n' }
  const found = suggested(vault, [], (name) => (name === 'Far' ? 1 : 0)).filter(({ from }) => from === 'Here')
  expect(found.map(({ to }) => to)).toEqual(['Near', 'Far'])
})

const WORDS = ['rose', 'bee', 'honey', 'water', 'prune', 'march', 'compost', 'seed', 'frost', 'ladder']

test('for any words, links and folders, suggests only unlinked notes, each once, best first', () => {
  const note = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 })
  fc.assert(
    fc.property(
      fc.array(note, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 40 }),
      fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
      (texts, pairs, folders) => {
        const names = texts.map((_, at) => `${WORDS[at % WORDS.length]} ${at}`)
        const vault = Object.fromEntries(names.map((name, at) => [name, `${texts[at]?.join(' ')}.\n`]))
        const linked = pairs.flatMap(([from, to]) => {
          const pair = [names[from], names[to]] as const
          return from !== to && pair[0] !== undefined && pair[1] !== undefined ? [[pair[0], pair[1]] as const] : []
        })
        const found = suggested(vault, linked, (name) => folders[names.indexOf(name)] as number)
        const suggestions = found.map(({ from, to }) => `${from} > ${to}`)
        const never = [...linked.map(([from, to]) => `${from} > ${to}`), ...names.map((name) => `${name} > ${name}`)]
        expect(suggestions.filter((one) => never.includes(one))).toEqual([])
        expect(new Set(suggestions).size).toBe(suggestions.length)
        for (const [at, { from, score }] of found.entries()) {
          expect(score > 0 && score < 1).toBe(true)
          const before = found[at - 1]
          if (before?.from === from) expect(before.score).toBeGreaterThanOrEqual(score)
        }
      },
    ),
  )
})

test('no place would break markup', () => {
  const mentions = [{ names: ['Select Sync'], line: 1 }]
  expect(placeNames({ text: 'Now select **Sync** there.\n', bodyStart: 0 }, mentions)).toEqual([undefined])
  expect(placeNames({ text: '\nNow select sync there.\n', bodyStart: 0 }, mentions)).toEqual([{ line: 2, start: 5, end: 16 }])
})

test.each([
  ['GTD (method)', 'I use GTD (method), again.', 'GTD (method)'],
  ['GTD (method)', 'I use the GTD method again.', 'GTD method'],
  ['🍞 Bread?', 'Some 🍞 bread? or not', '🍞 bread?'],
  ['C++', 'the C++ here', 'C++'],
  ['Bread*', 'some bread* here', 'bread'],
  ['GTD (method)', 'See (GTD method) today', 'GTD method'],
  ['Foo (bar)', 'As I said (the Foo bar).', 'Foo bar'],
  ['"Foo" bar', 'He said "Foo bar" twice', 'Foo bar'],
  ['Well-Known (x)', 'a well known (x) here', 'well known (x)'],
  ['Foo,', 'a list: Foo, Bar', 'Foo'],
])('a place of %j includes the marks around it that the text has', (name, text, expected) => {
  const [place] = placeNames({ text, bodyStart: 0 }, [{ names: [name], line: 1 }])
  expect(text.slice(place?.start, place?.end)).toBe(expected)
})

test.each([
  ['Foo (bar)', 'A Foo (bar baz) here, and a Foo bar too.', 'Foo bar'],
  ['Foo bar', 'A Foo (bar baz) here.', undefined],
  ['Foo (bar)', 'A Foo (bar baz) here.', undefined],
  ['foo bar', 'He said: "Foo" bar, and "Oh foo" bar.', undefined],
  ['foo bar', 'The foo (a) bar, the foo "a" bar and the foo bar.', 'foo bar'],
  ['foo a bar', 'The foo (a) bar.', 'foo (a) bar'],
  ['Foo (bar)', 'Ein „Foo“ (bar) hier.', undefined],
  ['foo bar', '他说「foo」bar、「oh foo」bar。', undefined],
  ['foo bar', 'The (foo) (bar) here, and (foo) a bar.', undefined],
  ['foo bar', 'He said "foo" "bar", “foo” “bar” and „foo“ „bar“.', undefined],
  ['foo a bar', '他说foo“a”bar。', 'foo“a”bar'],
])('a place of %j in %j never contains half a pair of marks', (name, text, expected) => {
  const [place] = placeNames({ text, bodyStart: 0 }, [{ names: [name], line: 1 }])
  expect(place && text.slice(place.start, place.end)).toBe(expected)
})

test('finds duplicates with their equal lines, but not similar notes', () => {
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
