import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonBytes } from '../../../src/app/answer/budget.ts'
import { leastBytes } from '../../../src/app/answer/fit-list.ts'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import type { ChangeSummary } from '../../../src/core/changes.ts'
import { callTool } from '../../../src/mcp/calls/call-tool.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { KnownBag, type SearchCore, searchCore } from '../../app/search-core.ts'
import { fakeWriting } from '../../app/write/fake-writing.ts'
import type { Wire } from '../../support/stdio-client.ts'

const NAMES = ['a', 'b']
const RUNS = 15
const MARKER = '... [truncated]'

/** Words in several scripts that searches find, and some that JSON must escape. */
const anyWords = fc
  .array(
    fc.constantFrom(
      'compost',
      'Wärme',
      'soil',
      '"quoted"',
      '漢字かな',
      '👍🏽',
      '[[Note 1]]',
      '[[gone]]',
      '[[Twice]]',
      '![[p.png]]',
      '\n\n## Part\n\n',
    ),
    {
      maxLength: 120,
    },
  )
  .map((words) => words.join(' '))
const anyFrontmatter = fc
  .record({
    tags: fc.subarray(['bed', 'bed/row', 'summer', 'ein-langes-wort']),
    note: fc.string({ maxLength: 400 }),
    list: fc.array(fc.integer(), { maxLength: 9 }),
    title: fc.option(fc.string({ maxLength: 300 }), { nil: undefined }),
  })
  .map((properties) => `---\n${JSON.stringify(properties)}\n---\n`)
const anyNote = fc.tuple(anyFrontmatter, anyWords).map(([frontmatter, body]) => `${frontmatter}compost ${body}\n`)
const anyVault = fc.array(anyNote, { minLength: 1, maxLength: 30 }).map((notes) => ({
  ...Object.fromEntries(notes.map((note, at) => [`${at % 3 === 0 ? 'Beds/Deep/' : ''}Note ${at}.md`, note])),
  'p.png': 'PNG',
  ...Object.fromEntries(Array.from({ length: notes.length }, (_, at) => [`twice/${at}/Twice.md`, 'compost'])),
  'hub.md': `${notes.map((_, at) => `[[Note ${at}]]`).join(' ')} ![[p.png]] #bed\n`,
}))
const anyChanges = fc.array(
  fc.integer({ min: 0, max: 30 }).map(
    (count): ChangeSummary => ({
      id: 'c1',
      time: 0,
      title: 'Changed',
      state: 'done',
      undoes: undefined,
      files: Array.from({ length: count }, (_, at) => ({ kind: 'replace' as const, path: `Beds/Note ${at}.md`, to: undefined })),
    }),
  ),
  { maxLength: 30 },
)

/** How to call each tool that lists, and where its list is. */
const LISTS: readonly (readonly [tool: string, args: object, rows: (value: Wire) => readonly Wire[]])[] = [
  ['search', { query: 'compost', relevance: 'loose' }, (value) => value],
  ['search', { query: 'compost', relevance: 'loose', include_content: true, explain: true }, (value) => value],
  ['similar_nodes', { id: 'hub', relevance: 'loose' }, (value) => value],
  ['find_nodes', { query: 'compost' }, (value) => value],
  ['find_nodes', { query: '' }, (value) => value],
  ['find_nodes', { query: '', group_by: 'note' }, (value) => value.groups],
  ['find_nodes', { query: '', group_by: 'list, folder' }, (value) => value.groups],
  ['get_neighbors', { id: 'hub', kinds: ['note', 'missing'] }, (value) => value],
  ['get_neighbors', { id: 'hub', include_content: true }, (value) => value],
  ['search_by_tags', { tags: ['bed'] }, (value) => value],
  ['list_nodes', {}, (value) => value.nodes],
  ['list_tags', {}, (value) => value],
  ['get_hubs', {}, (value) => value],
  ['get_problems', {}, (value) => value.problems],
  ['get_problems', { kind: 'duplicate' }, (value) => value.problems],
  ['get_problems', { kind: 'missing_note' }, (value) => value.problems],
  ['get_problems', { kind: 'ambiguous_link' }, (value) => value.problems],
  ['gaps', { kind: 'wanted' }, (value) => value.wanted],
  ['gaps', { kind: 'dead_ends' }, (value) => value.dead_ends.first],
  ['list_properties', {}, (value) => value.properties],
  ['list_properties', { key: 'list' }, (value) => value.values],
  ['suggest_links', {}, (value) => value.suggestions],
  ['list_attachments', { id: 'hub' }, (value) => value.attachments],
  ['list_changes', {}, (value) => value],
]

