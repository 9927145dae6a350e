import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bagOf } from '../support/bag-of-words.ts'
import { eventually } from '../support/eventually.ts'
import { openWorld, PROGRAM, type Server, type Wire, type World } from './support.ts'

const DEMO = () => openWorld({ fixture: 'demo' })
const idsOf = (nodes: Wire): readonly string[] => nodes.map(({ id }: Wire) => id)
const codesOf = ({ structuredContent }: Wire): readonly string[] =>
  (structuredContent._warnings ?? []).map(({ code }: Wire) => code)

async function serve(world: World, ...options: readonly string[]): Promise<Server> {
  const server = world.serve([world.vault, ...options])
  await server.initialize()
  return server
}

/** A server that has indexed and embedded everything. */
async function serveComplete(world: World, ...options: readonly string[]): Promise<Server> {
  const server = await serve(world, ...options)
  await eventually(async () => expect(codesOf(await server.call('search', { query: 'bread' }))).toEqual([]))
  return server
}

test('in a vault of several languages, search, similar_nodes and context_pack find the note in another language', async () => {
  const world = openWorld()
  const notes = {
    'Baking.md':
      'Bake the bread in a hot oven until the crust is brown. Let the dough of flour, water, salt and yeast rise first.',
    'Backen.md':
      'Das Brot wird im heißen Ofen gebacken, bis die Kruste braun ist. Vorher geht der Teig aus Mehl, Wasser und Hefe.',
    'Travel.md': 'Who feeds the dog while we travel in summer?',
    'Fest.md': 'Die Familie feiert im Sommer mit Musik und Tanz.',
    'Antrag.md': 'Wer Urlaub nimmt, muss ihn vor dem Sommer beantragen.',
    'Frist.md': 'Solange die Frist läuft, macht das Amt nichts.',
    'Taxes.md': 'Income, deductions, forms and deadlines of the year.',
  }
  for (const [path, text] of Object.entries(notes)) world.write(path, `${text}\n`)
  const server = await serveComplete(world)
  const query = 'Wer gibt dem Hund zu fressen, wenn wir im Sommer verreisen?'
  const { structuredContent: found } = await server.call('search', { query })
  expect(idsOf(found.results).slice(0, 3)).toContain('travel.md')
  const { structuredContent: pack } = await server.call('context_pack', { query })
  expect(JSON.stringify(pack)).toContain('Who feeds the dog')
  await eventually(async () => {
    const { structuredContent: similar } = await server.call('similar_nodes', { id: 'Backen', limit: 1 })
    expect(JSON.stringify(similar)).toContain('baking.md')
  })
})

test('search.languages tells the language of a short note, and a new value reads all notes again', async () => {
  const world = openWorld()
  world.write('Stadt.md', 'Die Häuser\n')
  world.write('Walk.md', 'The old town has a river and many bridges.\n')
  world.write('Rechnung.md', 'De huizen zijn duur, en het water is koud.\n')
  const found = async (...args: readonly string[]) => {
    const { out } = await world.roux(['search', 'Haus', '--mode', 'keyword', '--json', '--vault', world.vault, ...args])
    return idsOf(JSON.parse(out))
  }
  // `Die` is a Dutch word, too.
  expect(await found()).toEqual([])
  expect(await found('--set', 'search.languages=en,de')).toEqual(['stadt.md'])
  expect(await found('--set', 'search.languages=["de"]')).toEqual(['stadt.md'])
  expect(await found()).toEqual([])
  world.write('roux.config.yaml', 'search:\n  languages: [en, german]\n')
  const { code, err } = await world.roux(['search', 'Haus', '--vault', world.vault])
  expect(code).not.toBe(0)
  expect(err).toMatch(/search\.languages must be auto, or a list of am, ar, .*, zh; got an item that is the string "german"/)
})

