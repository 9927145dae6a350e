import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { removeVault } from '../../src/store/neo4j/feed/index-writer.ts'
import { Connection } from '../../src/store/neo4j/server/connection.ts'
import { openWorld, PROGRAM, type Wire, type World } from '../e2e/support.ts'
import { cornerCalls } from '../support/corner-calls.ts'
import { writeCornerVault } from '../support/corner-vault.ts'
import { LONG } from '../support/long.ts'
import { NEO4J_URL, neo4jPlace } from '../support/neo4j.ts'
import { type ReadingCall, readingCalls, type VaultSample } from '../support/reading-calls.ts'

/** Larger vaults, if available; `ROUX_PARITY_VAULT` names another one. */
const VAULTS = [LONG ? '../shared/vaults/knowledge' : '', process.env.ROUX_PARITY_VAULT ?? '']
  .filter((path) => path !== '')
  .map((path) => resolve(path))
/** The vault with most kinds of nodes, names and links. The others differ in how notes are read, which is independent of the engine. */
const TELLING = ['demo']
const FIXTURES = LONG ? readdirSync('fixtures').filter((name) => !name.includes('.')) : TELLING

const NEO4J = {
  ROUX_STORE_NEO4J_URL: NEO4J_URL ?? '',
  ROUX_STORE_NEO4J_PASSWORD: process.env.ROUX_STORE_NEO4J_PASSWORD ?? '',
}

async function clientOf({ env, root }: World, args: readonly string[]): Promise<Wire> {
  const client = new Client({ name: 'parity', version: '1' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'serve', ...args],
      env: { ...env, ...NEO4J },
      cwd: root,
      stderr: 'ignore',
    }),
  )
  onTestFinished(() => client.close())
  return client
}

/** Matches the parts of an answer that appear if the call or its model was too slow, as on a busy machine. */
const IS_LATE = /"code":"TIMEOUT"|did not answer within/

async function call(client: Wire, [name, args]: ReadingCall): Promise<Wire> {
  const result = await client.callTool({ name, arguments: args })
  const { structuredContent = {}, content, isError = false } = result
  if (IS_LATE.test(JSON.stringify([structuredContent.error, structuredContent._warnings])))
    return await call(client, [name, args])
  const { _warnings = [], ...facts } = structuredContent
  const warnings = _warnings.filter(({ code }: Wire) => code !== 'INDEX_BUILDING' && code !== 'EMBEDDING')
  return { ...(isError ? { error: content[0]?.text } : facts), warnings }
}

async function sampleOf(client: Wire): Promise<VaultSample> {
  const list = async (args: Readonly<Record<string, unknown>>) =>
    (await call(client, ['list_nodes', { limit: 1_000, max_tokens: 50_000, ...args }])).nodes ?? []
  const notes = await list({})
  const step = Math.max(1, Math.floor(notes.length / 12))
  const picked = notes.filter((_: Wire, at: number) => at % step === 0).slice(0, 12)
  const titles = picked.map(({ title }: Wire) => title)
  const folders = picked.flatMap(({ id }: Wire) => (id.includes('/') ? [id.slice(0, id.lastIndexOf('/'))] : []))
  const words = titles.flatMap((title: string) => title.match(/\p{L}{4,}/gu) ?? [])
  const named = async (tool: string, member: string) =>
    ((await call(client, [tool, {}])).results ?? []).map((one: Wire) => one[member])
  return {
    ids: picked.map(({ id }: Wire) => id),
    titles,
    missing: (await list({ kinds: ['missing'] })).slice(0, 5).map(({ id }: Wire) => id),
    folders: [...new Set<string>(folders)].slice(0, 4),
    tags: await named('list_tags', 'tag'),
    properties: (await named('list_properties', 'key')).slice(0, 6),
    words: [...new Set<string>(words)].slice(0, 8),
    files: (await list({ kinds: ['attachment', 'canvas'] })).slice(0, 4).map(({ id }: Wire) => id),
    sections: await sectionsOf(client, picked.slice(0, 4)),
  }
}

async function sectionsOf(client: Wire, notes: readonly { readonly id: string }[]): Promise<VaultSample['sections']> {
  const outlines = await Promise.all(notes.map(({ id }) => call(client, ['get_node', { id }])))
  return outlines.flatMap(({ node }) => (node?.outline ?? []).slice(0, 1).map(({ text }: Wire) => [node.id, text] as const))
}

/** Calls whose answers depend on the whole vault or on vectors. */
const COMPUTED: readonly ReadingCall[] = [
  ['search', { query: 'all' }],
  ['map', {}],
  ['gaps', {}],
  ['suggest_links', {}],
  ['get_hubs', { metric: 'pagerank' }],
  ['get_hubs', { metric: 'betweenness' }],
]

/**
 * Repeats a call until everything that its answer depends on is computed. `call` leaves out warnings about what is not indexed
 * yet.
 */
