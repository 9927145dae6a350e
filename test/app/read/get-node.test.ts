import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { getNode } from '../../../src/app/read/get-node.ts'
import { toNodeId } from '../../../src/core/ids.ts'
import type { Snapshot } from '../../../src/core/store.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'
import { fakeCore, fakeStore, withSnapshot } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { searchCore } from '../search-core.ts'
import { fakeWriting } from '../write/fake-writing.ts'

const store = fakeStore(GARDEN)
const core = { ...fakeCore(store), writing: fakeWriting() }
const whole = { depth: 0, offset: 0, maxChars: 10_000 }
const read = async (id: string, rest: object = {}) => getNode(core, { id, ...whole, ...rest })

test("shows the body without frontmatter, and the note's metadata", async () => {
  const { value, warnings } = await read('Soil/COMPOST')
  const [version] = await store.snapshot.versions([toNodeId('soil/compost.md')])
  const [source] = version === undefined ? [] : await store.texts.read([version])
  const text = typeof source === 'object' ? source.text : ''
  expect(value).toEqual({
    id: 'soil/compost.md',
    path: 'Soil/Compost.md',
    title: 'Compost',
    content: '# Compost\nTurned by [[Worms]].\n## How\nLayer by layer. ^layers\n## Why\nIt feeds [[Tomato]].\n',
    tags: ['soil', 'work/autumn'],
    links: [
      { id: 'soil/worms.md', title: 'Worms' },
      { id: 'beds/tomato.md', title: 'Tomatoes' },
      { id: 'home.md', title: 'Home' },
    ],
    hash: createHash('sha256').update(text).digest('hex'),
    properties: { tags: ['soil', 'work/autumn'], aliases: ['Humus'], up: '[[Home]]' },
    created: expect.any(String),
    modified: expect.any(String),
    outline: [
      { level: 1, text: 'Compost', line: 6 },
      { level: 2, text: 'How', line: 8 },
      { level: 2, text: 'Why', line: 10 },
    ],
    link_count: 3,
  })
  expect(Object.keys(value ?? {}).slice(0, 5)).toEqual(['id', 'path', 'title', 'content', 'tags'])
  expect(warnings).toEqual([])
})

test('a one-line note takes fewer than 150 tokens', async () => {
  const files = { 'Folder/A note of mine.md': { body: 'Buy milk and bread.\n' } }
  const { value } = await getNode(fakeCore(fakeStore(files)), { id: 'folder/a note of mine', ...whole })
  expect(encode(JSON.stringify(value)).length).toBeLessThan(150)
})

test('a note whose file cannot be read is an error that says so', async () => {
  const versions: Snapshot['versions'] = async (ids) =>
    (await store.snapshot.versions(ids)).map((version) => (version === undefined ? version : { ...version, hash: '' }))
  const unreadable = { ...fakeCore(withSnapshot(store, { versions })), texts: { read: async () => [undefined] } }
  await expect(getNode(unreadable, { id: 'Soil/Compost', ...whole })).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    message: '"soil/compost.md" cannot be read.',
    hint: "Check the file's permissions.",
  })
})

test.each(['no-where', 'no/such.md', '', '../home.md', 'a\\b', 'home.md\0'])('%j is null, with a warning', async (id) => {
  const { value, warnings } = await read(id)
  expect(value).toBeNull()
  expect(warnings.map(({ code }) => code)).toEqual(['UNKNOWN_ID'])
})

test('excluded notes can be read by id', async () => {
  expect((await read('hidden')).value?.title).toBe('Hidden')
})

test('attachments have no content, canvases have their own', async () => {
  expect((await read('photo.png')).value).toMatchObject({ content: '', kind: 'attachment' })
  expect((await read('board.canvas')).value).toMatchObject({ content: '{}', kind: 'canvas' })
})

test('shows hashes only to callers who may write', async () => {
  const { value } = await getNode(fakeCore(store), { id: 'soil/compost', ...whole })
  expect(value).not.toHaveProperty('hash')
})

