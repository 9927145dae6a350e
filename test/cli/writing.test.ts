import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ChangeSummary } from '../../src/core/changes.ts'
import { RouxError } from '../../src/core/errors.ts'
import type { WriteResult } from '../../src/core/operations.ts'
import { TOOLS } from '../../src/mcp/tools/index.ts'
import { fakeWriting, writableCore } from '../app/write/fake-writing.ts'
import { commandLine, type World } from './support.ts'

let line: ReturnType<typeof commandLine>
beforeEach(() => {
  line = commandLine()
})
afterEach(() => line.clean())

/** Runs a command on a vault whose writing port returns this result. */
async function roux(
  args: readonly string[],
  result: Partial<WriteResult> = {},
  world: World & { changes?: readonly ChangeSummary[] } = {},
) {
  const writing = fakeWriting(result, world.changes)
  const outcome = await line.roux(args, { tools: TOOLS, core: () => writableCore(writing), ...world })
  return { ...outcome, operations: writing.requests.flatMap(({ operations }) => operations), requests: writing.requests, writing }
}

const TERMINAL = { tty: true, columns: 100 } as const
const COLORS = { ...TERMINAL, env: { NO_COLOR: '' } } as const
const LINE = { line: 3, before: '[[Home]]', after: '[[Start]]' }
const MOVED: Partial<WriteResult> = {
  subjects: ['Start.md'],
  files: [
    { kind: 'moved', from: 'Home.md', to: 'Start.md', relinked: [] },
    { kind: 'changed', from: 'Soil/Worms.md', to: 'Soil/Worms.md', relinked: [LINE, LINE] },
  ],
  diff: '--- a/Soil/Worms.md\n+++ b/Soil/Worms.md\n@@ -3 +3 @@\n in\n-[[Home]]\u001b[2J\n+[[Start]]\r\n',
}

