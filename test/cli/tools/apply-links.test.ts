import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RouxError } from '../../../src/core/errors.ts'
import type { UpdateNote, WriteRequest, Writing } from '../../../src/core/operations.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'
import { searchCore } from '../../app/search-core.ts'
import { fakeWriting } from '../../app/write/fake-writing.ts'
import { commandLine, type Outcome, type World } from '../support.ts'

const NOTES = {
  'A.md': 'Beside the rose garden it is quiet.\n',
  'B.md': 'The compost heap is warm.\n',
  'C.md': 'Rakes lean on the tool shed.\n',
  'Rose garden.md': 'Thorny bushes.\n',
  'Compost heap.md': 'Leaves rot.\n',
  'Tool shed.md': 'Wood and nails.\n',
  'more/D.md': 'In the [[rose garden]], the [[compost heap]] and the [[tool shed]].\n',
  'more/E.md': 'The [[tool shed]], the [[rose garden]] and the [[compost heap]].\n',
}
/** In the order they are offered. */
const OFFERED = ['c.md tool shed', 'a.md rose garden', 'b.md compost heap'] as const

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

interface Reviewed extends Outcome {
  readonly requests: readonly WriteRequest[]
  /** The notes that were written, each with the replaced text. */
  readonly written: readonly string[]
  readonly dismissed: ReadonlySet<string>
}

interface Setting {
  readonly notes?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** For each request in turn, the notes that changed since they were offered. */
  readonly stale?: (request: WriteRequest) => readonly string[]
  readonly world?: World
}

/** Answers the questions at a terminal. */
async function review(answers: string | Readable, { notes = NOTES, args = [], stale, world }: Setting = {}): Promise<Reviewed> {
  const core = await searchCore(notes)
  const requests: WriteRequest[] = []
  const inner = fakeWriting()
  const writing: Writing = {
    ...inner,
    async run(request) {
      requests.push(request)
      const changed = stale?.(request) ?? []
      const hit = request.operations.find((one) => changed.includes((one as UpdateNote).id))
      if (hit !== undefined) throw new RouxError('CONFLICT', `"${(hit as UpdateNote).id}" was changed since.`)
      const files = [...new Set(request.operations.map((one) => (one as UpdateNote).id))]
      const result = await inner.run(request)
      return { ...result, files: files.map((path) => ({ kind: 'changed', from: path, to: path, relinked: [] })) }
    },
  }
  const stdin = Object.assign(typeof answers === 'string' ? Readable.from([answers]) : answers, { isTTY: true })
  const outcome = await line.roux(['suggest-links', '--apply', ...args], {
    tools: TOOLS,
    tty: true,
    stdin,
    core: ({ tools }) => (tools.write ? { ...core, writing } : core),
    ...world,
  })
  const written = requests
    .filter(({ dryRun }) => !dryRun)
    .at(-1)
    ?.operations.map((one) => `${(one as UpdateNote).id} ${(one as UpdateNote).replaceText?.find}`)
  return { ...outcome, requests, written: written ?? [], dismissed: await core.insightState.dismissed() }
}

test('shows each link in its line, and makes the accepted ones in one change', async () => {
  const { code, out, err, written } = await review('y\nn\nyes\n')
  expect(err).toContain(`1 of 3  Tool shed`)
  expect(err).toContain('c.md, line 1\n- Rakes lean on the tool shed.\n+ Rakes lean on the [[tool shed]].\n')
  expect([code, written]).toEqual([0, [OFFERED[0], OFFERED[2]]])
  expect(out).toBe('Made 2 links. Changed c.md, b.md.\n"roux undo c1 --write" undoes it.\n')
})

test('makes the accepted links when the input ends or the user quits', async () => {
  expect((await review('y\ny\n')).written).toEqual(OFFERED.slice(0, 2))
  expect((await review('y\nq\ny\n')).written).toEqual(OFFERED.slice(0, 1))
  expect((await review('y')).written).toEqual(OFFERED.slice(0, 1))
})

test('makes the accepted links when the user presses Ctrl+C', async () => {
  const stdin = new Readable({ read: () => {} })
  let stop = (): void => {}
  let requests = 0
  stdin.push('y\n')
  const { out, written } = await review(stdin, {
    stale: () => {
      // The second question is not shown yet while the first answer is processed.
      if (requests++ === 0) setTimeout(() => stop(), 50)
      return []
    },
    world: {
      onSignal: (listener) => {
        stop = listener
      },
    },
  })
  expect(written).toEqual([OFFERED[0]])
  expect(out).toContain('undoes it')
})