test('depth 1 adds counts and neighbors with 200 characters each', async () => {
  const { value } = await read('soil/compost.md', { depth: 1 })
  expect(value).toMatchObject({ incomingCount: 2, outgoingCount: 3 })
  expect(value?.incomingNeighbors?.map(({ id }) => id)).toEqual(['soil/worms.md', 'home.md'])
  expect(value?.outgoingNeighbors).toHaveLength(3)
  expect(Object.keys(value?.incomingNeighbors?.[0] ?? {})).toEqual([
    'id',
    'path',
    'title',
    'content',
    'tags',
    'links',
    'link_count',
  ])
})

test('shows at most 20 neighbors per direction and 100 links, with full counts', async () => {
  const targets = Array.from({ length: 130 }, (_, index) => `n${index}`)
  const long = { body: 'x'.repeat(700) }
  const files = Object.fromEntries(targets.map((name) => [`${name}.md`, long]))
  const big = fakeCore(fakeStore({ ...files, 'hub.md': { body: targets.map((name) => `[[${name}]]`).join(' ') } }))
  const { value } = await getNode(big, { id: 'hub', ...whole, depth: 1 })
  expect(value).toMatchObject({ incomingCount: 0, outgoingCount: 130, link_count: 130 })
  expect(value?.links).toHaveLength(100)
  expect(value?.outgoingNeighbors).toHaveLength(20)
  expect(value?.outgoingNeighbors?.[0]?.content).toBe(`${'x'.repeat(200 - MARKER.length)}${MARKER}`)
})

describe('a long note', () => {
  test('a long note is cut at 10,000 characters with an offset to continue at', async () => {
    const { value } = await read('beds/long.md')
    expect(value?.content).toHaveLength(10_000)
    expect(value?.content?.endsWith(MARKER)).toBe(true)
    expect(value?.next_offset).toBe(10_000 - MARKER.length)
  })

  test('its parts join to the whole note', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1000, max: 12_000 }), async (maxChars) => {
        let text = ''
        for (let offset: number | undefined = 0; offset !== undefined; ) {
          const { value } = await read('beds/long', { offset, maxChars })
          const next: number | undefined = value?.next_offset
          text += next === undefined ? value?.content : value?.content?.slice(0, -MARKER.length)
          offset = next
        }
        expect(text).toBe(GARDEN['Beds/Long.md']?.body)
      }),
      { numRuns: 20 },
    )
  })

  test('reading in parts passes a character that is longer than a part', async () => {
    const body = `a👍${'\u0301'.repeat(100)}b`
    const zalgo = fakeCore(fakeStore({ 'a.md': { body } }))
    let content = ''
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const { value } = await getNode(zalgo, { id: 'a', ...whole, offset, maxChars: 20 })
      const next: number | undefined = value?.next_offset
      if (next !== undefined) expect(next).toBeGreaterThan(offset)
      content += value?.content?.slice(0, next === undefined ? undefined : -MARKER.length)
      offset = next
    }
    expect(content).toBe(body)
  })

  test('an offset past the end shows nothing, and one inside a character shows it whole', async () => {
    expect((await read('alone', { offset: 99 })).value).toMatchObject({ content: '' })
    const emoji = fakeCore(fakeStore({ 'a.md': { body: 'a👍🏽b' } }))
    expect((await getNode(emoji, { id: 'a', ...whole, offset: 3 })).value?.content).toBe('👍🏽b')
  })
})