const anyPage = fc.record(
  {
    limit: fc.integer({ min: 1, max: 50 }),
    offset: fc.oneof(fc.nat(12), fc.constant(1_000)),
    max_tokens: fc.oneof(fc.integer({ min: 100, max: 3_000 }), fc.constant(50_000)),
    links: fc.integer({ min: 0, max: 100 }),
  },
  { requiredKeys: [] },
)

interface Served {
  ask(name: string, args: object): Promise<Wire>
  close(): Promise<void>
}

async function serve(contents: readonly Readonly<Record<string, string>>[], changes: readonly ChangeSummary[]): Promise<Served> {
  const names = contents.length === 1 ? [] : NAMES
  const cores: readonly SearchCore[] = await Promise.all(
    contents.map(async (files, at) => ({
      ...(await searchCore(files, { embedder: new KnownBag(), ...(names[at] === undefined ? {} : { name: names[at] }) })),
      writing: fakeWriting({}, changes),
      files: { read: async () => undefined },
    })),
  )
  const vaults = vaultsOnDemand(names, async (name) => cores[Math.max(0, names.indexOf(name ?? ''))] as SearchCore)
  return {
    async ask(name, args) {
      const tool = TOOLS.find((one) => one.name === name)
      if (tool === undefined) throw new Error(`there is no ${name}`)
      const result: Wire = await callTool(tool, args, { vaults, log: (line) => expect(line).toBe('') })
      expect(result.isError, JSON.stringify(result.structuredContent)).toBeUndefined()
      return result
    },
    close: async () => {
      for (const core of cores) await core.close()
    },
  }
}

/** Returns the members that identify a row. */
function nameOf({ id, tag, name, key, value, from, to, kind, candidates }: Wire): string {
  if (kind === 'duplicate') return `${id} ${candidates}`
  return id ?? tag ?? name ?? key ?? value ?? (from === undefined ? undefined : `${from} ${to}`)
}

/** Members that a row may lack to save room. */
const MAY_LACK = [
  'snippet',
  'candidates',
  'lines',
  'hops',
  'files',
  'sources',
  'places',
  'explain',
  'passages',
  'content',
  'properties',
  'links',
]

/** Counts what one row lacks, by member. A missing member counts with everything in it. Members are never emptied. */
function lessIn(shown: Wire, full: Wire): readonly (readonly [string, number])[] {
  return Object.keys(full).flatMap((name) => {
    const [have, are] = [shown[name], full[name]]
    if (have === undefined) {
      expect(MAY_LACK).toContain(name)
      return [[name, typeof are === 'object' ? Object.keys(are).length : 1] as const]
    }
    if (typeof are === 'object' && are !== null && Object.keys(are).length > 0)
      expect(Object.keys(have).length, name).toBeGreaterThan(0)
    if (Array.isArray(are)) return [[name, are.length - have.length] as const]
    if (typeof are === 'object' && are !== null) return [[name, Object.keys(are).length - Object.keys(have).length] as const]
    // Shortened text must end with a mark that says so.
    if (have !== are) expect(have, name).toMatch(/\.\.\. \[truncated\]$/)
    return []
  })
}

type Page = typeof anyPage extends fc.Arbitrary<infer T> ? T : never

/** The arguments that a tool accepts. */
function argumentsOf([name, own]: (typeof LISTS)[number], page: Page): Wire {
  const properties = TOOLS.find((tool) => tool.name === name)?.definition().inputSchema.properties ?? {}
  return Object.fromEntries(
    Object.entries({ ...own, ...page }).filter(([key, value]) => key in properties && value !== undefined),
  )
}

