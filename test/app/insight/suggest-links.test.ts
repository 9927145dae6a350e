import { expect, test } from 'vitest'
import { type LinkEdit, suggestLinks } from '../../../src/app/insight/suggest-links.ts'
import { replaceText } from '../../../src/markdown/edit/replace-text.ts'
import type { Wire } from '../../support/stdio-client.ts'
import { searchCore } from '../search-core.ts'

const GARDEN = {
  'Garden.md': '# Garden\n\nA rose, and one more rose beside the [[Shed]].\n',
  'Rose.md': 'A thorny bush.\n',
  'Shed.md': 'Tools. See [[Garden]].\n',
}
const ARGS = { kind: 'both', limit: 10 } as const

async function suggestions(notes: Readonly<Record<string, string>>, args: Partial<Parameters<typeof suggestLinks>[1]> = {}) {
  const { value } = await suggestLinks(await searchCore(notes), { ...ARGS, ...args })
  return value.suggestions
}

/** Applies the edit to a text. */
function edited(text: string, edit: LinkEdit | undefined): string {
  if (edit === undefined) throw new Error('no edit')
  return replaceText(text, edit.arguments.replace_text).reduceRight(
    (made, { start, end, text: put }) => made.slice(0, start) + put + made.slice(end),
    text,
  )
}

test('a suggestion has the line, the text and an edit that makes exactly this link', async () => {
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

test('never suggests that a note links to itself or to a note it already links to', async () => {
  const all = await suggestions(GARDEN)
  expect(all.filter(({ from, to }) => from === to || (from === 'garden.md' && to === 'shed.md'))).toEqual([])
})

test('uses Markdown links in a vault of Markdown links', async () => {
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

test('leaves out suggestions whose text no longer exists', async () => {
  const core = await searchCore(GARDEN)
  await suggestLinks(core, ARGS)
  core.vault.write('Garden.md', 'Nothing grows here.\n')
  const { value } = await suggestLinks(core, { ...ARGS, id: 'Garden', kind: 'named' })
  expect(value.suggestions).toEqual([])
})

test('a folder limits the notes that get suggestions', async () => {
  const notes = { 'in/Home.md': 'A rose.\n', 'out/Other.md': 'A rose.\n', 'Rose.md': 'A bush.\n' }
  const found = await suggestions(notes, { folder: 'in', id: 'in/home.md', kind: 'named' })
  expect(found.map(({ from }) => from)).toEqual(['in/home.md'])
})

const NAMED_ONCE = {
  'A.md': 'Beside the rose garden it is quiet.\n',
  'B.md': 'The compost heap is warm.\n',
  'C.md': 'Rakes lean on the tool shed.\n',
  'Rose garden.md': 'Thorny bushes.\n',
  'Compost heap.md': 'Leaves rot.\n',
  'Tool shed.md': 'Wood and nails.\n',
  'D.md': 'In the [[rose garden]], the [[compost heap]] and the [[tool shed]].\n',
  'E.md': 'The [[tool shed]], the [[rose garden]] and the [[compost heap]].\n',
}
const pairsOf = (list: readonly { readonly from: string; readonly to: string }[]) => list.map(({ from, to }) => `${from} ${to}`)

test('pages have no gaps or repetitions when some suggestions are outdated', async () => {
  const core = await searchCore(NAMED_ONCE)
  const named = { kind: 'named', limit: 1 } as const
  const whole = pairsOf((await suggestLinks(core, { ...named, limit: 10 })).value.suggestions)
  expect(whole).toHaveLength(3)
  const [first = ''] = whole
  core.vault.write(`${first.slice(0, 1).toUpperCase()}.md`, 'Nothing grows here.\n')
  const paged: string[] = []
  for (let [calls, offset] = [0, 0]; calls < 5; calls++) {
    const { value, list } = await suggestLinks(core, { ...named, offset })
    paged.push(...pairsOf(value.suggestions))
    if (list === undefined || offset + list.shown >= list.count) break
    offset += list.shown
  }
  expect(paged).toEqual(whole.slice(1))
})

test('a dismissed suggestion does not return, with or without a vault name', async () => {
  for (const name of [undefined, 'work']) {
    const core = await searchCore(NAMED_ONCE, name === undefined ? {} : { name })
    const before = (await suggestLinks(core, ARGS)).value
    await core.insightState.dismiss('link:b.md//compost heap.md')
    const after = (await suggestLinks(core, ARGS)).value
    const isDismissed = ({ from, to }: { from: string; to: string }) => from.endsWith('b.md') && to.endsWith('compost heap.md')
    expect(before.suggestions.filter(isDismissed)).toHaveLength(1)
    expect(after.suggestions).toEqual(before.suggestions.filter((one) => !isDismissed(one)))
    expect(after.total).toBe(before.total - 1)
  }
})

test('a folder name stands for its notes, but a note of that name comes first', async () => {
  const notes = {
    'in/Home.md': 'A rose.\n',
    'out/Other.md': 'A rose.\n',
    'out.md': 'No rose, but a [[Rose]].\n',
    'Rose.md': 'A bush.\n',
  }
  expect((await suggestions(notes, { id: 'In/', kind: 'named' })).map(({ from }) => from)).toEqual(['in/home.md'])
  expect((await suggestions(notes, { id: 'out', kind: 'named' })).filter(({ from }) => from !== 'out.md')).toEqual([])
})

test('suggestions are the same with and without a vault name', async () => {
  const notes = {
    'in/A.md': 'At the heap it is warm, and beside the rose garden it is quiet.\n',
    'Heap.md': '---\ntitle: Compost\n---\nLeaves rot.\n',
    'Rose garden.md': 'Thorny bushes.\n',
    'in/D.md': 'In the [[rose garden]] there is a [[heap]].\n',
  }
  const [alone, named] = await Promise.all(
    [undefined, 'work'].map(async (name) => {
      const core = await searchCore(notes, name === undefined ? {} : { name })
      const { value } = await suggestLinks(core, { id: 'in/a.md', kind: 'both', limit: 10 })
      return value.suggestions.map(({ from, to, score, line }: Wire) => [from, to, score, line])
    }),
  )
  expect(alone?.map(([, to]) => to)).toContain('heap.md')
  expect(named).toEqual(alone?.map(([from, to, ...rest]) => [`work:${from}`, `work:${to}`, ...rest]))
})