describe('sections', () => {
  test('selects a section by headings or a block', async () => {
    const section = async (path: readonly string[], rest: object = {}) =>
      (await read('soil/compost', { section: path, ...rest })).value?.content
    expect(await section(['Compost', 'How'])).toBe('## How\nLayer by layer. ^layers\n')
    expect(await section(['^layers'])).toBe('Layer by layer. ^layers')
    expect(await section(['Why'], { offset: 7 })).toBe('It feeds [[Tomato]].\n')
  })

  test('a continued part lists its own headings and three links', async () => {
    const links = Array.from({ length: 9 }, (_, at) => `[[n${at}]]`).join(' ')
    const text = `# A\r\n${'x'.repeat(50)}\r\n## B\n${links}\n### C\nc\n## D\nd\n`
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}.md`, '']))
    const core = await searchCore({ 'a.md': text, ...files })
    const part = async (args: object, call?: object) => {
      const { value } = await getNode(core, { id: 'a', ...whole, ...args }, call)
      return [value?.outline.map((heading) => heading.text).join(''), value?.links.length, value?.link_count]
    }
    expect(await part({})).toEqual(['ABCD', 9, 9])
    expect(await part({ maxChars: 60 })).toEqual(['ABCD', 9, 9])
    expect(await part({ section: ['B'] })).toEqual(['ABCD', 9, 9])
    expect(await part({ section: ['B'], offset: 30 })).toEqual(['C', 3, 9])
    expect(await part({ offset: 20 })).toEqual(['BCD', 3, 9])
    expect(await part({ offset: 20, maxChars: 60 })).toEqual(['B', 3, 9])
    expect(await part({ offset: 20 }, { isUntruncated: true })).toEqual(['BCD', 9, 9])
  })

  test('an outline has at most 100 headings, the highest levels first, and says how many are left out', async () => {
    const chapters = Array.from({ length: 30 }, (_, at) => `# C${at}\n${Array.from({ length: 5 }, () => '## S\n').join('')}`)
    const long = await searchCore({ 'a.md': chapters.join('') })
    const { value, omitted } = await getNode(long, { id: 'a', ...whole })
    const texts = value?.outline.map(({ text }) => text) ?? []
    expect(texts.filter((text) => text !== 'S')).toHaveLength(30)
    expect(texts.slice(0, 7)).toEqual(['C0', 'S', 'S', 'S', 'S', 'S', 'C1'])
    expect(texts).toHaveLength(100)
    expect(omitted).toEqual({ maxTokens: 0, counts: {}, capped: { outline: 80 } })
    expect((await getNode(long, { id: 'a', ...whole, maxTokens: 4000 })).omitted).toMatchObject({ capped: { outline: 80 } })
    expect((await getNode(long, { id: 'a', ...whole }, { isUntruncated: true })).value?.outline).toHaveLength(180)
  })

  test('huge properties and lists of tags are cut even without max_tokens, except for a program', async () => {
    const tags = Array.from({ length: 20_000 }, (_, at) => `t${at}`).join(', ')
    const files = { 'a.md': `---\nkind: book\ntags: [${tags}]\nbanner: "${'x'.repeat(300_000)}"\n---\nbody [[b]]\n`, 'b.md': '' }
    const { value, omitted } = await getNode(await searchCore(files), { id: 'a', ...whole })
    expect(value).toMatchObject({ content: 'body [[b]]\n', properties: { kind: 'book' }, link_count: 1 })
    expect(JSON.stringify(value).length).toBeLessThan(50_000)
    expect(omitted).toEqual({ maxTokens: 0, counts: {}, capped: { properties: 2, tags: 19_900 } })
    const { value: all } = await getNode(await searchCore(files), { id: 'a', ...whole }, { isUntruncated: true })
    expect([all?.tags.length, Object.keys(all?.properties ?? {}).length]).toEqual([20_000, 3])
  })

  test('a lone carriage return does not end a line when selecting the headings of a part', async () => {
    const core = await searchCore({ 'a.md': `one\rtwo\rthree\n${'x'.repeat(20)}\n# A\n` })
    const { value } = await getNode(core, { id: 'a', ...whole, offset: 16 })
    expect(value?.outline.map((heading) => heading.text)).toEqual(['A'])
  })

  test('a path of headings that matches twice is an error with both places, and a longer path is not', async () => {
    const core = await searchCore({ 'a.md': '# One\n## How\nfirst\n### Why\nx\n# Two\n## How\nsecond\n### Why\ny\n' })
    const section = async (...path: readonly string[]) =>
      (await getNode(core, { id: 'a', ...whole, section: path })).value?.content
    await expect(section('How', 'Why')).rejects.toMatchObject({
      code: 'SECTION_NOT_FOUND',
      message: 'Several sections match "How > Why", on lines 4, 9.',
      candidates: [
        { path: ['One', 'How', 'Why'], line: 4 },
        { path: ['Two', 'How', 'Why'], line: 9 },
      ],
    })
    expect(await section('Two', 'How', 'Why')).toBe('### Why\ny\n')
  })

  test('an unknown section is an error with the outline', async () => {
    await expect(read('soil/compost', { section: ['Where'] })).rejects.toMatchObject({
      code: 'SECTION_NOT_FOUND',
      candidates: [
        { path: ['Compost'], line: 6 },
        { path: ['Compost', 'How'], line: 8 },
        { path: ['Compost', 'Why'], line: 10 },
      ],
    })
    await expect(read('soil/compost', { section: ['^nope'] })).rejects.toMatchObject({ candidates: ['^layers'] })
    const bare = fakeCore(fakeStore({ 'a.md': { body: 'text' } }))
    const section = (name: string) => getNode(bare, { id: 'a', ...whole, section: [name] })
    await expect(section('Nope')).rejects.toMatchObject({ hint: expect.stringContaining('no headings') })
    await expect(section('^nope')).rejects.toMatchObject({ hint: expect.stringContaining('no blocks') })
  })
})

