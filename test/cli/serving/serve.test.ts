import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import type { Settings } from '../../../src/config/settings.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { commandLine } from '../support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

const message = (id: number, method: string, params: object = {}) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const HELLO = message(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})
const HUBS = message(2, 'tools/call', { name: 'get_hubs', arguments: {} })

function countingCore(): { opened: Settings[]; closed: number; core(settings: Settings): GraphCore } {
  const counts = {
    opened: [] as Settings[],
    closed: 0,
    core(settings: Settings): GraphCore {
      counts.opened.push(settings)
      return { ...fakeCore(fakeStore({ 'a.md': {} })), close: async () => void counts.closed++ }
    },
  }
  return counts
}

test('answers requests, and ends with its input', async () => {
  const counts = countingCore()
  const { code, out, err } = await line.roux(['serve', '--set', 'links.profile=obsidian'], {
    stdin: HELLO + HUBS,
    core: counts.core,
  })
  const answers = out
    .trim()
    .split('\n')
    .map((answer) => JSON.parse(answer))
  expect([code, err]).toEqual([0, ''])
  expect(answers.map(({ id }) => id)).toEqual([1, 2])
  expect(answers[0].result.serverInfo.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(answers[1].result.structuredContent.results).toEqual([{ id: 'a.md', title: 'a', score: 0 }])
  expect(counts.opened.map(({ links }) => links.profile)).toEqual(['obsidian'])
  expect(counts.closed).toBe(1)
})

test('does not offer a disabled tool', async () => {
  const { out } = await line.roux(['serve', '--set', 'tools.get_hubs=false'], {
    stdin: HELLO + message(2, 'tools/list') + message(3, 'tools/call', { name: 'get_hubs' }),
  })
  const answers = out
    .trim()
    .split('\n')
    .map((answer) => JSON.parse(answer))
  const [list, call] = [2, 3].map((id) => answers.find((answer) => answer.id === id))
  expect(list.result.tools.map(({ name }: { name: string }) => name)).not.toContain('get_hubs')
  expect(call.result.isError).toBe(true)
})

test('ends on a signal', async () => {
  const stdin = new PassThrough()
  const counts = countingCore()
  let stop = () => {}
  const onSignal = (listener: () => void) => {
    stop = listener
  }
  const ended = line.roux(['serve'], { stdin, core: counts.core, onSignal })
  stdin.write(HELLO + HUBS)
  // A call that has begun is still answered.
  await expect.poll(() => counts.opened).toHaveLength(1)
  stop()
  const { code, out } = await ended
  expect(code).toBe(0)
  expect(out.trim().split('\n')).toHaveLength(2)
  expect(counts.closed).toBe(1)
})

test('serve explains in a terminal how to connect', async () => {
  const { err, out } = await line.roux(['serve', '../my notes'], {
    stdin: Object.assign(new PassThrough().end(), { isTTY: true }),
  })
  expect(out).toBe('')
  expect(err).toContain("claude mcp add roux -- roux serve '/my notes'")
  expect(err).toContain("roux install claude-desktop|claude-code|cursor|vscode|zed --vault '/my notes'")
  expect(err).toContain('{"mcpServers":{"roux":{"command":"roux","args":["serve","/my notes"]}}}')
})

test('serve reports a missing folder in a terminal and does not claim to serve it', async () => {
  const { code, err } = await line.roux(['serve', '/nowhere'], {
    stdin: Object.assign(new PassThrough().end(), { isTTY: true }),
  })
  expect(code).toBe(0)
  expect(err).toMatch(/^warning: There is no folder \/nowhere\. Calls get VAULT_NOT_FOUND until it can be read\.\n/)
  expect(err).toContain('Roux serves /nowhere (once it can be read) over stdin and stdout')
})

test('invalid settings end the server before it serves', async () => {
  const { code, out, err } = await line.roux(['serve', '--set', 'vault.mode=x'], { stdin: HELLO })
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^error: --set: vault\.mode must be one of/)
})

test.each([
  [['--http', '70000'], '--http must be a port, a whole number from 0 to 65535; got 70000.'],
  [['--http', '--set', 'http.enabled=false'], '--http and --set http.enabled=false contradict each other.'],
])('%j is an error that names the given option', async (args, message) => {
  const { code, err } = await line.roux(['serve', ...args])
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
})

test('an invalid port for open is reported with the given option', async () => {
  const { code, err } = await line.roux(['open', '--print', '--port', '70000'])
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('error: --port must be a port, a whole number from 0 to 65535; got 70000.'),
  ])
})