test('a link dismissed with "never" is not offered again until it is restored', async () => {
  const { written, dismissed, out, err } = await review('never\nn\nn\n')
  expect([written, [...dismissed]]).toEqual([[], ['link:c.md//tool shed.md']])
  expect(out).toBe('No link was added.\n')
  expect(err.match(/^\d of \d/gm)).toEqual(['1 of 3', '2 of 3', '3 of 3'])
})

test('offers every link once across pages, even if some are dismissed on the way', async () => {
  const notes = Object.fromEntries([
    ...Array.from({ length: 45 }, (_, at) => [`n${at}.md`, `Here the rose garden is number ${at}.\n`] as const),
    ...Array.from({ length: 45 }, (_, at) => [`m${at}.md`, `The [[rose garden]] again, ${at}.\n`] as const),
    ['Rose garden.md', 'Thorny bushes.\n'],
  ])
  const { err, dismissed } = await review('never\n'.repeat(30) + 'y\n'.repeat(30), { notes })
  const offered = [...err.matchAll(/^n\d+\.md(?=, line 1$)/gm)].map(([id]) => id)
  expect(new Set(offered).size).toBe(45)
  expect([offered.length, dismissed.size]).toEqual([45, 30])
})

test('reports a note that changed before the answer and offers the next link', async () => {
  const { code, err, written } = await review('y\ny\nq\n', { stale: () => ['c.md'] })
  expect(err).toContain('CONFLICT: "c.md" was changed since. The link was not added.')
  expect([code, written]).toEqual([0, [OFFERED[1]]])
})

test('a note that changed after the answer does not block the other links', async () => {
  let tries = 0
  const { err, out, written } = await review('y\ny\ny\n', { stale: () => (tries++ < 3 ? [] : ['c.md']) })
  expect(err).toContain('CONFLICT: "c.md" was changed since.')
  expect(written).toEqual(OFFERED.slice(1))
  expect(out).toContain('Made 2 links.')
})

test('skips a link on a line that already gets another one', async () => {
  const notes = { ...NOTES, 'C.md': 'Rakes lean on the tool shed, far from the compost heap.\n' }
  const { err, requests } = await review('y\ny\ny\ny\n', { notes })
  expect(err.match(/^c\.md, line 1$/gm)).toHaveLength(1)
  expect(err).toContain('Skipped, because another link changes their line: 1.')
  expect(requests.at(-1)?.operations).toHaveLength(3)
})

test('repeats the question after an invalid answer', async () => {
  const { err, written } = await review('perhaps\nY\nq\n')
  expect(err).toContain('Answer y, n, never or q.')
  expect(written).toEqual([OFFERED[0]])
})

test('offers links only for the given note, folder or limit', async () => {
  expect((await review('y\ny\ny\n', { args: ['A'] })).written).toEqual([OFFERED[1]])
  expect((await review('y\ny\ny\n', { args: ['--limit', '2'] })).written).toEqual(OFFERED.slice(0, 2))
  const none = await review('y\n', { args: ['more'] })
  expect([none.written, none.out]).toEqual([[], 'No link was added.\n'])
  expect(none.err).toContain('Nothing found.')
})

test('without a terminal, asks nothing and says what to do', async () => {
  const { code, err, requests } = await review('y\n', { world: { stdin: 'y\n' } })
  expect([code, requests]).toEqual([2, []])
  expect(err).toContain('This command needs a terminal.')
  expect(err).toContain('roux apply-changes --write')
})

test('respects disabled tools, and checks arguments before it asks', async () => {
  const off = await review('y\n', { args: ['--set', 'tools.apply_changes=false'] })
  expect([off.code, off.requests]).toEqual([1, []])
  expect(off.err).toContain('The tool apply_changes is switched off.')
  const edits = await review('y\n', { args: ['--set', 'tools.update_node=false'] })
  expect([edits.written, edits.err.includes('update_node')]).toEqual([[], true])
  expect((await review('', { args: ['--kind', 'related'] })).code).toBe(2)
  expect((await review('', { args: ['--limit', '0'] })).code).toBe(2)
})

test('dismisses and restores a link by its two notes', async () => {
  const core = await searchCore(NOTES)
  const dismiss = (...words: readonly string[]) =>
    line.roux(['suggest-links', '--dismiss', ...words], { tools: TOOLS, core: () => core })
  expect((await dismiss('B', 'Compost heap')).err).toBe('A link from b.md to compost heap.md is not suggested again.\n')
  expect([...(await core.insightState.dismissed())]).toEqual(['link:b.md//compost heap.md'])
  expect((await dismiss('b.md', 'compost heap.md')).err).toBe('A link from b.md to compost heap.md is suggested again.\n')
  expect((await core.insightState.dismissed()).size).toBe(0)
  expect((await dismiss('b.md')).code).toBe(2)
  expect((await dismiss('b.md', 'nowhere')).err).toContain('There is no note "nowhere".')
})
