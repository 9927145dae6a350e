import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ATTACKS } from '../ai/attacks.ts'
import { dangersIn } from '../ai/judge.ts'
import {
  anthropicSays,
  type Behavior,
  type FakeServer,
  openAiSays,
  openAiStream,
  serve,
  slowly,
  words,
} from '../outbound/fake-servers.ts'
import { eventually } from '../support/eventually.ts'
import { serveHttp } from './http-support.ts'
import { openWorld, shareDemoIndex, type Wire, type World } from './support.ts'

const KEY = 'sk-canary-4c1d9e'
const QUESTION = 'why is my bread so dense?'

function modelOf(server: FakeServer, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    ROUX_AI_ENABLED: 'true',
    ROUX_AI_PROVIDER: 'openai',
    ROUX_AI_BASE_URL: server.baseUrl,
    ROUX_AI_MODEL: 'fake',
    ROUX_AI_API_KEY: KEY,
    ...more,
  }
}

const openDemo = shareDemoIndex()

async function rig(behavior: Behavior, more: Readonly<Record<string, string>> = {}) {
  const world = openDemo()
  const server = await serve(behavior)
  return { world, server, env: modelOf(server, more) }
}

/** All files a run left behind, and its output. */
function everythingOf({ root }: World): string {
  const files = (readdirSync(root, { recursive: true, encoding: 'utf8' }) as string[]).map((path) => join(root, path))
  return files
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')
}

