import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { greetingFor } from '../../src/relay/greeting.ts'

test('the running server completes a line, whatever options it contains', () => {
  for (const typed of ['--help', '--alone', '--http=1', '-V', 'open']) {
    const argv = ['completion', 'fish', '--', 'roux', typed, '']
    expect(greetingFor(argv, {})).toMatchObject({ kind: 'command', argv })
  }
})

test('a process works alone if its own options or its environment demand it', () => {
  const own = [
    ['search', 'x', '--alone'],
    ['get-hubs', '--help'],
    ['serve', '--http'],
    ['open'],
    ['--vault', 'search'],
    ['--', 'x'],
  ]
  for (const argv of own) expect(greetingFor(argv, {}), argv.join(' ')).toBeUndefined()
  expect(greetingFor(['get-hubs'], { ROUX_SERVE_SHARED: 'off' })).toBeUndefined()
})

test('the shared server gets only commands that serve or ask a vault', () => {
  const shared = COMMANDS.map(({ name }) => name).filter((name) => greetingFor([name], {}) !== undefined)
  expect(shared).toEqual(['serve', 'ask', 'call', 'completion'])
})
