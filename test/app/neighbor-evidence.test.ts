import { expect, test } from 'vitest'
import { getNeighbors, type NeighborsArguments } from '../../src/app/links/get-neighbors.ts'
import { searchCore } from './search-core.ts'

const NOTES = {
  'Soil.md': 'Made of [[Compost]] and sand. Worms live in it. It dries out without [[Compost]].\n\nSee [[Roses]].\n',
  'Roses.md':
    '---\nup: "[[Soil]]"\n---\n# Roses\n\nThey need [[Soil]]. Deep [[soil]] and loose [[Soil|ground]] are best.\n\n- In pots: [[Soil]] with sand\n',
  'Secret.md': '%% Hidden: [[Soil]] %%\n\nShown: [[Soil]].\n',
  'Compost.md': 'Nothing here.\n',
  'Map.md': 'To [[Nowhere]].\n',
}

async function ask(args: Partial<NeighborsArguments>, notes: Readonly<Record<string, string>> = NOTES) {
  const core = await searchCore(notes)
  const { value } = await getNeighbors(core, {
    id: 'soil',
    direction: 'in',
    limit: 20,
    includeContent: false,
    evidence: true,
    ...args,
  })
  await core.close()
  return Object.fromEntries(value.map(({ id, lines, more }) => [id, { lines, ...(more === undefined ? {} : { more }) }]))
}

test('shows the first two short paragraphs that mention the note, and counts the others', async () => {
  expect(await ask({})).toEqual({
    'roses.md': {
      lines: [
        { line: 2, text: 'up: "[[Soil]]"' },
        { line: 6, text: 'They need [[Soil]]. Deep [[soil]] and loose [[Soil|ground]] are best.' },
      ],
      more: 1,
    },
    'secret.md': { lines: [{ line: 3, text: 'Shown: [[Soil]].' }] },
  })
})

test('a list of one note shows the sentences that a longer list only counts, and the list says so', async () => {
  const core = await searchCore(NOTES)
  const list = async (limit: number) =>
    getNeighbors(core, { id: 'soil', direction: 'in', limit, includeContent: false, evidence: true })
  const [many, one] = [await list(20), await list(1)]
  expect(many.warnings).toMatchObject([{ message: expect.stringContaining('limit 1') }])
  expect(one.value[0]?.lines?.map(({ line }) => line)).toEqual([2, 6, 8])
  expect([one.value[0]?.more, one.warnings]).toEqual([undefined, []])
  await core.close()
})

test("shows the note's own sentences for outgoing links", async () => {
  expect(await ask({ direction: 'out' })).toEqual({
    'compost.md': {
      lines: [{ line: 1, text: 'Made of [[Compost]] and sand. Worms live in it. It dries out without [[Compost]].' }],
    },
    'roses.md': { lines: [{ line: 3, text: 'See [[Roses]].' }] },
  })
})

test('with both directions, each sentence states its direction', async () => {
  const { 'roses.md': roses } = await ask({ direction: 'both', type: undefined })
  expect(roses?.lines?.map(({ direction }) => direction)).toEqual(['in', 'in'])
  const { 'compost.md': compost } = await ask({ direction: 'both' })
  expect(compost?.lines?.map(({ direction }) => direction)).toEqual(['out'])
})

test('with a relation type, only lines of that property are evidence', async () => {
  expect(await ask({ type: 'UP' })).toEqual({ 'roses.md': { lines: [{ line: 2, text: 'up: "[[Soil]]"' }] } })
})

test('shows mentions of a missing note too', async () => {
  expect(await ask({ id: 'nowhere' })).toEqual({ 'map.md': { lines: [{ line: 1, text: 'To [[Nowhere]].' }] } })
})

test('shows no lines without evidence', async () => {
  expect(await ask({ evidence: false })).toEqual({ 'roses.md': { lines: undefined }, 'secret.md': { lines: undefined } })
})

test('shows the linking sentence of a long paragraph, and a short paragraph whole and once', async () => {
  const long = 'Worms live in it and dig all day. '.repeat(12)
  const notes = { 'a.md': `${long}See [[B]] for that. ${long}\n\nRead [[B]].\nThen\ndig [[B|there]].\n`, 'b.md': '' }
  expect(await ask({ id: 'b' }, notes)).toEqual({
    'a.md': {
      lines: [
        { line: 1, text: 'See [[B]] for that.' },
        { line: 3, text: 'Read [[B]]. Then dig [[B|there]].' },
      ],
    },
  })
})

test('shows a canvas card as readable text instead of JSON', async () => {
  const nodes = [
    { id: '1', type: 'text', text: 'Plans:\n\nAsk "Ann"\tof [[Soil]] today.\n\nRest.' },
    { id: '2', type: 'file', file: 'Soil.md' },
  ]
  const found = await ask(
    { id: 'board.canvas', direction: 'out' },
    { 'Soil.md': '', 'Board.canvas': JSON.stringify({ nodes, edges: [] }) },
  )
  expect(found['soil.md']?.lines?.map(({ text }) => text)).toEqual(['Ask "Ann" of [[Soil]] today.', 'Soil.md'])
})