describe('roux ask', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: the model is interrupted, and only its actual usage is counted',
    async (signal) => {
      const { world, env, server } = await rig(slowly(Buffer.from(openAiStream({ text: words(2_000) })), { size: 80, ms: 50 }))
      const asking = world.start(['ask', QUESTION, '--vault', world.vault], { env })
      const ended = new Promise((resolve) => asking.once('close', resolve))
      await eventually(async () => expect(server.requests).toHaveLength(1))
      asking.kill(signal)
      expect(await ended).toBe(130)
      await eventually(async () => expect(server.closed).toBe(1))
      const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
      expect(rows).toMatchObject([{ requests: 1, reserved: 0, estimated: 1, failed: 1 }])
      expect(rows[0].input).toBeGreaterThan(0)
    },
  )

  test.each([
    ['openai', openAiSays],
    ['anthropic', anthropicSays],
  ] as const)('%s: every source of the answer is found in the notes, line by line', async (provider, says) => {
    const { world, env, server } = await rig(says('The dough was proofed too short [S1]. Nobody knows [S99].'), {
      ROUX_AI_PROVIDER: provider,
    })
    const { code, out, err } = await world.roux(['ask', QUESTION, '--vault', world.vault], { env })
    expect(code, err).toBe(0)
    const { status, citations, uncited, removed, usage, location } = JSON.parse(out)
    expect({ status, location, removed, uncited, requests: server.requests.length }).toEqual({
      status: 'answered',
      location: 'local',
      removed: { citations: 1, links: 0 },
      uncited: ['Nobody knows.'],
      requests: 1,
    })
    expect(usage).toMatchObject({ input: 100, estimated: false })
    for (const { id, start_line, end_line, quote } of citations) {
      const path = (readdirSync(world.vault, { recursive: true, encoding: 'utf8' }) as string[]).find(
        (one) => one.toLowerCase() === id || one.toLowerCase() === `${id}.md`,
      )
      const lines = readFileSync(join(world.vault, path ?? ''), 'utf8')
        .split('\n')
        .slice(start_line - 1, end_line)
        .join('\n')
      expect(lines).toContain(quote)
    }
    expect(citations.length).toBe(1)
    const used = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
    expect(used.rows).toMatchObject([{ model: 'fake', feature: 'ask', requests: 1, input: 100, failed: 0, reserved: 0 }])
    expect(out + err + everythingOf(world)).not.toContain(KEY)
  })

  test('--show-prompt shows what would be sent and sends nothing, even while asking is off', async () => {
    const { world, server } = await rig(openAiSays('no'))
    const { code, out } = await world.roux(['ask', QUESTION, '--show-prompt', '--vault', world.vault])
    expect(code).toBe(0)
    expect(JSON.parse(out).messages[0].content).toMatch(/\[S1\] .* \(lines \d+–\d+\)/)
    expect(server.requests).toHaveLength(0)
  })

  test('asks no model if nothing is found', async () => {
    const { world, env, server } = await rig(openAiSays('no'))
    const { out } = await world.roux(['ask', 'zzxqj wvkpt', '--vault', world.vault], { env })
    expect(JSON.parse(out)).toMatchObject({ status: 'not_found', answer: '', usage: { input: 0 } })
    expect(server.requests).toHaveLength(0)
  })

  test('never sends a denied note', async () => {
    const { world, env, server } = await rig(openAiSays('Nothing [S1].'), { ROUX_AI_DENY: 'Faults' })
    const { out, err } = await world.roux(['ask', QUESTION, '--vault', world.vault], { env })
    expect(err).toMatch(/matching passages were withheld from the model because of ai\.allow or ai\.deny/)
    expect(JSON.stringify(server.requests)).not.toMatch(/Dense crumb \(lines/i)
    expect(JSON.parse(out).citations.every(({ id }: Wire) => !id.startsWith('faults/'))).toBe(true)
    const only = await world.roux(['ask', QUESTION, '--note-id', 'faults/dense crumb', '--vault', world.vault], { env })
    expect(JSON.parse(only.out)).toMatchObject({ status: 'not_found' })
    expect(server.requests).toHaveLength(1)
  })

  test('never sends a note from the trash, or one that the vault hides', async () => {
    const { world, env, server } = await rig(openAiSays('Nothing [S1].'))
    const secret = '# Why bread is so dense\n\nMy bread is so dense because of canary-77.\n'
    world.write('.trash/Secret.md', secret)
    world.write('.hidden/Secret.md', secret)
    world.write('.obsidian/app.json', '{"userIgnoreFilters": ["private/"]}')
    world.write('private/Secret.md', secret)
    for (const note of [[], ['.trash/secret'], ['.hidden/secret'], ['private/secret']]) {
      const only = note.length === 0 ? [] : ['--note-id', ...note]
      const { out, err } = await world.roux(['ask', QUESTION, ...only, '--vault', world.vault], { env })
      expect(out + err).not.toContain('canary-77')
      if (note.length > 0) expect(err).toMatch(/secret/i)
    }
    expect(server.requests).toHaveLength(1)
    expect(JSON.stringify(server.requests)).not.toContain('canary-77')
  })

  test('accepts a question of 4,000 characters, and refuses a longer one', async () => {
    const { world, env, server } = await rig(openAiSays('Nothing [S1].'))
    const long = QUESTION.padEnd(4_001, ` ${QUESTION}`)
    const { code, err } = await world.roux(['ask', long, '--vault', world.vault], { env })
    expect([code, err, server.requests.length]).toEqual([expect.any(Number), expect.stringMatching(/question.*4,000/), 0])
    expect(code).not.toBe(0)
    expect((await world.roux(['ask', long.slice(1), '--vault', world.vault], { env })).code).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  test('another computer needs both permissions, and the error says which one is missing', async () => {
    const { world } = await rig(openAiSays('no'))
    const env = {
      ROUX_AI_ENABLED: 'true',
      ROUX_AI_PROVIDER: 'openai',
      ROUX_AI_BASE_URL: 'https://api.example.invalid/v1',
      ROUX_AI_MODEL: 'm',
    }
    const { code, err } = await world.roux(['ask', QUESTION, '--vault', world.vault], { env })
    expect([code, err]).toEqual([1, expect.stringContaining('roux ai allow https://api.example.invalid')])
    const here = await world.roux(['ai', 'allow', 'http://127.0.0.1:7999', '--json'])
    expect(JSON.parse(here.out)).toMatchObject({ origin: 'http://127.0.0.1:7999', set: true })
    const allowed = await world.roux(['ai', 'allow', 'https://api.example.invalid/v1', '--json'])
    expect(JSON.parse(allowed.out)).toMatchObject({ origin: 'https://api.example.invalid', set: false })
    const status = JSON.parse((await world.roux(['ai', 'status', '--json'], { env })).out)
    expect(status.models).toMatchObject([{ use: 'chat', location: 'remote', isAllowed: false, hasConsent: true }])
    expect(JSON.parse((await world.roux(['ai', 'revoke', 'api.example.invalid', '--json'])).out)).toMatchObject({ was: true })
  })

  test('roux ai test asks for one word', async () => {
    const { world, env, server } = await rig(openAiSays('ready'))
    expect(JSON.parse((await world.roux(['ai', 'test', '--json'], { env })).out)).toMatchObject({ answer: 'ready' })
    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/passage/i)
  })

  test('verify-quote says where a quote is, or that it is missing', async () => {
    const { world } = await rig(openAiSays('no'))
    world.write('quote.md', '# Q\n\nRye has *less* gluten than wheat.\n')
    const found = await world.roux(['verify-quote', 'quote', 'rye has less gluten than wheat', '--vault', world.vault])
    expect([found.code, JSON.parse(found.out)]).toEqual([
      0,
      { found: true, id: 'quote.md', exact: true, start_line: 3, end_line: 3, text: 'Rye has *less* gluten than wheat' },
    ])
    const other = await world.roux(['verify-quote', 'quote', 'rye has more gluten than wheat', '--vault', world.vault])
    expect([other.code, JSON.parse(other.out)]).toEqual([
      1,
      {
        found: false,
        id: 'quote.md',
        nearest: { heading: ['Q'], start_line: 1, end_line: 3, text: expect.stringContaining('Rye has *less* gluten') },
      },
    ])
  })
})