describe('a client', () => {
  test('gets the search tools and finds notes with them', async () => {
    const world = DEMO()
    const client: Wire = new Client({ name: 'test', version: '1' })
    onTestFinished(() => client.close())
    const args = [PROGRAM, 'serve', world.vault]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env: { ...world.env }, stderr: 'pipe' }))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }: Wire) => name)).toEqual(expect.arrayContaining(['search', 'find_nodes', 'similar_nodes']))

    const call = async (name: string, given: object) => {
      const result = await client.callTool({ name, arguments: given })
      expect(result.structuredContent.results).toEqual(JSON.parse(result.content[0].text))
      return result.structuredContent.results
    }
    const [answer] = await call('search', { query: 'why is my bread so dense?', limit: 3 })
    expect(answer).toMatchObject({ id: 'faults/dense crumb.md', title: 'Dense crumb', score: expect.any(Number) })
    const [passage] = answer.passages
    expect(passage).toMatchObject({ heading: ['Dense crumb'], start_line: expect.any(Number), end_line: expect.any(Number) })
    expect(passage.text).toContain('dense')

    const [found] = await call('find_nodes', { query: '#fault ~up=Troubleshooting title:crumb' })
    expect(found).toMatchObject({ id: 'faults/dense crumb.md', line: expect.any(Number) })
    expect(found).not.toHaveProperty('highlights')
    expect(found).not.toHaveProperty('created')
    const [dated] = await call('find_nodes', { query: '#fault title:crumb created:2024-01' })
    expect(dated).toMatchObject({ id: 'faults/dense crumb.md', created: '2024-01-06' })

    await eventually(async () => {
      const similar = await call('similar_nodes', { id: 'faults/dense crumb', exclude_linked: true })
      expect(similar.length).toBeGreaterThan(0)
      expect(idsOf(similar)).not.toContain('faults/dense crumb.md')
      expect(idsOf(similar)).not.toContain('techniques/proofing.md')
    })
  })

  test('finds an edited note by its new words and its new meaning', async () => {
    const world = DEMO()
    const server = await serveComplete(world)
    const semantic = { query: 'small marsupials such as kangaroos and wallabies', mode: 'semantic', limit: 3 }
    expect(idsOf(await server.ask('search', semantic))).not.toContain('inbox/visitor.md')
    world.write('Inbox/Visitor.md', 'The quokka, a little wallaby of Rottnest island, is a marsupial.\n')
    await eventually(async () => expect(idsOf(await server.ask('find_nodes', { query: 'quokka' }))).toEqual(['inbox/visitor.md']))
    await eventually(async () => expect(idsOf(await server.ask('search', semantic))[0]).toBe('inbox/visitor.md'))
    world.write('Inbox/Visitor.md', 'Someone asked about the oven.\n')
    await eventually(async () => expect(await server.ask('find_nodes', { query: 'quokka' })).toEqual([]))
    await eventually(async () => expect(idsOf(await server.ask('search', semantic))).not.toContain('inbox/visitor.md'))
  })

  test('without an embedder, search uses words and names the setting', async () => {
    const world = DEMO()
    const server = await serve(world, '--set', 'embedder.kind=none')
    const { result } = await server.request('tools/list')
    const names = result.tools.map(({ name }: Wire) => name)
    expect(names).toContain('find_nodes')
    expect(names).not.toContain('search')
    const { isError, structuredContent } = await server.call('search', { query: 'x' })
    expect(isError).toBe(true)
    expect(structuredContent.error).toMatchObject({ code: 'TOOL_DISABLED', hint: expect.stringContaining('embedder.kind') })
    expect(idsOf(await server.ask('similar_nodes', { id: 'faults/dense crumb' })).length).toBeGreaterThan(0)
    expect(idsOf(await server.ask('find_nodes', { query: 'poolish' })).length).toBeGreaterThan(0)
    const semantic = await server.call('resolve_nodes', { names: ['bread'], strategy: 'semantic' })
    expect(semantic).toMatchObject({ isError: true, structuredContent: { error: { code: 'PROVIDER_ERROR' } } })
  })
})

/** A slow embedding server based on word counts. */
async function embeddingServer(milliseconds: number) {
  const facts = { options: [] as readonly string[], passages: 0, texts: [] as string[] }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const { input } = JSON.parse(body) as { input: readonly string[] }
      facts.texts.push(...input)
      const passages = input.filter((text) => text.startsWith('passage: ')).length
      facts.passages += passages
      const data = input.map((text, index) => ({ index, embedding: [...bagOf(text, 64)] }))
      setTimeout(() => response.end(JSON.stringify({ data })), passages > 0 ? milliseconds : 0)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const settings = {
    kind: 'openai',
    model: 'bag',
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    passage_prefix: 'passage: ',
    batch: 4,
  }
  facts.options = Object.entries(settings).flatMap(([key, value]) => ['--set', `embedder.${key}=${value}`])
  return facts
}