async function whenComputed(client: Wire, [name, args]: ReadingCall): Promise<void> {
  for (;;) {
    const { structuredContent } = await client.callTool({ name, arguments: args })
    const codes = (structuredContent._warnings ?? []).map(({ code }: Wire) => code)
    if (!codes.some((code: string) => ['STALE', 'INDEX_BUILDING', 'EMBEDDING'].includes(code))) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** The number of concurrent calls. Most of them wait for the database, which plans each kind of query on first use. */
const AT_ONCE = 4

/** Allowed differences, with reasons; everything else must be equal. */
const ALLOWED: Readonly<Record<string, string>> = {
  search: 'words are ranked by Lucene: notes of nearly equal score can change places, and with them scores and passages',
  'context_pack of a question': 'rests on search',
  'context_pack of notes': 'cursors say which index they are of',
  compare: 'vectors are stored exactly instead of in halves: how much notes are alike differs in the fourth digit',
  suggest_tags: 'rests on words and vectors: what is hardly sure may be left out',
  similar_nodes:
    'vectors are stored exactly instead of in halves: scores differ in the fourth digit, and what is barely relevant may count',
  'find_nodes by relevance': 'the same notes, ranked by Lucene',
  'find_nodes in order': 'the same notes in the same order, with scores by Lucene',
}

function kindOf([tool, args]: ReadingCall): string {
  if (tool === 'context_pack') return args.query === undefined ? 'context_pack of notes' : 'context_pack of a question'
  if (tool !== 'find_nodes') return tool
  return args.order_by === undefined ? 'find_nodes by relevance' : 'find_nodes in order'
}

/** Returns an answer without the allowed differences. `shown` is the number of results that both answers have. */
function comparable(given: ReadingCall, answer: Wire, shown: number): Wire {
  const kind = kindOf(given)
  const codes = answer.warnings.map(({ code }: Wire) => code)
  if (kind === 'search') return { error: answer.error, isEmpty: (answer.results ?? []).length === 0, codes }
  if (kind === 'compare') return JSON.parse(JSON.stringify(answer, (key, value) => (key === 'alike' ? typeof value : value)))
  if (kind === 'suggest_tags') return { error: answer.error, codes }
  if (kind === 'context_pack of a question') return { error: answer.error, isEmpty: (answer.excerpts ?? []).length === 0, codes }
  if (kind === 'context_pack of notes') {
    const { cursor, ...rest } = answer
    return { ...rest, goesOn: cursor !== undefined }
  }
  if (kind === 'similar_nodes') {
    const { results = [], relevant: _, omitted: __, next_offset: ___, ...rest } = answer
    return { ...rest, results: results.map(({ id }: Wire) => id) }
  }
  if (given[0] !== 'find_nodes') return answer
  // Scores of different lengths leave more or less room in the budget.
  const { results = [], omitted: _, ...rest } = answer
  const ids = results.map(({ id }: Wire) => id)
  if (kind === 'find_nodes in order') {
    const { next_offset, ...facts } = rest
    return { ...facts, goesOn: next_offset !== undefined, results: ids.slice(0, shown) }
  }
  // If the order differs, a page contains other notes.
  return rest.next_offset === undefined && given[1].offset === undefined
    ? { ...rest, results: ids.sort() }
    : { total: rest.total, warnings: rest.warnings }
}

/** A call, and where its answers begin to differ. */
function difference(one: ReadingCall, ours: string, theirs: string): string {
  let at = 0
  while (ours[at] === theirs[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 80), at + 160)
  return `${JSON.stringify(one)}\n  ${around(ours)}\n  ${around(theirs)}`
}

/** A vault with cases in which engines have differed, and an empty one. */
const WRITTEN = join(tmpdir(), `roux-parity-${process.pid}`)
const [CORNERS, EMPTY, SPOKEN] = ['corners', 'empty', 'spoken'].map((name) => join(WRITTEN, `${name}-${process.pid}`)) as [
  string,
  string,
  string,
]
const PATHS = [
  CORNERS,
  ...(LONG ? [EMPTY] : []),
  ...FIXTURES.map((name) => resolve('fixtures', name)),
  ...VAULTS.filter((path) => existsSync(path)),
]

/** Notes in three languages. Each is the answer to its questions, which have other forms of its words, or other words, but no compounds. */
const NOTES: Readonly<Record<string, { readonly text: string; readonly questions: readonly string[] }>> = {
  'Versionen.md': {
    text: 'Im Verlauf der Versionen steht, wie eine Notiz früher aussah. Gelöschte Dateien stellst du dort wieder her.',
    questions: ['Verlauf der Version', 'gelöschter Datei', 'alte Fassung einer Notiz zurückholen'],
  },
  'Häuser.md': { text: 'Alte Häuser brauchen neue Dächer und dichte Fenster.', questions: ['Haus', 'Dach eines Hauses'] },
  'แม่แบบ.md': {
    text: 'แม่แบบช่วยให้คุณสร้างบันทึกใหม่ได้เร็วขึ้น โดยใช้ข้อความที่เตรียมไว้ล่วงหน้า',
    questions: ['สร้างบันทึกจากแม่แบบ', 'ข้อความที่เตรียมไว้'],
  },
  'ซิงค์.md': { text: 'การซิงค์ทำให้บันทึกของคุณเหมือนกันบนทุกอุปกรณ์', questions: ['บันทึกบนหลายอุปกรณ์', 'ซิงค์'] },
  'القوالب.md': {
    text: 'تساعدك القوالب على إنشاء ملاحظات جديدة بسرعة من نص جاهز.',
    questions: ['قالب لملاحظة جديدة', 'انشاء ملاحظات'],
  },
  'المزامنة.md': { text: 'تحفظ المزامنة الملاحظات متطابقة على كل الأجهزة.', questions: ['مزامنة الأجهزة'] },
}

describe.skipIf(NEO4J_URL === undefined)('every tool gives the same answer from Neo4j as from the embedded index', () => {
  afterAll(async () => {
    rmSync(WRITTEN, { recursive: true, force: true })
    for (const vault of [...PATHS, SPOKEN]) {
      const connection = new Connection({ ...neo4jPlace(), vault: basename(vault) })
      await removeVault(connection)
      await connection.close()
    }
  })

  // All vaults are written before the first question, because each new vault makes the server plan every query again.
  test('all vaults are fed into one database', { timeout: 900_000 }, async () => {
    const world = openWorld()
    for (const vault of [CORNERS, EMPTY]) mkdirSync(vault, { recursive: true })
    writeCornerVault(CORNERS)
    for (const vault of PATHS) {
      const feeding = await world.roux(['index', vault, '--store', 'neo4j'], { env: NEO4J })
      expect(feeding.code, feeding.err).toBe(0)
    }
  })

  test.each(PATHS)('%s', { timeout: 900_000 }, async (vault) => {
    const world = openWorld()
    const name = basename(vault)
    const embedded = await clientOf(world, [vault])
    const stored = await clientOf(world, ['--set', 'store.type=neo4j', '--set', `store.neo4j.vaults=${JSON.stringify([name])}`])
    // The answers are compared only after all background results are ready.
    for (const client of [embedded, stored]) for (const one of COMPUTED) await whenComputed(client, one)
    const sample = await sampleOf(embedded)
    expect(sample.ids.length > 0).toBe(vault !== EMPTY)
    const different: string[] = []
    const allowed = new Map<string, number>()
    const compare = async (one: ReadingCall): Promise<void> => {
      const answers = await Promise.all([call(embedded, one), call(stored, one)])
      const [first, second] = answers.map((answer) => JSON.stringify(answer))
      if (first === second) return
      const counts = answers.map(({ results = [] }) => results.length)
      // The room in the budget differs by a few digits.
      const isCut = kindOf(one) === 'find_nodes in order' && Math.max(...counts) - Math.min(...counts) > 2
      if (isCut) different.push(`${JSON.stringify(one)}\n  ${counts.join(' and ')} results`)
      const [ours, theirs] = answers.map((answer) => JSON.stringify(comparable(one, answer, Math.min(...counts))))
      if (ours === theirs && kindOf(one) in ALLOWED) allowed.set(kindOf(one), (allowed.get(kindOf(one)) ?? 0) + 1)
      else if (ours !== theirs) different.push(difference(one, ours ?? '', theirs ?? ''))
    }
    const waiting = [...readingCalls(sample), ...cornerCalls(sample)].toReversed()
    const compareAll = async (): Promise<void> => {
      for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await compare(one)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, compareAll))
    console.log(name, 'allowed:', Object.fromEntries(allowed), 'different:', different.length)
    expect(different.join('\n')).toBe('')
  })

  test('with `search.languages`, the same notes answer questions in German, Thai and Arabic', { timeout: 900_000 }, async () => {
    const world = openWorld()
    const spoken = ['--set', 'search.languages=["de","th","ar"]']
    mkdirSync(SPOKEN, { recursive: true })
    for (const [path, { text }] of Object.entries(NOTES)) writeFileSync(join(SPOKEN, path), `${text}\n`)
    const feeding = await world.roux(['index', SPOKEN, '--store', 'neo4j', ...spoken], { env: NEO4J })
    expect(feeding.code, feeding.err).toBe(0)
    const embedded = await clientOf(world, [SPOKEN, ...spoken])
    const vaults = `store.neo4j.vaults=${JSON.stringify([basename(SPOKEN)])}`
    const stored = await clientOf(world, ['--set', 'store.type=neo4j', '--set', vaults, ...spoken])
    for (const client of [embedded, stored]) await whenComputed(client, ['search', { query: 'all' }])
    for (const [path, { questions }] of Object.entries(NOTES)) {
      for (const query of questions) {
        for (const mode of ['keyword', 'hybrid']) {
          const found = async (client: Wire): Promise<string[]> => {
            const { results = [], error } = await call(client, ['search', { query, mode }])
            expect(error).toBeUndefined()
            return results.map(({ id }: Wire) => id)
          }
          const [ours, theirs] = await Promise.all([found(embedded), found(stored)])
          expect([query, mode, theirs[0], theirs.toSorted()]).toEqual([query, mode, ours[0], ours.toSorted()])
          if (mode === 'hybrid') expect([query, ours[0]]).toEqual([query, path.toLowerCase()])
        }
      }
    }
  })
})