test('warns about ambiguous links and malformed parts', async () => {
  const own = fakeStore(GARDEN)
  const id = toNodeId('home.md')
  const link = { form: 'wikilink', target: 'Compost' } as const
  const ends = { to: toNodeId('soil/compost.md'), byAlias: false, rivals: [toNodeId('yard/compost.md')] }
  own.problemsFound.push({ kind: 'ambiguous_link', id, line: 1, link, ...ends })
  for (let line = 1; line < 6; line += 1) own.problemsFound.push({ kind: 'malformed', id, line, message: 'Bad YAML.' })
  own.problemsFound.push({ kind: 'malformed', id: toNodeId('alone.md'), line: 1, message: 'Not this.' })
  const { warnings } = await getNode(fakeCore(own), { id: 'home', ...whole })
  expect(warnings).toEqual([
    {
      code: 'AMBIGUOUS_LINKS',
      message:
        'Links that match several notes: line 1: [[Compost]] → soil/compost.md, by the shortest path (soil/compost.md, yard/compost.md).',
    },
    {
      code: 'MALFORMED',
      message: 'Malformed, read as far as possible: line 1: Bad YAML; line 2: Bad YAML; line 3: Bad YAML; and 2 more.',
    },
  ])
})

test('names five candidates of an ambiguous link and counts the rest', async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`f${at}/Same.md`, 'same']))
  const many = await searchCore({ ...files, 'Linker.md': '[[Same]]' })
  const { warnings } = await getNode(many, { id: 'linker', ...whole })
  expect(warnings[0]?.message).toMatch(/\((?:[^,()]+, ){5}and 25 more\)\.$/)
  await many.close()
})

test('a very small budget shortens the text', async () => {
  const long = await searchCore({ 'Long.md': 'many words of a note '.repeat(300) })
  for (const depth of [0, 1]) {
    const { value } = await getNode(long, { id: 'long', ...whole, depth, maxTokens: 110 })
    expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(440)
    expect(value).toMatchObject({ id: 'long.md', next_offset: expect.any(Number) })
    expect(value?.content?.endsWith(MARKER)).toBe(true)
  }
  await long.close()
})

test('a link to another vault opens only that vault, by its name or folder', async () => {
  const text =
    '[a](obsidian://open?vault=recipes&file=Bread) [b](obsidian://open?vault=work&file=Bread) [c](obsidian://open?vault=none&file=x)'
  const own = await searchCore({ 'a.md': text }, { name: 'home' })
  const other = await searchCore({ 'Bread.md': '' }, { name: 'work' })
  const opened: (string | undefined)[] = []
  const vaults = {
    names: ['diary', 'work', 'garden'],
    folderOf: (name: string) => (name === 'work' ? '/notes/Recipes' : `/notes/${name}`),
    open: async (name?: string) => {
      opened.push(name)
      return other
    },
  }
  const { value } = await getNode(own, { id: 'a.md', ...whole }, { vaults })
  expect(value?.vault_links?.map(({ id }) => id)).toEqual(['work:bread.md', 'work:bread.md', null])
  expect(opened).toEqual(['work', 'work'])
  await Promise.all([own.close(), other.close()])
})