describe('a slow model', () => {
  test('words answer at once with a notice until the vectors are ready, and a restart computes none again', async () => {
    const world = DEMO()
    const embeddings = await embeddingServer(100)
    const server = await serve(world, ...embeddings.options)
    const first = await server.call('search', { query: 'Sourdough starter' })
    expect(JSON.parse(first.content[0].text)[0].id).toBe('concepts/sourdough starter.md')
    expect(codesOf(first)).toContain('EMBEDDING')
    expect(first.content[1].text).toContain('EMBEDDING')
    await eventually(async () => expect(codesOf(await server.call('search', { query: 'starter' }))).toEqual([]))
    const [best] = await server.ask('search', { query: 'Sourdough starter', explain: true })
    expect(best.explain.semantic).toMatchObject({ rank: expect.any(Number) })
    await server.end()

    const before = embeddings.passages
    expect(before).toBeGreaterThan(66)
    const again = await serveComplete(world, ...embeddings.options)
    expect(embeddings.passages).toBe(before)
    world.write('Inbox/New.md', 'One more.\n')
    await eventually(async () => expect(idsOf(await again.ask('find_nodes', { query: 'title:New' }))).toEqual(['inbox/new.md']))
    await eventually(async () => expect(embeddings.passages).toBeGreaterThan(before))
    // Only the text and the title of the new note are embedded.
    expect(embeddings.passages).toBeLessThanOrEqual(before + 2)
  })

  test('the command line waits for words and says what is missing, and index completes it', async () => {
    const world = DEMO()
    const { options } = await embeddingServer(20)
    const vault = ['--vault', world.vault]
    const found = await world.roux(['search', 'Sourdough starter', '--limit', '1', ...vault, ...options])
    expect(idsOf(JSON.parse(found.out))).toEqual(['concepts/sourdough starter.md'])
    const { code, out, err } = await world.roux(['index', world.vault, ...options])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      vectors: { done: 66, total: 66 },
      embedder: expect.stringMatching(/^openai:bag:64:/),
    })
    expect(err).not.toContain('warning')
    const down = options.map((option) => option.replace(/base_url=.*/, 'base_url=http://127.0.0.1:1/v1'))
    const status = JSON.parse((await world.roux(['status', world.vault, ...down])).out)
    expect(status).toMatchObject({ vectors: { done: 66, total: 66 }, embedder: expect.stringMatching(/^openai:bag:64:/) })
    const doctor = await world.roux(['doctor', world.vault, ...down])
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.out).checks).toContainEqual(
      expect.objectContaining({ check: 'embedder', state: 'fail', message: expect.stringContaining('cannot be reached') }),
    )
  })

  test('a running server applies a changed ai.deny of one vault to the next note it embeds', async () => {
    const world = DEMO()
    const { options, texts } = await embeddingServer(0)
    const work = join(world.root, 'work')
    mkdirSync(join(work, 'secret'), { recursive: true })
    const server = world.serve(['--set', `vaults.home=${world.vault}`, '--set', `vaults.work=${work}`, ...options])
    await server.initialize()
    await server.call('search', { query: 'bread' })
    let notes = 0
    /** Returns whether a new note in `secret` of each vault was sent after a note outside it. */
    const areSent = async (): Promise<readonly boolean[]> => {
      const word = `word${++notes}x`
      for (const vault of [world.vault, work]) {
        mkdirSync(join(vault, 'secret'), { recursive: true })
        writeFileSync(join(vault, `secret/${word}.md`), `Secret ${word} of ${basename(vault)}.\n`)
        writeFileSync(join(vault, `z${word}.md`), `Open ${word} of ${basename(vault)}.\n`)
      }
      const isSent = (text: string) => texts.some((each) => each.includes(text))
      for (const vault of [world.vault, work]) {
        await eventually(async () => {
          expect(codesOf(await server.call('search', { query: word }))).not.toContain('EMBEDDING')
          expect(isSent(`Open ${word} of ${basename(vault)}.`)).toBe(true)
        })
      }
      return [world.vault, work].map((vault) => isSent(`Secret ${word} of ${basename(vault)}.`))
    }
    expect(await areSent()).toEqual([true, true])
    const settings = join(world.vault, 'roux.config.yaml')
    writeFileSync(settings, 'ai:\n  deny: [secret]\n')
    await eventually(async () => expect(await areSent()).toEqual([false, true]))
    rmSync(settings)
    await eventually(async () => expect(await areSent()).toEqual([true, true]))
  })

  test('Ctrl+C stops the work and keeps what was done', async () => {
    const world = DEMO()
    const embeddings = await embeddingServer(300)
    const child = spawn(process.execPath, [PROGRAM, 'index', world.vault, ...embeddings.options], { env: { ...world.env } })
    onTestFinished(() => void child.kill('SIGKILL'))
    let err = ''
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
    await eventually(async () => expect(embeddings.passages).toBeGreaterThan(0))
    child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(err).toContain('Stopped. Finished work is kept')
    const { out } = await world.roux(['find', 'poolish', '--vault', world.vault, ...embeddings.options])
    expect(JSON.parse(out).length).toBeGreaterThan(0)
  })
})

