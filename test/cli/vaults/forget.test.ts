import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { History } from '../../../src/compose/index.ts'
import { commandLine, type World } from '../support.ts'

let line: ReturnType<typeof commandLine>
let forgotten: number
beforeEach(() => {
  line = commandLine()
  forgotten = 0
})
afterEach(() => line.clean())

const KNOWN: History = { changes: 1, commits: 3, unfinished: 0 }

function remembering(history: History, answer?: string): World {
  const stdin = answer === undefined ? '' : Object.assign(Readable.from([answer]), { isTTY: true })
  return {
    tty: true,
    stdin,
    composition: {
      readHistory: () => history,
      forgetHistory: () => {
        forgotten++
        return history
      },
    },
  }
}

test('roux forget asks, and reports what it removed', async () => {
  const { code, out, err } = await line.roux(['forget'], remembering(KNOWN, 'y\n'))
  expect([code, out, forgotten]).toEqual([
    0,
    'Forgotten: 1 change in the record for undo, 3 entries in the log of what changed.\n',
    1,
  ])
  expect(err).toContain('Forget 1 change in the record for undo, 3 entries in the log of what changed of /vault?')
})

test.each(['n\n', '\n', '', 'yes, but\n'])('roux forget removes nothing after the answer %j', async (answer) => {
  const { code, err } = await line.roux(['forget'], remembering(KNOWN, answer))
  expect([code, forgotten]).toEqual([1, 0])
  expect(err).toContain('Nothing was removed.')
})

test('roux forget does not ask with --yes, and needs it without a terminal', async () => {
  const refused = await line.roux(['forget'], remembering(KNOWN))
  expect([refused.code, forgotten]).toEqual([2, 0])
  expect(refused.err).toContain('Add --yes to forget the history of /vault.')
  expect((await line.roux(['forget', '--yes', '--json'], remembering(KNOWN))).out).toBe(
    '{"forgotten":{"changes":1,"commits":3}}\n',
  )
  expect(forgotten).toBe(1)
})

test('roux forget reports an empty history, and what it must keep for now', async () => {
  const nothing = await line.roux(['forget'], remembering({ changes: 0, commits: 0, unfinished: 0 }))
  expect([nothing.code, nothing.out]).toEqual([0, 'There is no history of /vault.\n'])
  const { err } = await line.roux(['forget', '--yes'], remembering({ ...KNOWN, unfinished: 2 }))
  expect(err).toContain('2 changes that did not finish are kept')
})