describe('permission to write', () => {
  test.each([
    [['move-node', 'home', 'Start.md'], 'move_node', 'tools.write'],
    [['call', 'move_node', '{"id":"home","to":"Start.md"}'], 'move_node', 'tools.write'],
    [['undo', 'c1'], 'undo', 'tools.write'],
    [['undo', 'c1', '--set', 'tools.attach=true'], 'undo', 'tools.write'],
  ] as const)('%j is refused without permission', async (args, tool, setting) => {
    const { code, out, err, requests, writing } = await roux(args)
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(
      `error: The tool ${tool} is switched off.\n  Add --write to allow it this once. Set ${setting} to true to turn it on.\n`,
    )
    expect([requests, writing.undone]).toEqual([[], []])
  })

  test.each([[['changes']], [['list-attachments', 'home']], [['read-attachment', 'photo.png']]] as const)(
    '%j only reads: it needs no permission, but can be disabled by name',
    async (args) => {
      expect(await roux(args)).toMatchObject({ code: 0, requests: [] })
      const tools = ['list_changes', 'list_attachments', 'read_attachment'].flatMap((name) => ['--set', `tools.${name}=false`])
      expect((await roux([...args, ...tools])).err).toContain('is switched off')
    },
  )

  test.each<[string, readonly string[], World]>([
    ['--write', ['--write'], {}],
    ['--set', ['--set', 'tools.write=true'], {}],
    ['a variable', [], { env: { ROUX_TOOLS_WRITE: 'true' } }],
    ['--write over --set', ['--set', 'tools.write=false', '--write'], {}],
  ])('%s gives permission', async (_, args, world) => {
    const { code, operations } = await roux(['move-node', 'home', 'Start.md', ...args], MOVED, world)
    expect([code, operations]).toEqual([0, [{ kind: 'move', id: 'home', to: 'Start.md' }]])
  })

  test('call accepts --write, and an untrusted vault cannot enable writing', async () => {
    const args = ['call', 'create_folder', '{"path":"x"}']
    expect((await roux([...args, '--write'])).operations).toEqual([{ kind: 'createFolder', path: 'x' }])
    line.write('vault/roux.config.yaml', 'tools:\n  write: true\n')
    const { code, err } = await roux(args)
    expect(code).toBe(1)
    expect(err).toContain('ignored until you run "roux trust /vault": tools.write.')
  })

  test('a tool that is disabled by name stays disabled', async () => {
    const { code, err } = await roux(['undo', 'c1', '--write', '--set', 'tools.undo=false'])
    expect([code, err]).toEqual([1, 'error: The tool undo is switched off.\n  Set tools.undo to true to turn it on.\n'])
    const operations = '[{"tool":"delete_node","arguments":{"id":"home"}}]'
    const applied = await roux(['apply-changes', '--operations', operations, '--write', '--set', 'tools.delete_node=false'])
    expect([applied.code, applied.requests]).toEqual([1, []])
    expect(applied.err).toContain('The tool delete_node is switched off.')
  })

  test('reading commands have no --write option', async () => {
    expect((await roux(['get-node', 'home', '--write'])).err).toContain('There is no option --write.')
    expect((await roux(['status', '--write'])).code).toBe(2)
  })

  test('serve offers the permitted tools', async () => {
    const list = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`
    const listed = async (...args: string[]) => {
      const { out } = await roux(['serve', ...args], {}, { stdin: list })
      return (JSON.parse(out) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
    }
    expect(await listed()).toEqual(
      TOOLS.filter(({ needs, needsChatModel }) => needs === undefined && needsChatModel !== true).map(({ name }) => name),
    )
    expect(await listed('--write')).toEqual(TOOLS.filter(({ needsChatModel }) => needsChatModel !== true).map(({ name }) => name))
    expect(await listed('--set', 'ai.enabled=true')).toContain('ask')
    expect(await listed('--set', 'tools.attach=true')).not.toContain('create_node')
    expect(await listed('--set', 'tools.attach=true')).toContain('read_attachment')
  })
})

describe('reporting a change', () => {
  test('reports a change in a line or two', async () => {
    expect((await roux(['move-node', 'home', 'Start.md', '--write'], MOVED, TERMINAL)).out).toBe(
      'Moved Home.md to Start.md; rewrote 2 lines in 1 file so that links still lead there.\n"roux undo c1 --write" undoes it.\n',
    )
    const files = [{ kind: 'changed', from: 'Home.md', to: 'Home.md', relinked: [] }] as const
    expect((await roux(['update-node', 'home', '--append', 'x', '--set', 'tools.write=1'], { files }, TERMINAL)).out).toBe(
      'Changed Home.md.\n"roux undo c1" undoes it.\n',
    )
    const many = Array.from({ length: 9 }, (_, at) => ({ kind: 'moved', from: `a/${at}`, to: `b/${at}`, relinked: [] }) as const)
    expect((await roux(['move-node', 'a', 'b', '--write'], { files: many, subjects: [undefined] }, TERMINAL)).out).toMatch(
      /^Moved 9 files\.\n/,
    )
  })

  test('reports the links that could not be kept', async () => {
    const { out } = await roux(
      ['delete-node', 'home', '--write'],
      {
        files: [{ kind: 'deleted', from: 'Home.md', relinked: [] }],
        dangling: Array.from({ length: 25 }, (_, at) => ({
          path: 'a.md',
          line: at,
          text: '[[Home]]',
          reason: 'its file is deleted',
        })),
      },
      TERMINAL,
    )
    expect(out.split('\n').slice(0, 3)).toEqual([
      'Moved to the trash: Home.md.',
      '25 links could not be kept:',
      '  a.md:0  [[Home]]  (its file is deleted)',
    ])
    expect(out).toContain('  and 5 more\n"roux undo c1 --write" undoes it.\n')
  })

  test.each<[readonly string[], Partial<WriteResult>, string]>([
    [['create-folder', 'x', '--write'], { subjects: ['x'] }, 'Created the folder x.\n"roux undo c1 --write" undoes it.\n'],
  ])('%j', async (args, result, expected) => {
    expect((await roux(args, result, TERMINAL)).out).toBe(expected)
  })

  test('prints the complete JSON to a pipe', async () => {
    const { out } = await roux(['move-node', 'home', 'Start.md', '--write', '--dry-run'], { ...MOVED, diff: 'x'.repeat(50_000) })
    expect(JSON.parse(out)).toMatchObject({ old_id: 'home.md', new_id: 'start.md' })
    expect(JSON.parse(out).diff).toHaveLength(50_000)
  })

  test('a refusal is an error', async () => {
    const run = () => Promise.reject(new RouxError('CONFLICT', 'It was changed since.', { hint: 'Read it again.' }))
    const { code, err } = await roux(
      ['delete-node', 'home', '--write'],
      {},
      { core: () => writableCore({ ...fakeWriting(), run }) },
    )
    expect([code, err]).toEqual([1, 'error: It was changed since.\n  Read it again.\n'])
  })

  test('writes once, even if the index is damaged', async () => {
    let runs = 0
    const run = () => {
      runs++
      return Promise.reject(new RouxError('PROVIDER_ERROR', 'damaged'))
    }
    const core = writableCore({ ...fakeWriting(), run })
    const state = () => Promise.reject(new RouxError('PROVIDER_ERROR', 'damaged'))
    const world = { core: () => ({ ...core, store: { ...core.store, state } }) }
    const { code } = await roux(['create-node', 'x.md', 'y', '--write'], {}, world)
    expect([code, runs]).toEqual([1, 1])
  })
})

describe('a dry run', () => {
  const args = ['move-node', 'home', 'Start.md', '--dry-run', '--write']
  const LAST =
    'This is a dry run, nothing was changed. It would be: moved Home.md to Start.md; rewrote 2 lines in 1 file so that links still lead there.\n' +
    'Run the same command without --dry-run to make the change.\n'

  test('shows the diff without terminal control characters', async () => {
    const { out, requests } = await roux(args, MOVED, TERMINAL)
    expect(requests[0]?.dryRun).toBe(true)
    expect(out).toBe(`--- a/Soil/Worms.md\n+++ b/Soil/Worms.md\n@@ -3 +3 @@\n in\n-[[Home]][2J\n+[[Start]]\n\n${LAST}`)
  })

  test('a dry run has no plan, because it would end with the command', async () => {
    expect(JSON.parse((await roux(args, MOVED)).out)).not.toHaveProperty('plan_id')
    const { code, err, requests } = await roux(['apply-changes', '--plan-id', 'p1', '--write'])
    expect([code, requests]).toEqual([2, []])
    expect(err).toBe(
      'error: Plans are lost when the command that made them ends, so there is no plan to apply.\n  Pass the operations again without --dry-run.\n',
    )
  })

  test('a dry run uses colors', async () => {
    const { out } = await roux(args, MOVED, COLORS)
    expect(out).toContain('\u001b[1m--- a/Soil/Worms.md\u001b[0m\n')
    expect(out).toContain('\u001b[36m@@ -3 +3 @@\u001b[0m\n in\n\u001b[31m-[[Home]][2J\u001b[0m\n\u001b[32m+[[Start]]\u001b[0m\n')
  })
})

describe('changes and undo', () => {
  const time = new Date(2026, 0, 2, 3, 4).getTime()
  const changes: readonly ChangeSummary[] = [
    {
      id: '01K',
      time,
      title: 'move_node a → b',
      state: 'done',
      undoes: undefined,
      files: [{ kind: 'move', path: 'a', to: 'b' }],
    },
    { id: '01J', time, title: 'delete_node c', state: 'rolled_back', undoes: undefined, files: [] },
  ]

  test('changes prints a table', async () => {
    const { out } = await roux(['changes', '--write'], {}, { ...TERMINAL, changes })
    expect(out).toBe(
      [
        'change  time              state        files  what',
        '01K     2026-01-02 03:04  done             1  move_node a → b',
        '01J     2026-01-02 03:04  rolled back      0  delete_node c',
        '',
      ].join('\n'),
    )
    expect((await roux(['changes', '--write'], {}, TERMINAL)).out).toBe('Nothing found.\n')
    expect(JSON.parse((await roux(['changes', '--write', '--limit', '1'], {}, { changes })).out)).toHaveLength(1)
  })

  test('undo takes the id of a change', async () => {
    const files = [{ kind: 'moved', from: 'b', to: 'a', relinked: [] }] as const
    const { out, writing } = await roux(['undo', '01K', '--write'], { changeId: '01L', files, subjects: [] }, TERMINAL)
    expect(writing.undone).toEqual(['01K'])
    expect(out).toBe('Moved b to a.\n"roux undo 01L --write" undoes it.\n')
  })
})

describe('arguments', () => {
  test.each<[readonly string[], object]>([
    [['update-node', 'Humus', '--append', 'x'], { kind: 'update', id: 'soil/compost.md', append: 'x' }],
    [['create-node', 'Humus', 'x'], { kind: 'create', id: 'Humus', content: 'x' }],
    [['restore-node', 'Humus'], { kind: 'restore', id: 'Humus' }],
    [['move-node', 'Humus', 'Old/'], { kind: 'move', id: 'soil/compost.md', to: 'Old/' }],
    [['move-node', 'Soil', 'Earth'], { kind: 'move', id: 'Soil', to: 'Earth' }],
    [['rename-heading', 'home', 'A', 'B', 'C'], { kind: 'renameHeading', id: 'home', heading: ['A', 'B'], to: 'C' }],
    [['rename-heading', 'home', 'A', '--to', 'C'], { kind: 'renameHeading', id: 'home', heading: ['A'], to: 'C' }],
    [['manage-tags', 'home', '--add', 'x', '--add', 'y'], { kind: 'manageTags', add: ['x', 'y'], remove: [] }],
    [
      ['update-node', 'home', '--properties', '{"a":null}', '--replace-text', '{"find":"a","replace":"b"}'],
      { properties: { a: null }, replaceText: { find: 'a', replace: 'b', count: 1 } },
    ],
  ])('%j', async (args, operation) => {
    const { operations, err } = await roux([...args, '--write'])
    expect(err).toBe('')
    expect(operations).toEqual([expect.objectContaining(operation)])
  })

  test('several operations are one array', async () => {
    const operations =
      '[{"tool":"rename_tag","arguments":{"tag":"a","to":"b"}},{"tool":"create_folder","arguments":{"path":"x"}}]'
    const { requests } = await roux(['apply-changes', '--operations', operations, '--write'])
    expect(requests[0]?.operations.map(({ kind }) => kind)).toEqual(['renameTag', 'createFolder'])
  })

  test.each<[readonly string[], string]>([
    [['rename-heading', 'home', 'A'], '<to> is missing.'],
    [['update-node', 'home', '--mode', 'over'], '--mode must be one of replace, append'],
    [['update-node', 'home', '--properties', 'x'], 'properties: expected an object, got "x"'],
  ])('%j is a usage error', async (args, message) => {
    const { code, err, requests } = await roux([...args, '--write'])
    expect([code, requests]).toEqual([2, []])
    expect(err).toContain(message)
  })
})

test('the help shows which tools write, and how to allow them', async () => {
  const { out } = await roux(['help'])
  expect(out).toContain('Tools that need --write, or the settings tools.write and tools.attach:\n')
  expect(out).toContain('  rename-heading <id> <heading>… <to>\n')
  expect(out).toContain('  changes  ')
  expect((await roux(['help', 'move-node'])).out).toContain('--write')
  expect((await roux(['help', 'serve'])).out).toContain('--write')
  expect((await roux(['help', 'get-node'])).out).not.toContain('--write')
})