describe('the command line', () => {
  test('the first search waits until everything can be found', async () => {
    const world = DEMO()
    const { code, out, err } = await world.roux(['search', 'why is my bread so dense?', '--vault', world.vault])
    expect([code, err]).toEqual([0, ''])
    expect(idsOf(JSON.parse(out))[0]).toBe('faults/dense crumb.md')
    const similar = await world.roux(['similar-nodes', 'Dense crumb', '--vault', world.vault])
    expect(JSON.parse(similar.out).length).toBeGreaterThan(0)
    const find = await world.roux(['find', '(crumb OR', '--vault', world.vault])
    expect(find).toMatchObject({ code: 2, out: '' })
    expect(find.err).toMatch(/column \d+: .*\n {2}\(crumb OR\n {2} +\^\n/)
  })

  test('doctor finds a damaged search index, and index repairs it', async () => {
    const world = DEMO()
    await world.roux(['index', world.vault])
    const folder = join(world.root, 'cache', 'roux')
    const file = readdirSync(folder).find((name) => /^search-.*\.db$/.test(name)) ?? ''
    truncateSync(join(folder, file), 30_000)
    const stateOf = async () => {
      const { checks } = JSON.parse((await world.roux(['doctor', world.vault])).out)
      return checks.find(({ check }: Wire) => check === 'search').state
    }
    expect(await stateOf()).toBe('warn')
    expect((await world.roux(['search', 'dense bread', '--vault', world.vault])).code).toBe(0)
    await world.roux(['index', world.vault])
    expect(await stateOf()).toBe('ok')
  })
})

describe('unusual queries', () => {
  const word = 'x'.repeat(1_000_000)
  const words = Array.from({ length: 20_000 }, (_, at) => `word${at}`).join(' ')
  const QUERIES: readonly (readonly [string, string])[] = [
    ['320 KB', 'bread '.repeat(54_614)],
    ['20,000 words', words],
    ['10,000 operators', '-a OR '.repeat(5_000)],
    ['10,000 parentheses', '('.repeat(10_000)],
    ['one word of 1 MB', word],
    ['as long as search allows', words.slice(0, 10_000)],
    ['one word as long as search allows', word.slice(0, 10_000)],
    ['as many operators as find_nodes allows', '-a OR '.repeat(83)],
    ['as many parentheses as find_nodes allows', '('.repeat(500)],
    ['as many prefixes as find_nodes allows', 'a* '.repeat(166)],
    ['as many phrases as find_nodes allows', '"a b" '.repeat(83)],
    ['zeros and halves of characters', '\u0000\ud800 \udc00'.repeat(100)],
  ]

  test('unusual queries are answered or refused, without blocking others', async () => {
    const world = DEMO()
    const server = await serveComplete(world)
    const order: string[] = []
    const noted = async (name: string, asking: Promise<Wire>): Promise<Wire> => {
      const result = await asking
      order.push(name)
      return result
    }
    for (const [name, query] of QUERIES) {
      for (const tool of ['search', 'find_nodes']) {
        order.length = 0
        const asked = noted('asked', server.call(tool, { query }))
        const other = await noted('other', server.call('get_hubs', { limit: 1 }))
        const { isError = false, content } = await asked
        expect(other.isError ?? false, name).toBe(false)
        const answer = JSON.parse(content[0].text)
        if (isError) expect(answer.error, `${tool}: ${name}`).toMatchObject({ code: 'INVALID_PARAMS' })
        else expect(Array.isArray(answer), `${tool}: ${name}`).toBe(true)
        // An error must show the mistake, not the whole query.
        expect(content[0].text.length, `${tool}: ${name}`).toBeLessThan(100_000)
        expect([...order].sort()).toEqual(['asked', 'other'])
      }
    }
    expect((await server.end()).code).toBe(0)
  })

  test('the command line handles them, too', async () => {
    const world = DEMO()
    // A single program argument is limited to 128 KB.
    for (const query of [words.slice(0, 100_000), '('.repeat(10_000)]) {
      const { code, out, err } = await world.roux(['find', query, '--vault', world.vault])
      expect([code, out]).toEqual([2, ''])
      expect(err.length).toBeLessThan(10_000)
    }
  })
})