function defaultTokens(name: string, { limit = 20, links = 0, include_content: hasContent = false }: Wire): number {
  if (name === 'list_nodes') return 5_000
  return name === 'get_neighbors' && limit <= 20 && links === 0 && !hasContent ? 1_150 : 2_000
}

/** Compares an answer with the same one without a budget. */
async function checkList(served: Served, list: (typeof LISTS)[number], page: Page): Promise<void> {
  const [name, , rowsOf] = list
  const args = argumentsOf(list, page)
  const { max_tokens = defaultTokens(name, args), offset = 0 } = args
  const { content, structuredContent } = await served.ask(name, args)
  const rows = rowsOf(JSON.parse(content[0].text))
  const wide = await served.ask(name, { ...args, max_tokens: 50_000 })
  const full = rowsOf(JSON.parse(wide.content[0].text))

  if (rows.length > 1) expect(Buffer.byteLength(content[0].text)).toBeLessThanOrEqual(max_tokens * 4)
  expect(rows.map(nameOf)).toEqual(full.slice(0, rows.length).map(nameOf))
  const around = Buffer.byteLength(content[0].text) - jsonBytes(rows)
  if (rows.length < full.length)
    expect(leastBytes(full.slice(0, rows.length + 1)) + around).toBeGreaterThanOrEqual(max_tokens * 4 - ROUNDING)

  const { omitted = {}, total, relevant: all = total, next_offset } = structuredContent
  expect(omitted.results ?? 0).toBe(full.length - rows.length)
  const less = rows.flatMap((row, at) => lessIn(row, full[at]))
  for (const member of new Set(less.map(([one]) => one))) {
    const sum = less.reduce((count, [one, by]) => count + (one === member ? by : 0), 0)
    if (sum > 0) expect(omitted[member] ?? 0, member).toBeGreaterThanOrEqual(sum)
  }

  const end = offset + rows.length
  expect(next_offset).toBe(end < all ? end : undefined)
  const said = content[1]?.text ?? ''
  if (next_offset !== undefined) expect(said).toContain(`for more, use offset ${next_offset}.`)
  else if (rows.length === 0 && offset > 0)
    expect(said).toMatch(new RegExp(`^Nothing at offset ${offset}: there (is|are) ${all}\\b`))
  if (Object.keys(omitted).length > 0) expect(said).toMatch(/^Left out (to fit|regardless of) max_tokens/m)
}

/** The number of bytes that a list may leave unused although another id would fit. They keep room for a separator. */
const ROUNDING = 8

