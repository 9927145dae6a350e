import { expect, test } from 'vitest'
import { type LinkEdit, suggestLinks } from '../../../src/app/insight/suggest-links.ts'
import { replaceText } from '../../../src/markdown/edit/replace-text.ts'
import { searchCore } from '../search-core.ts'

const GARDEN = {
  'Garden.md': '# Garden\n\nA rose, and one more rose beside the [[Shed]].\n',
  'Rose.md': 'A thorny bush.\n',
  'Shed.md': 'Tools. See [[Garden]].\n',
}
const ASKED = { kind: 'both', limit: 10 } as const

async function suggestions(notes: Readonly<Record<string, string>>, args: Partial<Parameters<typeof suggestLinks>[1]> = {}) {
  const { value } = await suggestLinks(await searchCore(notes), { ...ASKED, ...args })
  return value.suggestions
}

/** A text with the edit made. */
function edited(text: string, edit: LinkEdit | undefined): string {
  if (edit === undefined) throw new Error('no edit')
  return replaceText(text, edit.arguments.replace_text).reduceRight(
    (made, { start, end, text: put }) => made.slice(0, start) + put + made.slice(end),
    text,
  )
}

test('a suggestion tells the line, the text and the edit that makes the link there and nowhere else', async () => {
  const [first] = await suggestions(GARDEN, { id: 'Garden', kind: 'named' })
  expect(first).toMatchObject({
    from: 'garden.md',
    to: 'rose.md',
    kind: 'named',
    line: 3,
    text: 'A rose, and one more rose beside the [[Shed]].',
  })
  const edit = first?.kind === 'named' ? first.edit : undefined
  expect(edited(GARDEN['Garden.md'], edit)).toBe('# Garden\n\nA [[rose]], and one more rose beside the [[Shed]].\n')
  expect(edit?.arguments.expected_hash).toMatch(/^[0-9a-f]{64}$/)
})

test('a note is never told to link itself or what it links', async () => {
  const all = await suggestions(GARDEN)
  expect(all.filter(({ from, to }) => from === to || (from === 'garden.md' && to === 'shed.md'))).toEqual([])
})

test('in a vault of Markdown links the edit is one', async () => {
  const notes = {
    'a/Home.md': 'Our rose, beside [the shed](Shed.md).\n',
    'a/Shed.md': 'Tools.\n',
    'b/Rose.md': 'A thorny bush.\n',
  }
  const [first] = await suggestions(notes, { id: 'a/home.md', kind: 'named' })
  expect(edited(notes['a/Home.md'], first?.kind === 'named' ? first.edit : undefined)).toBe(
    'Our [rose](../b/Rose.md), beside [the shed](Shed.md).\n',
  )
})

test('what the text says no more is left out', async () => {
  const core = await searchCore(GARDEN)
  await suggestLinks(core, ASKED)
  core.vault.write('Garden.md', 'Nothing grows here.\n')
  const { value } = await suggestLinks(core, { ...ASKED, id: 'Garden', kind: 'named' })
  expect(value.suggestions).toEqual([])
})

test('a folder holds the notes that suggestions are made for', async () => {
  const notes = { 'in/Home.md': 'A rose.\n', 'out/Other.md': 'A rose.\n', 'Rose.md': 'A bush.\n' }
  const found = await suggestions(notes, { folder: 'in', id: 'in/home.md', kind: 'named' })
  expect(found.map(({ from }) => from)).toEqual(['in/home.md'])
})