describe('the tool ask', () => {
  const asked = async (world: World, env: Readonly<Record<string, string>>) => {
    const server = world.serve([world.vault], { env })
    await server.initialize()
    return server
  }

  test('is missing unless switched on', async () => {
    const { world } = await rig(openAiSays('no'))
    const server = await asked(world, {})
    const { result } = await server.request('tools/list')
    expect(result.tools.map(({ name }: Wire) => name)).not.toContain('ask')
    expect((await server.call('ask', { question: QUESTION })).structuredContent.error).toMatchObject({ code: 'TOOL_DISABLED' })
    await server.end()
  })

  test('is missing if tools.ask is off, whatever ai.enabled says', async () => {
    const { world, env, server: model } = await rig(openAiSays('no'), { ROUX_TOOLS_ASK: 'false' })
    const server = await asked(world, env)
    const { result } = await server.request('tools/list')
    expect(result.tools.map(({ name }: Wire) => name)).not.toContain('ask')
    const { structuredContent } = await server.call('ask', { question: QUESTION })
    expect(structuredContent.error).toMatchObject({ code: 'TOOL_DISABLED', hint: expect.stringContaining('tools.ask') })
    await server.end()
    const { code, err } = await world.roux(['ask', QUESTION, '--vault', world.vault], { env })
    expect([code, err]).toEqual([1, expect.stringContaining('tools.ask')])
    expect(model.requests).toHaveLength(0)
  })

  test('a running server applies a changed ai.deny, from its settings or the vault, to the next question', async () => {
    const { world, env, server: model } = await rig(openAiSays('Nothing [S1].'))
    const own = join(world.root, 'config/roux/roux.config.yaml')
    mkdirSync(dirname(own), { recursive: true })
    const server = await asked(world, env)
    const shown = async (): Promise<boolean> => {
      await server.call('ask', { question: QUESTION })
      return /Dense crumb \(lines/.test(JSON.stringify(model.requests.at(-1)?.body))
    }
    expect(await shown()).toBe(true)
    for (const file of [own, join(world.vault, 'roux.config.yaml')]) {
      writeFileSync(file, 'ai:\n  deny: ["./faults/"]\n')
      await eventually(async () => expect(await shown()).toBe(false))
      rmSync(file)
      await eventually(async () => expect(await shown()).toBe(true))
    }
    await server.end()
  })

  test('a running server applies a changed ai.allow_remote to the next question, either way', async () => {
    const { world, env } = await rig(openAiSays('no'), { ROUX_AI_BASE_URL: 'https://models.invalid/v1' })
    const own = join(world.root, 'config/roux/roux.config.yaml')
    mkdirSync(dirname(own), { recursive: true })
    const server = await asked(world, env)
    const refusal = async (): Promise<string> => {
      const { structuredContent } = await server.call('ask', { question: QUESTION })
      return JSON.stringify(structuredContent.error)
    }
    expect(await refusal()).toContain('ai.allow_remote')
    writeFileSync(own, 'ai:\n  allow_remote: true\n')
    // Only the consent recorded by `roux ai allow` is missing now.
    await eventually(async () => expect(await refusal()).not.toContain('ai.allow_remote'))
    expect(await refusal()).toContain('roux ai allow')
    rmSync(own)
    await eventually(async () => expect(await refusal()).toContain('ai.allow_remote'))
    await server.end()
  })

  test('with several vaults, one must be named', async () => {
    const { world, env, server: model } = await rig(openAiSays('Nothing [S1].'))
    const vaults = ['--set', `vaults.home=${world.vault}`, '--set', `vaults.work=${world.root}/config`]
    mkdirSync(join(world.root, 'config'), { recursive: true })
    const server = world.serve(vaults, { env })
    await server.initialize()
    const { structuredContent } = await server.call('ask', { question: QUESTION })
    expect(structuredContent.error).toMatchObject({ code: 'INVALID_PARAMS', candidates: ['home', 'work'] })
    expect(model.requests).toHaveLength(0)
    await server.call('ask', { question: QUESTION, vault: 'home' })
    expect(model.requests).toHaveLength(1)
    await server.end()
    const { code, err } = await world.roux(['ask', QUESTION, ...vaults], { env })
    expect([code, err]).toEqual([2, expect.stringContaining('There are several vaults: home, work.')])
  })

  test('a pattern without matches is reported once', async () => {
    const { world, env } = await rig(openAiSays('Nothing [S1].'), { ROUX_AI_DENY: 'fualts/**' })
    const server = await asked(world, env)
    const warnings = async () =>
      JSON.stringify((await server.call('ask', { question: QUESTION })).structuredContent._warnings ?? [])
    expect(await warnings()).toContain('fualts')
    expect(await warnings()).not.toContain('fualts')
    await server.end()
  })

  test('over HTTP needs a token with the scopes read and ai', async () => {
    const { world, server: model } = await rig(openAiSays('It was proofed too short [S1].'))
    const settings = ['ai.enabled=true', 'ai.provider=openai', `ai.base_url=${model.baseUrl}`, 'ai.model=fake']
    const http = await serveHttp(
      world,
      settings.flatMap((setting) => ['--set', setting]),
    )
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: { question: QUESTION } },
    }
    const answers: unknown[] = []
    for (const scope of ['read', 'ai', 'read,write,attach', 'read,ai']) {
      const { out } = await world.roux(['token', 'add', scope.replaceAll(',', '-'), '--scope', scope])
      const answer = await http.post(message, { Authorization: `Bearer ${out.trim()}` })
      const { structuredContent } = ((await answer.json()) as Wire).result
      answers.push(
        structuredContent.status ?? [structuredContent.error.code, structuredContent.error.hint.match(/no scope [^.]*/)?.[0]],
      )
    }
    expect(answers).toEqual([
      ['TOOL_DISABLED', 'no scope "ai"'],
      ['TOOL_DISABLED', 'no scope "read"'],
      ['TOOL_DISABLED', 'no scope "ai"'],
      'answered',
    ])
    expect(model.requests).toHaveLength(1)
  })

  test('reports its phases, no part of the answer, and one result', async () => {
    const { world, env } = await rig(openAiSays({ thinking: 'Hm.', text: 'It was proofed too short [S1].' }))
    const server = await asked(world, env)
    const { result } = await server.request('tools/call', {
      name: 'ask',
      arguments: { question: QUESTION },
      _meta: { progressToken: 't' },
    })
    expect(result.structuredContent).toMatchObject({ status: 'answered', model: 'fake', location: 'local' })
    expect(result.structuredContent.answer).toMatch(/^It was proofed too short\. \[1\]\(roux:\/\/node\/[^)]+\)$/)
    const progress = server.lines.map((line) => JSON.parse(line)).filter(({ method }) => method === 'notifications/progress')
    const numbers = progress.map(({ params }) => params.progress)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(progress.map(({ params }) => params.message).join()).toMatch(/Looking for passages,.*Asking fake/)
    expect(progress.map(({ params }) => params.message).join()).not.toContain('proofed')
    const info = await server.request('resources/read', { uri: 'roux://system-info' })
    expect(Object.values(JSON.parse(info.result.contents[0].text).tokens)).toMatchObject([{ requests: 1, input: 100 }])
    const { err } = await server.end()
    expect(server.lines.join() + err + everythingOf(world)).not.toContain(KEY)
  })

  test('cancelling a call closes the connection, and it is counted', async () => {
    const {
      world,
      env,
      server: model,
    } = await rig(slowly(Buffer.from(openAiStream({ text: words(80) })), { size: 100, ms: 50, isOpen: true }))
    const server = await asked(world, env)
    server.send({ jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'ask', arguments: { question: QUESTION } } })
    await eventually(async () => expect(model.requests).toHaveLength(1))
    server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c' } })
    await eventually(async () => expect(model.closed).toBe(1))
    await eventually(async () => {
      const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
      expect(rows).toMatchObject([{ requests: 1, failed: 1, estimated: 1, reserved: 0 }])
    })
    await server.end()
  })

  test('a model that follows every injected instruction achieves nothing', async () => {
    let attack = ''
    const { world, env } = await rig((request, response, count) =>
      openAiSays(`It was proofed too short [S1]. ${attack}`)(request, response, count),
    )
    const server = await asked(world, env)
    for (const [name, text] of Object.entries(ATTACKS)) {
      attack = text
      const { structuredContent } = await server.call('ask', { question: QUESTION })
      const isOwn = (url: string) =>
        structuredContent.citations.some(
          ({ id }: Wire) => url === `roux://node/${id.split('/').map(encodeURIComponent).join('/')}`,
        )
      expect(dangersIn(structuredContent.answer, isOwn), name).toEqual([])
      expect(
        structuredContent.uncited.flatMap((one: string) => dangersIn(one)),
        name,
      ).toEqual([])
    }
    await server.end()
  })

  test("two processes with fifty questions each stay within a budget for ten, and the ledger equals the server's count", async () => {
    // Less than the reservation for a question of 1,500 tokens, so no request exceeds the limit.
    const cost = 1_300
    const {
      world,
      env,
      server: model,
    } = await rig(openAiSays({ text: 'Too short [S1].', usage: { prompt_tokens: cost - 100, completion_tokens: 100 } }), {
      ROUX_AI_CONTEXT: '1500',
      ROUX_AI_MAX_TOKENS: '100',
      ROUX_AI_BUDGET: String(10 * cost),
    })
    const servers = await Promise.all([asked(world, env), asked(world, env)])
    const outcomes = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 50 }, () =>
          server.call('ask', { question: QUESTION }).then(({ structuredContent }) => structuredContent),
        ),
      ),
    )
    expect(model.requests.length).toBeLessThanOrEqual(10)
    expect(model.requests.length).toBeGreaterThan(5)
    const answered = outcomes.filter(({ status }) => status === 'answered')
    const refused = outcomes.filter(({ error }) => error?.code === 'BUDGET_EXCEEDED')
    expect([answered.length, answered.length + refused.length]).toEqual([model.requests.length, 100])
    expect(refused[0].error.message).toMatch(/of 13000 tokens are used today.*resets at \d{4}-\d\d-\d\dT00:00:00Z/)
    const { rows } = JSON.parse((await world.roux(['usage', '--json'], { env })).out)
    expect(rows).toMatchObject([
      {
        requests: model.requests.length,
        input: model.requests.length * (cost - 100),
        output: model.requests.length * 100,
        reserved: 0,
      },
    ])
    await Promise.all(servers.map((server) => server.end()))
  })
})