describe.each([1, 2])('over %i vaults', (count) => {
  const anyVaults = fc.array(anyVault, { minLength: count, maxLength: count })

  test('no list exceeds its budget, has fewer rows than possible, or is cut without a notice', async () => {
    const anyCalls = fc.array(fc.tuple(fc.constantFrom(...LISTS), anyPage), { minLength: 6, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(anyVaults, anyChanges, anyCalls, async (contents, changes, calls) => {
        const served = await serve(contents, changes)
        for (const [list, page] of calls) await checkList(served, list, page)
        await served.close()
      }),
      { numRuns: RUNS },
    )
  })

  test('following next_offset gives the whole list', async () => {
    await fc.assert(
      fc.asyncProperty(anyVaults, fc.constantFrom(...LISTS), async (contents, list) => {
        const [name, own, rowsOf] = list
        const served = await serve(contents, [])
        const whole = rowsOf(JSON.parse((await served.ask(name, { ...own, max_tokens: 50_000 })).content[0].text))
        const paged: Wire[] = []
        for (let offset: number | undefined = 0; offset !== undefined && paged.length < whole.length; ) {
          const { content, structuredContent }: Wire = await served.ask(name, { ...own, max_tokens: 200, offset })
          paged.push(...rowsOf(JSON.parse(content[0].text)))
          offset = structuredContent.next_offset
        }
        expect(paged.slice(0, whole.length).map(nameOf)).toEqual(whole.map(nameOf))
        await served.close()
      }),
      { numRuns: RUNS },
    )
  })
})

test('with a budget of 100 tokens, every list shows its beginning and says where it continues', async () => {
  const notes = Array.from({ length: 9 }, (_, at) => [
    `Beds/A long name ${at}.md`,
    `---\ntags: [bed]\nnote: "${at} ${'x'.repeat(300)}"\nlist: [${at}, ${at + 1}]\n---\ncompost [[gone ${at}]] ${'soil '.repeat(200)}\n`,
  ])
  const served = await serve(
    [{ ...Object.fromEntries(notes), 'hub.md': `${notes.map(([path]) => `[[${path}]]`).join(' ')} ![[p.png]] #bed\n` }],
    [],
  )
  for (const [name, own, rowsOf] of LISTS) {
    const { content, structuredContent } = await served.ask(name, { ...own, max_tokens: 100 })
    const rows = rowsOf(JSON.parse(content[0].text))
    const { total, relevant: all = total, next_offset } = structuredContent
    expect(rows.length, name).toBeGreaterThanOrEqual(Math.min(1, all))
    if (rows.length > 1) expect(Buffer.byteLength(content[0].text), name).toBeLessThanOrEqual(400)
    expect(next_offset, name).toBe(rows.length < all ? rows.length : undefined)
  }
  await served.close()
})

test('trees and paths also stay within their budget and count what they leave out', async () => {
  await fc.assert(
    fc.asyncProperty(anyVault, fc.integer({ min: 100, max: 2_000 }), async (files, max_tokens) => {
      const served = await serve([files], [])
      const tree = await served.ask('get_tree', { max_tokens })
      expect(Buffer.byteLength(tree.content[0].text)).toBeLessThanOrEqual(max_tokens * 4)
      const counted = (folder: Wire): number =>
        (folder.notes ?? []).length +
        (folder.omitted_notes ?? 0) +
        (folder.folders ?? []).reduce((sum: number, one: Wire) => sum + one.note_count, 0)
      const root = JSON.parse(tree.content[0].text)
      if (root.omitted_folders === undefined) expect(counted(root)).toBe(root.note_count)
      const path = await served.ask('find_path', { source: 'hub', target: 'note 1', count: 5, max_tokens })
      expect(Buffer.byteLength(path.content[0].text)).toBeLessThanOrEqual(max_tokens * 4)
      const node = await served.ask('get_node', { id: 'hub', depth: 1, max_tokens })
      const { id, title, hash, content, next_offset } = JSON.parse(node.content[0].text)
      expect([id, title]).toEqual(['hub.md', 'hub'])
      if (max_tokens > 300) expect(Buffer.byteLength(node.content[0].text)).toBeLessThanOrEqual(max_tokens * 4)
      expect(hash.startsWith('partial:')).toBe(content.endsWith(MARKER))
      expect(next_offset === undefined).toBe(!content.endsWith(MARKER))
      await served.close()
    }),
    { numRuns: 20 },
  )
})

describe('bad input', () => {
  test.each([
    ['max_tokens', 99, 'max_tokens: expected an integer from 100 to 50000, got 99'],
    ['max_tokens', 50_001, 'max_tokens: expected an integer from 100 to 50000, got 50001'],
    ['max_tokens', 100.5, 'max_tokens: expected an integer, got 100.5'],
    ['offset', -1, 'offset: expected an integer of at least 0, got -1'],
    ['links', 101, 'links: expected an integer from 0 to 100, got 101'],
    ['links', -1, 'links: expected an integer from 0 to 100, got -1'],
  ])('%s %s is refused with its bounds', async (key, value, message) => {
    const tool = TOOLS.find(({ name }) => name === 'get_neighbors')
    expect(() => tool?.prepare({ id: 'x', [key]: value })).toThrow(message)
  })

  test('an offset beyond exact integers is reported once', () => {
    const tool = TOOLS.find(({ name }) => name === 'search')
    expect(() => tool?.prepare({ query: 'x', offset: 2 ** 53 })).toThrow(
      /^Invalid arguments for search: offset: expected an integer of at least 0, got 9007199254740992\.$/,
    )
  })
})
