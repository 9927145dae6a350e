import { expect, test } from 'vitest'
import { labelerOf } from '../../../src/insight/communities/community-labels.ts'
import { corpusOf } from '../corpora.ts'

interface LabeledNote {
  readonly title: string
  readonly text?: string
  readonly aliases?: readonly string[]
  readonly folder?: string
  /** Positions in the group. */
  readonly links?: readonly number[]
}

/** Labels groups of notes. The first note of each group is its key note. */
function labelsOf(groups: readonly (readonly LabeledNote[])[], former: readonly string[] = []): readonly string[] {
  const notes = groups.flat()
  const starts = groups.map((_, at) => groups.slice(0, at).flat().length)
  const rows = groups.flatMap((group, at) => group.map(({ links = [] }) => links.map((to) => to + (starts[at] ?? 0))))
  const names = notes.map(({ title, aliases = [] }) => [title, ...aliases])
  const label = labelerOf({
    names,
    folders: notes.map(({ folder = '' }) => folder),
    topology: {
      offsets: Uint32Array.from([0, ...rows.map((_, at) => rows.slice(0, at + 1).flat().length)]),
      targets: Uint32Array.from(rows.flat()),
    },
    corpus: corpusOf(notes.map(({ text = '' }, at) => ({ text, names: names[at] ?? [] }))),
  })
  return label(
    groups.map((group, at) => ({
      notes: Uint32Array.from(group, (_, note) => note + (starts[at] ?? 0)),
      key: [starts[at] ?? 0],
      former: former[at],
    })),
  )
}

const OTHERS = ['Anchor', 'Rudder', 'Mast', 'Keel', 'Bow', 'Stern', 'Hull', 'Jib', 'Boom', 'Deck', 'Sail', 'Rope'].map(
  (title) => ({ title, text: 'The ship sails.', folder: 'ships' }),
)
const titled = (titles: readonly string[], rest: Partial<LabeledNote> = {}): readonly LabeledNote[] =>
  titles.map((title) => ({ title, ...rest }))

test('a folder with most notes of a group is its label, without numbering, in the spelling of a note with that name', () => {
  const languages = titled(['Rust', 'Go', 'Elm', 'Lua'], { folder: '02 - programming-languages' })
  expect(labelsOf([languages, OTHERS])).toEqual(['programming-languages', 'ships'])
  expect(labelsOf([[...languages, { title: 'Programming Languages' }], OTHERS])).toEqual(['Programming Languages', 'ships'])
})

test('groups with the same label are told apart by their folders', () => {
  const inFolder = (folder: string, titles: readonly string[]) => titled(titles, { folder })
  const work = inFolder('work/Notes', ['Rust', 'Go', 'Elm', 'Lua'])
  const home = inFolder('home/Notes', ['Soup', 'Rice', 'Bread', 'Salt'])
  expect(labelsOf([work, home, OTHERS])).toEqual(['Notes (work)', 'Notes (home)', 'ships'])
})

test('a note is the label only if it links most notes of the group', () => {
  const names = ['Playlists', 'Piano', 'Alfred', 'Nushell', 'Backups', 'Dotfiles']
  const linking = (links: readonly number[]) => names.map((title, at) => ({ title, ...(at === 0 && { links }) }))
  expect(labelsOf([linking([1, 2, 3]), OTHERS])[0]).toBe('Playlists')
  const withWords = linking([1]).map((note, at) => ({ ...note, text: at > 1 ? `Tool ${at} for the keyboard. See Alfred.` : '' }))
  expect(labelsOf([withWords, OTHERS])[0]).toBe('Alfred')
})

test('words of titles are labels in their original spelling, without names of a single person', () => {
  const titles = [
    'llm-summary',
    'pure-llm',
    'chat-assistant',
    'assistant-pane',
    'llm-quiz',
    'llm-notes',
    'quick-llm',
    'bob',
    'ada',
  ]
  const plugins = titles.map((title) => ({
    title,
    aliases: [title.replace('llm', 'LLM').replace('assistant', 'Assistant')],
    text: title === 'pure-llm' ? 'by ada' : '',
  }))
  expect(labelsOf([plugins, OTHERS])[0]).toBe('LLM, Assistant')
})

test('words of text without spaces are whole', () => {
  const titles = ['咖啡豆研磨', '咖啡豆烘焙', '咖啡豆保存', '手冲']
  expect(labelsOf([titled(titles), OTHERS])[0]).toBe('咖啡豆')
  expect(labelsOf([titled(['قهوة عربية', 'قهوة تركية', 'قهوة باردة', 'شاي']), OTHERS])[0]).toBe('قهوة')
})

test('two groups never have the same label, and a group without a topic has the title of its key note', () => {
  const bread = (titles: readonly string[]) => titled(titles, { folder: 'bread' })
  const labels = labelsOf([bread(['Rye', 'Spelt', 'Oat']), bread(['Steam', 'Oven']), OTHERS])
  expect(labels).toEqual(['bread', 'Steam', 'ships'])
})

test('a label stays unless another one is clearly better', () => {
  const group = (words: readonly string[]) => words.map((text, at) => ({ title: `${text} ${'abcdefghi'[at]}`, text }))
  const words = ['Sleep', 'Sleep', 'Sleep', 'Sleep', 'Food', 'Food', 'Food', 'Food', 'Food']
  expect(labelsOf([group(words), OTHERS])[0]).toBe('Food, Sleep')
  expect(labelsOf([group(words), OTHERS], ['Sleep, Food'])[0]).toBe('Sleep, Food')
  expect(labelsOf([group(words), OTHERS], ['Coffee'])[0]).toBe('Food, Sleep')
})