test('by default, no tool and no command opens a connection', async () => {
  const world = openWorld({ fixture: 'demo' })
  const log = join(world.root, 'connections')
  const hook = join(world.root, 'hook.cjs')
  writeFileSync(log, '')
  writeFileSync(
    hook,
    `const { appendFileSync } = require('node:fs'); const net = require('node:net'); const dns = require('node:dns')
const tell = (what) => appendFileSync(${JSON.stringify(log)}, what + '\\n')
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) { tell('connect ' + JSON.stringify(args[0])); return connect.apply(this, args) }
for (const name of ['lookup', 'resolve']) { const own = dns[name]; dns[name] = (...args) => { tell(name + ' ' + args[0]); return own(...args) } }
const own = globalThis.fetch; globalThis.fetch = (...args) => { tell('fetch ' + args[0]); return own(...args) }
`,
  )
  const env = { NODE_OPTIONS: `--require ${hook}`, ROUX_AI_API_KEY: KEY, HTTPS_PROXY: 'http://127.0.0.1:9' }
  const server = world.serve([world.vault, '--write'], { env })
  await server.initialize()
  const { result } = await server.request('tools/list')
  const args: Readonly<Record<string, object>> = {
    search: { query: QUESTION },
    find_nodes: { query: 'bread' },
    get_tree: {},
    get_hubs: {},
    list_tags: {},
  }
  for (const { name, inputSchema } of result.tools) {
    const given =
      args[name] ??
      Object.fromEntries(
        (inputSchema.required ?? []).map((one: string) => [
          one,
          one === 'ids' || one === 'names' || one === 'tags' ? ['home'] : 'home',
        ]),
      )
    await server.call(name, given)
  }
  await server.end()
  await world.roux(['status', world.vault], { env })
  await world.roux(['ai', 'status'], { env })
  expect(readFileSync(log, 'utf8')).toBe('')
  expect(everythingOf(world)).not.toContain(KEY)
})
