import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AiState, aiStateFile } from '../../src/outbound/consent-ledger.ts'
import { Gate, type GateSettings } from '../../src/outbound/gate.ts'
import { readKey } from '../../src/outbound/open-chat.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { temporaryFolder } from '../support/temporary.ts'

const REMOTE = { baseUrl: 'https://api.example.com/v1', model: 'big' }
const LOCAL = { baseUrl: 'http://127.0.0.1:11434/v1', model: 'small' }
const NOON = Date.parse('2026-03-01T12:00:00Z')

function rig(settings: Partial<GateSettings> = {}, { env = {} }: { env?: Record<string, string> } = {}) {
  const path = join(temporaryFolder(), 'state', 'roux')
  const state = new AiState(aiStateFile(path), openSqlite)
  onTestFinished(() => state.close())
  let now = NOON
  const gate = new Gate({
    settings: () => ({ allow_remote: false, budget: 'auto', ...settings }),
    state: () => state,
    hasConsent: (origin) => state.consentOf(origin) !== undefined,
    now: () => now,
    env,
  })
  const setNow = (time: number): void => {
    now = time
  }
  return { gate, state, path, setNow }
}

describe('consent', () => {
  test('is not needed for a server on this computer', async () => {
    const { gate } = rig()
    expect((await gate.admit(LOCAL)).location).toBe('local')
  })

  test('another computer needs the setting and consent, and the error names what is missing', async () => {
    await expect(rig().gate.admit(REMOTE)).rejects.toMatchObject({
      code: 'REMOTE_NOT_ALLOWED',
      message: expect.stringMatching(
        /roux ai allow https:\/\/api\.example\.com" and set ai\.allow_remote to \["api\.example\.com"\]/,
      ),
    })
    await expect(rig({ allow_remote: true }).gate.admit(REMOTE)).rejects.toMatchObject({
      message: expect.not.stringContaining('ai.allow_remote'),
    })
    const { gate, state } = rig()
    state.allow('https://api.example.com', NOON)
    await expect(gate.admit(REMOTE)).rejects.toMatchObject({ message: expect.not.stringContaining('roux ai allow') })
  })

  test.each([true, ['api.example.com'], ['other.example', 'api.example.com']])(
    'with both, the request is admitted (%j)',
    async (allow_remote) => {
      const { gate, state } = rig({ allow_remote })
      state.allow('https://api.example.com', NOON)
      expect((await gate.admit(REMOTE)).location).toBe('remote')
    },
  )

  test('consent is for one origin: another scheme, port or name needs its own', async () => {
    const { gate, state } = rig({ allow_remote: true })
    state.allow('https://api.example.com', NOON)
    for (const baseUrl of [
      'http://api.example.com/v1',
      'https://api.example.com:8443/v1',
      'https://example.com/v1',
      'https://api.example.com.evil.example/v1',
    ])
      await expect(gate.admit({ ...REMOTE, baseUrl })).rejects.toMatchObject({ code: 'REMOTE_NOT_ALLOWED' })
  })

  test('an allowed host name does not allow names that merely end with it', async () => {
    const { gate, state } = rig({ allow_remote: ['example.com'] })
    state.allow('https://api.example.com', NOON)
    await expect(gate.admit(REMOTE)).rejects.toMatchObject({ code: 'REMOTE_NOT_ALLOWED' })
  })

  test('a model that a local server forwards to the cloud counts as remote', async () => {
    await expect(rig().gate.admit({ ...LOCAL, model: 'gpt-oss:120b-cloud' })).rejects.toMatchObject({
      code: 'REMOTE_NOT_ALLOWED',
    })
  })

  test('withdrawn consent applies to the next request', async () => {
    const { gate, state } = rig({ allow_remote: true })
    state.allow('https://api.example.com', NOON)
    const meter = (await gate.admit(REMOTE)).meterFor('ask')
    meter.begin({ input: 1, output: 1 }).end({ input: 1, output: 1, estimated: false })
    expect(state.revoke('https://api.example.com')).toBe(true)
    expect(() => meter.begin({ input: 1, output: 1 })).toThrow(/roux ai allow/)
    expect(state.usage('2026-01-01')[0]).toMatchObject({ requests: 1 })
  })

  test.each([
    { NODE_USE_ENV_PROXY: '1' },
    { NODE_OPTIONS: '--use-env-proxy' },
    { NODE_OPTIONS: '--no-warnings "--use-env-proxy"' },
    { NODE_OPTIONS: '--use_env_proxy' },
  ])('refuses to send requests through a proxy (%j)', async (env) => {
    await expect(rig({}, { env }).gate.admit(LOCAL)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })
})

describe('the ledger', () => {
  test('counts a request before sending it, and its usage afterwards', async () => {
    const { gate, state } = rig()
    const ticket = (await gate.admit(LOCAL)).meterFor('ask').begin({ input: 100, output: 50 })
    expect(state.usage('2026-03-01')).toMatchObject([{ requests: 1, input: 0, output: 0, reserved: 150, location: 'local' }])
    ticket.end({ input: 90, output: 10, estimated: true })
    ticket.end({ input: 90, output: 10, estimated: true })
    expect(state.usage('2026-03-01')).toMatchObject([
      {
        day: '2026-03-01',
        provider: '127.0.0.1:11434',
        model: 'small',
        feature: 'ask',
        requests: 1,
        input: 90,
        output: 10,
        estimated: 1,
        failed: 0,
        reserved: 0,
      },
    ])
  })

  test('reservations count towards the budget and are released when less was used', async () => {
    const { gate } = rig({ budget: 250 })
    const meter = (await gate.admit(LOCAL)).meterFor('ask')
    const first = meter.begin({ input: 100, output: 50 })
    expect(() => meter.begin({ input: 100, output: 50 })).toThrow(
      'The daily token budget is used up: 150 of 250 tokens are used today, and this request may use up to 150 more. It resets at 2026-03-02T00:00:00Z.',
    )
    first.end({ input: 60, output: 10, estimated: false })
    meter.begin({ input: 100, output: 50 })
  })

  test("a dead process's reservation counts until the end of the day", async () => {
    const { gate, state, setNow } = rig({ budget: 100 })
    const meter = (await gate.admit(LOCAL)).meterFor('ask')
    meter.begin({ input: 80, output: 0 })
    expect(() => meter.begin({ input: 80, output: 0 })).toThrow(/80 of 100/)
    setNow(NOON + 86_400_000)
    meter.begin({ input: 80, output: 0 })
    expect(state.usage('2026-01-01').map(({ day }) => day)).toEqual(['2026-03-02', '2026-03-01'])
  })

  test('by default, local use is unlimited, remote use limited to 200,000, and embedding only counted', async () => {
    const { gate, state } = rig({ allow_remote: true })
    state.allow('https://api.example.com', NOON)
    ;(await gate.admit(LOCAL)).meterFor('ask').begin({ input: 900_000, output: 0 })
    const remote = await gate.admit(REMOTE)
    remote.meterFor('embed').begin({ input: 900_000, output: 0 })
    remote.meterFor('ask').begin({ input: 199_000, output: 0 })
    expect(() => remote.meterFor('ask').begin({ input: 2_000, output: 0 })).toThrow(/199000 of 200000/)
  })

  test('an explicit limit includes embedding', async () => {
    const { gate } = rig({ budget: 1_000 })
    const { meterFor } = await gate.admit(LOCAL)
    meterFor('embed').begin({ input: 900, output: 0 })
    expect(() => meterFor('ask').begin({ input: 200, output: 0 })).toThrow(/900 of 1000/)
  })

  test('its file is private to the user, and an invalid file is refused', async () => {
    const { path } = rig()
    expect(statSync(aiStateFile(path)).mode & 0o777).toBe(0o600)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    const other = join(temporaryFolder(), 'ai.db')
    writeFileSync(other, 'no database, but a long enough text to be taken for one'.repeat(100))
    expect(() => new AiState(other, openSqlite)).toThrow(/cannot be used/)
    expect(readFileSync(other, 'utf8')).toContain('no database')
  })

  test.each([
    ['of a newer version', `PRAGMA application_id = ${0x526f7804}; PRAGMA user_version = 99`],
    ['of another program', 'PRAGMA application_id = 7; CREATE TABLE consents (x)'],
  ])('a database %s is refused and stays unchanged', (_, sql) => {
    const file = join(temporaryFolder(), 'ai.db')
    const made = openSqlite(file)
    made.exec(sql)
    made.close()
    const before = readFileSync(file)
    expect(() => new AiState(file, openSqlite)).toThrow(/it was created by another version or program/)
    expect(readFileSync(file).subarray(60, 72)).toEqual(before.subarray(60, 72))
  })

  test('without a ledger, local requests are allowed and remote ones refused', async () => {
    const settings = { allow_remote: true, budget: 'auto' } as const
    const unwritable = () => {
      throw new Error('read-only')
    }
    const gate = new Gate({ settings: () => settings, env: {}, state: unwritable, hasConsent: unwritable })
    ;(await gate.admit(LOCAL)).meterFor('ask').begin({ input: 1, output: 1 }).end({ input: 1, output: 1, estimated: false })
    await expect(gate.admit(REMOTE)).rejects.toThrow('read-only')
  })
})

describe('a full disk', () => {
  /** Returns a gate whose database has no more room once `fill` is called. */
  function full(): { readonly state: AiState; readonly gate: Gate; fill(): void } {
    let isFull = false
    const state = new AiState(join(temporaryFolder(), 'ai.db'), (path) => {
      const database = openSqlite(path)
      const exec = (sql: string): void => {
        if (isFull && sql === 'ROLLBACK') throw new Error('cannot rollback - no transaction is active')
        database.exec(sql)
        if (!isFull || sql !== 'BEGIN IMMEDIATE') return
        // SQLite, too, would have rolled back by now.
        database.exec('ROLLBACK')
        throw new Error('database or disk is full')
      }
      return new Proxy(database, {
        get: (_, name) => {
          const value: unknown = Reflect.get(database, name)
          return name === 'exec' ? exec : typeof value === 'function' ? value.bind(database) : value
        },
      })
    })
    onTestFinished(() => state.close())
    const fill = (): void => {
      isFull = true
    }
    const gate = new Gate({
      settings: () => ({ allow_remote: false, budget: 1_000 }),
      env: {},
      state: () => state,
      hasConsent: () => false,
    })
    return { state, gate, fill }
  }

  test('does not lose a finished answer', async () => {
    const { state, gate, fill } = full()
    const ticket = (await gate.admit(LOCAL)).meterFor('ask').begin({ input: 10, output: 10 })
    fill()
    ticket.end({ input: 1, output: 1, estimated: false })
    expect(state.usage('2000-01-01')).toMatchObject([{ reserved: 20 }])
  })

  test('refuses requests that must be counted, with the reason', async () => {
    const { gate, fill } = full()
    const { meterFor } = await gate.admit(LOCAL)
    fill()
    expect(() => meterFor('ask').begin({ input: 10, output: 10 })).toThrow(/cannot be used: .*disk is full/)
  })
})

describe('keys', () => {
  const KEY = 'sk-canary-1'
  function keyFile(mode: number, text = `${KEY}\n`): string {
    const file = join(temporaryFolder(), 'key')
    writeFileSync(file, text, { mode })
    return file
  }

  test('come from the variable, a file or a program, in this order', async () => {
    expect(await readKey()).toBeUndefined()
    expect(await readKey({ file: keyFile(0o600) })).toBe(KEY)
    expect(await readKey({ command: [process.execPath, '-e', `console.log(${JSON.stringify(KEY)})`] })).toBe(KEY)
    expect(await readKey({ value: 'first', file: keyFile(0o600), command: ['false'] })).toBe('first')
  })

  test('a file readable by others is refused with a hint', async () => {
    await expect(readKey({ file: keyFile(0o640) })).rejects.toMatchObject({ hint: expect.stringContaining('chmod 600') })
  })

  test("a failing program's output is not shown", async () => {
    const command = [
      process.execPath,
      '-e',
      `console.log(${JSON.stringify(KEY)}); console.error(${JSON.stringify(KEY)}); process.exit(3)`,
    ]
    const error = await readKey({ command }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: expect.stringContaining('failed (3)') })
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain(KEY)
    await expect(readKey({ command: ['/no/such/program'] })).rejects.toMatchObject({ message: expect.stringContaining('ENOENT') })
  })

  test.skipIf(process.platform === 'win32')('a pipe is not a key file', async () => {
    const file = join(temporaryFolder(), 'pipe')
    execFileSync('mkfifo', ['-m', '600', file])
    await expect(readKey({ file })).rejects.toMatchObject({ message: expect.stringContaining('not a regular file') })
  })

  test('an invalid key is refused without being shown', async () => {
    const error = await readKey({ file: keyFile(0o600, 'two words') }).catch((reason: unknown) => reason)
    expect(JSON.stringify(error)).not.toContain('two words')
  })
})
