import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSince } from '../../../src/app/insight/change-window.ts'
import type { ChangesAnswer } from '../../../src/app/insight/changes-since.ts'
import { openSqlite } from '../../../src/store/embedded/sqlite.ts'
import { openGlobs } from '../../../src/vault/ignore-rules.ts'
import { HOUR, loggedVault, NOON } from '../../support/logged-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const GARDEN = {
  'Home.md': 'See [[Compost]] and [[Worms]].\n',
  'Soil/Compost.md': 'Turned by [[Worms]], feeds [[Tomato]].\n',
  'Soil/Worms.md': 'They live.\n',
  'Tomato.md': 'Red.\n\n## Sowing\n',
}

/** The reported changes without empty lists. */
function facts({ notes, links, broken, fixed, orphans, rising }: ChangesAnswer) {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort()
  const all = {
    added: ids(notes.added),
    changed: ids(notes.changed),
    removed: ids(notes.removed),
    moved: notes.moved.map(({ from, id }) => `${from} → ${id}`),
    gained: links.gained.map(({ from, to, line, text }) => `${from}:${line} → ${to} ${text}`),
    lost: links.lost.map(({ from, to, line, text }) => `${from}:${line} → ${to} ${text}`),
    broken: broken.map(({ id, line, text }) => `${id}:${line} ${text}`),
    fixed: fixed.map(({ id, line, text }) => `${id}:${line} ${text}`),
    orphans: ids(orphans),
    rising: rising.map(({ id, was, now }) => `${id} ${was} → ${now}`),
  }
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0))
}

describe('reported changes', () => {
  test('reports a new note with its links and the notes that gained links', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Beans.md': '\nBeside [[Tomato]].\n' })
    const { value, said } = await garden.ask({ cursor })
    expect(facts(value)).toEqual({
      added: ['beans.md'],
      gained: ['beans.md:2 → tomato.md [[Tomato]]'],
      rising: ['tomato.md 1 → 2'],
    })
    expect(value.totals).toEqual({ added: 1, gained: 1, rising: 1 })
    expect(said).toEqual([])
  })

  test('tells notes apart whose paths differ only in case', async () => {
    const garden = await loggedVault({ 'Note.md': 'one', 'note.md': 'two', 'Home.md': '' })
    const cursor = await garden.cursor()
    await garden.change({ 'Note.md': undefined, 'Moved.md': 'one' })
    expect(facts((await garden.ask({ cursor })).value)).toMatchObject({ moved: ['Note.md → moved.md'] })
    const next = await garden.cursor()
    await garden.change({ 'NOTE.md': 'three' })
    await garden.change({ 'NOTE.md': undefined, 'Moved.md': 'changed' })
    expect(facts((await garden.ask({ cursor: next })).value)).toEqual({ changed: ['moved.md'] })
  })

  test('ignores notes that were added and removed again, and reports repeated changes once', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Beans.md': '[[Tomato]] [[Nothing]]', 'Home.md': 'See [[Worms]].\n' })
    await garden.change({ 'Beans.md': undefined, 'Home.md': 'See [[Compost]].\n' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      changed: ['home.md'],
      lost: ['home.md:1 → soil/worms.md [[Worms]]'],
    })
    await garden.change({ 'Home.md': GARDEN['Home.md'] })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({})
  })

  test('a removed note loses its links and breaks those to it, but no others', async () => {
    const garden = await loggedVault({ 'a.md': '[[b]]', 'b.md': '[[c]] [[nope]]', 'c.md': '', 'd.md': '[[a]]' })
    const cursor = await garden.cursor()
    await garden.change({ 'b.md': undefined })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      removed: ['b.md'],
      lost: ['b.md:1 → c.md [[c]]', 'a.md:1 → b.md [[b]]'],
      broken: ['a.md:1 [[b]]'],
      orphans: ['c.md'],
    })
    await garden.change({ 'b.md': 'Back.' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      changed: ['b.md'],
      lost: ['b.md:1 → c.md [[c]]'],
      fixed: ['b.md:1 [[nope]]'],
      orphans: ['c.md'],
    })
  })

  test('ignores notes that the settings exclude and their links, and a note moved out of such a folder is new', async () => {
    const files = { ...GARDEN, 'Templates/Day.md': '[[Tomato]]\n', 'Templates/Plan.md': 'A plan.\n' }
    const garden = await loggedVault(files, { isIgnored: openGlobs(['Templates/**', 'Drafts'], false) })
    const cursor = await garden.cursor()
    await garden.change({
      'Templates/Day.md': '[[Worms]] [[{{title}}]]\n',
      'Templates/New.md': '',
      'Templates/Plan.md': undefined,
      'Plan.md': 'A plan.\n',
      'Home.md': 'See [[Compost]], [[Worms]] and [[Templates/New]].\n',
    })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      added: ['plan.md'],
      changed: ['home.md'],
    })
    const later = await garden.cursor()
    await garden.change({ 'Plan.md': undefined, 'Drafts/Plan.md': 'A plan.\n' })
    expect(facts((await garden.ask({ cursor: later })).value)).toEqual({})
  })

  test('a link to a heading breaks and is fixed with the heading', async () => {
    const garden = await loggedVault({ ...GARDEN, 'Plan.md': 'First\n\n[[Tomato#Sowing]]\n' })
    const cursor = await garden.cursor()
    await garden.change({ 'Tomato.md': 'Red.\n' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      changed: ['tomato.md'],
      broken: ['plan.md:3 [[Tomato#Sowing]]'],
    })
    const later = await garden.cursor()
    await garden.change({ 'Tomato.md': 'Red.\n# Sowing\n' })
    expect(facts((await garden.ask({ cursor: later })).value)).toEqual({
      changed: ['tomato.md'],
      fixed: ['plan.md:3 [[Tomato#Sowing]]'],
    })
  })

  test('reports a link at its current line', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Tomato.md': 'Red. [[Home]] [[Nowhere]]\n' })
    await garden.change({ 'Tomato.md': '# Tomato\n\nRed. [[Home]] [[Nowhere]]\n' })
    const { value } = await garden.ask({ cursor })
    expect(facts(value)).toMatchObject({ gained: ['tomato.md:3 → home.md [[Home]]'], broken: ['tomato.md:3 [[Nowhere]]'] })
  })

  test('ignores excluded notes, and reports one that becomes visible as new', async () => {
    const garden = await loggedVault(GARDEN)
    garden.vault.excluded.add('Diary.md').add('Old diary.md')
    const cursor = await garden.cursor()
    await garden.change({ 'Diary.md': '[[Home]] [[Nowhere]]', 'Old diary.md': '', 'Tomato.md': 'See [[Diary]].\n' })
    await garden.change({ 'Old diary.md': undefined, 'Diary.md': '[[Worms]]' })
    const { value } = await garden.ask({ cursor })
    expect(facts(value)).toEqual({ changed: ['tomato.md'] })
    expect(JSON.stringify(value)).not.toMatch(/diary/i)
    garden.vault.excluded.clear()
    await garden.change({})
    expect(facts((await garden.ask({ cursor })).value)).toMatchObject({ added: ['diary.md'], changed: ['tomato.md'] })
    garden.vault.excluded.add('Tomato.md')
    await garden.change({})
    expect(JSON.stringify((await garden.ask({ cursor })).value)).not.toMatch(/tomato.md/)
  })

  test('a folder limits the answer to its notes and their links', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Soil/Worms.md': '[[Home]]', 'Home.md': '', 'Soil/new.md': '[[Home]]' })
    expect(facts((await garden.ask({ cursor, folder: '/soil/' })).value)).toEqual({
      added: ['soil/new.md'],
      changed: ['soil/worms.md'],
      gained: ['soil/new.md:1 → home.md [[Home]]', 'soil/worms.md:1 → home.md [[Home]]'],
    })
    expect((await garden.ask({ cursor, folder: 'Sol' })).said).toEqual([expect.stringContaining('There is no folder "Sol"')])
  })

  test("ids and the cursor start with the vault's name", async () => {
    const garden = await loggedVault({ 'a.md': '', 'b.md': '' }, { name: 'work' })
    const { value } = await garden.ask()
    expect(value.cursor).toMatch(/^work:/)
    await garden.change({ 'a.md': '[[b]]' }, { all: false, folders: [], files: ['a.md'], change: '0123-abc' })
    const later = await garden.ask({ cursor: value.cursor?.slice('work:'.length) ?? '' })
    expect(later.value.notes.changed).toEqual([{ id: 'work:a.md', title: 'a', change_id: 'work:0123-abc' }])
    expect(later.value.links.gained).toEqual([{ from: 'work:a.md', to: 'work:b.md', line: 1, text: '[[b]]' }])
  })

  test('cuts each list to the limit, and totals count everything', async () => {
    const garden = await loggedVault({ 'a.md': '' })
    const cursor = await garden.cursor()
    await garden.change(Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`n${at}.md`, '[[a]]'])))
    const { value } = await garden.ask({ cursor, limit: 3 })
    expect(value.notes.added).toHaveLength(3)
    expect(value.totals).toEqual({ added: 7, gained: 7, rising: 1 })
  })
})

describe('moves', () => {
  test('reports a rename in an editor as a move, without reporting the updated links', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({
      'Tomato.md': undefined,
      'Beds/Love apple.md': GARDEN['Tomato.md'],
      'Soil/Compost.md': 'Turned by [[Worms]], feeds [[Love apple]].\n',
    })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      moved: ['tomato.md → beds/love apple.md'],
      changed: ['soil/compost.md'],
    })
  })

  test('recognizes a note that was edited while it was moved by its links', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Soil/Compost.md': undefined, 'Humus.md': '# Humus\nTurned by [[Worms]], feeds [[Tomato]].\n' })
    await garden.change({ 'Humus.md': '# Humus\nTurned by [[Worms]].\n' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      moved: ['soil/compost.md → humus.md'],
      changed: ['humus.md'],
      lost: ['humus.md:2 → tomato.md [[Tomato]]', 'home.md:1 → humus.md [[Compost]]'],
      broken: ['home.md:1 [[Compost]]'],
      orphans: ['tomato.md'],
    })
  })

  test('joins a rename that arrives in two commits, and ignores a rename that is reverted', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Tomato.md': undefined })
    await garden.change({ 'Beds/Tomato.md': GARDEN['Tomato.md'] })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({ moved: ['tomato.md → beds/tomato.md'] })
    await garden.change({ 'Beds/Tomato.md': undefined, 'Tomato.md': GARDEN['Tomato.md'] })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({})
  })

  test('a moved folder moves each note, and equal notes match by name', async () => {
    const garden = await loggedVault({ 'old/a.md': '', 'old/b.md': '', 'old/sub/a.md': '', 'c.md': '[[old/b]]' })
    const cursor = await garden.cursor()
    const gone = { 'old/a.md': undefined, 'old/b.md': undefined, 'old/sub/a.md': undefined }
    await garden.change({ ...gone, 'new/a.md': '', 'new/b.md': '', 'new/sub/a.md': '', 'c.md': '[[new/b]]' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({
      moved: ['old/a.md → new/a.md', 'old/b.md → new/b.md', 'old/sub/a.md → new/sub/a.md'],
      changed: ['c.md'],
    })
  })

  test('swapped names are two changed notes', async () => {
    const garden = await loggedVault({ 'a.md': 'A', 'b.md': 'B', 'c.md': '[[a]]' })
    const cursor = await garden.cursor()
    await garden.change({ 'a.md': 'B', 'b.md': 'A' })
    expect(facts((await garden.ask({ cursor })).value)).toEqual({ changed: ['a.md', 'b.md'] })
  })

  test('a note that only resembles a removed one is another note', async () => {
    const garden = await loggedVault({ 'Home.md': '', '2026-03-01.md': 'Rain. [[Home]]' })
    const cursor = await garden.cursor()
    await garden.change({ '2026-03-01.md': undefined, '2026-03-04.md': 'Sun. [[Home]]' })
    expect(facts((await garden.ask({ cursor })).value)).toMatchObject({ added: ['2026-03-04.md'], removed: ['2026-03-01.md'] })
  })
})

describe('times', () => {
  test('reports changes since a time, by default the last week', async () => {
    const garden = await loggedVault({ 'a.md': '', 'b.md': '' })
    await garden.change({ 'a.md': 'one' })
    await garden.change({ 'b.md': 'two' })
    const since = new Date(NOON + 1.5 * HOUR).toISOString()
    const { value, said } = await garden.ask({ since })
    expect([facts(value), value.since, said]).toEqual([{ changed: ['b.md'] }, since, []])
    expect(facts((await garden.ask({ since: '30m' })).value)).toEqual({ changed: ['b.md'] })
    const week = await garden.ask()
    expect(facts(week.value)).toEqual({ changed: ['a.md', 'b.md'] })
    expect(week.said[0]).toBe(`Changes before ${new Date(NOON).toISOString()} are not in the log.`)
  })

  test('no changes since the vault was indexed is an answer, not a gap', async () => {
    const garden = await loggedVault(GARDEN)
    garden.clock += HOUR
    const { value, said } = await garden.ask({ since: '5m' })
    expect([facts(value), said, value.state]).toEqual([{}, [], undefined])
  })

  test('a clock that is set back hides no changes', async () => {
    const garden = await loggedVault({ 'a.md': '', 'b.md': '' })
    await garden.change({ 'a.md': 'one' })
    garden.clock -= 48 * HOUR
    await garden.change({ 'b.md': 'two' })
    garden.clock = NOON + 3 * HOUR
    expect(facts((await garden.ask({ since: '150m' })).value)).toEqual({ changed: ['a.md', 'b.md'] })
  })

  test.each([
    ['2026-03-04', new Date(2026, 2, 4)],
    ['2026-03-04T10:30', new Date(2026, 2, 4, 10, 30)],
    ['2026-03-04 10:30', new Date(2026, 2, 4, 10, 30)],
    ['2026-03-04T10:30:00.000Z', new Date('2026-03-04T10:30:00.000Z')],
    ['today', new Date(2026, 2, 4)],
    ['Yesterday', new Date(2026, 2, 3)],
    ['monday', new Date(2026, 2, 2)],
    ['wednesday', new Date(2026, 2, 4)],
    ['last wednesday', new Date(2026, 1, 25)],
    ['last tuesday', new Date(2026, 2, 3)],
    ['day-7', new Date(2026, 1, 25)],
    ['week', new Date(2026, 2, 2)],
    ['last month', new Date(2026, 1, 1)],
    ['7d', new Date(NOON - 7 * 24 * HOUR)],
    ['2 hours ago', new Date(NOON - 2 * HOUR)],
  ])('%s is a time', (written, time) => {
    expect(new Date(readSince(written, new Date(NOON)))).toEqual(time)
  })

  test.each(['2026-03-05', 'day+1', '2027'])('rejects %s because it is in the future', async (since) => {
    const garden = await loggedVault({ 'a.md': '' })
    await expect(garden.ask({ since })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('in the future'),
    })
  })

  test.each(['6ffc1a5de229-1-3642', 'work:6ffc1a5de229-1-3642'])('says that %j is a cursor', (cursor) => {
    expect(() => readSince(cursor, new Date(NOON))).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS', hint: 'It is a cursor from an earlier answer. Pass it as cursor.' }),
    )
  })

  test.each(['', 'soon', '2026-13-01', 'd7', '-7d', '7 fortnights'])(
    'rejects %j because it is not a date or time',
    async (since) => {
      const garden = await loggedVault({ 'a.md': '' })
      await expect(garden.ask({ since })).rejects.toMatchObject({
        code: 'INVALID_PARAMS',
        message: expect.stringContaining('is not a date or time'),
        hint: expect.stringContaining('7d'),
      })
    },
  )
})

describe('gaps in the log', () => {
  const STATE = { notes: 4, links: 4, broken: 0, orphans: 0 }

  test('reports a damaged, foreign or outdated cursor and returns the current state', async () => {
    const stateFolder = temporaryFolder()
    const garden = await loggedVault(GARDEN, { stateFolder })
    const other = await loggedVault({ 'a.md': '' }, { stateFolder, root: '/others' })
    const cursor = await garden.cursor()
    const flipped = cursor.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    const of = async (given: string) => {
      const { value, said } = await garden.ask({ cursor: given })
      expect([value.state, value.cursor, facts(value)]).toEqual([STATE, cursor, {}])
      return said[0]
    }
    expect(await of(flipped)).toContain('The cursor is damaged')
    expect(await of('x'.repeat(10_000))).toContain('The cursor is damaged')
    expect(await of('')).toContain('The cursor is damaged')
    expect(await of(await other.cursor())).toContain('The cursor belongs to another vault')
  })

  test('a rebuilt index is a gap for cursors and times', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Home.md': 'Nothing.' })
    await garden.engine.index.reset()
    garden.engine.store.reopen('index', { kind: 'memory', name: 'none' })
    garden.clock += HOUR
    const again = await loggedVault(Object.fromEntries(garden.vault.paths().map((path) => [path, ''])), garden)
    again.clock = garden.clock + HOUR
    const { value, said } = await again.ask({ cursor })
    expect(said[0]).toContain('The cursor belongs to an index that has been rebuilt')
    expect([facts(value), value.state]).toEqual([{}, { notes: 4, links: 0, broken: 0, orphans: 4 }])
    expect((await again.ask({ since: '3h' })).said[0]).toMatch(/^Changes before 2\S+Z are not in the log\.$/)
  })

  test('finds a commit that was not logged because its process died', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Home.md': 'One.' })
    const database = openSqlite(join(garden.stateFolder, 'graph-log.db'))
    database.exec('DELETE FROM commits WHERE base <> generation')
    database.close()
    expect((await garden.ask({ cursor })).said[0]).toContain('The log is not up to date')
    await garden.change({ 'Tomato.md': 'Two.' })
    const { value, said } = await garden.ask({ cursor })
    expect(said[0]).toContain(`the log has a gap after it, so the changes start at ${new Date(garden.clock).toISOString()}`)
    expect(facts(value)).toEqual({ changed: ['tomato.md'] })
    expect(value.state).toMatchObject({ notes: 4 })
    expect(facts((await garden.ask({ cursor: value.cursor ?? '' })).value)).toEqual({})
  })

  test('a damaged entry is a gap', async () => {
    const garden = await loggedVault(GARDEN)
    const cursor = await garden.cursor()
    await garden.change({ 'Home.md': 'One.' })
    const database = openSqlite(join(garden.stateFolder, 'graph-log.db'))
    database.exec(
      `UPDATE commits SET data = CAST(replace(CAST(data AS TEXT), 'Home.md', 'Home.me') AS BLOB) WHERE base <> generation`,
    )
    database.close()
    expect((await garden.ask({ cursor })).said[0]).toContain('The log is not up to date')
  })

  test('restarts a log that is not a database and warns that it cannot be read', async () => {
    const garden = await loggedVault(GARDEN)
    garden.log.close()
    const path = join(garden.stateFolder, 'graph-log.db')
    for (const name of readdirSync(garden.stateFolder)) rmSync(join(garden.stateFolder, name))
    writeFileSync(path, 'no database at all, but long enough to be one '.repeat(100))
    const { value, said } = await garden.ask({ since: '1h' })
    expect([said[0], value.state]).toEqual([expect.stringContaining('cannot be read'), STATE])
    await garden.change({ 'Home.md': 'One.' })
    await garden.change({ 'Home.md': 'Two.' })
    expect(garden.problem).toBeUndefined()
    expect(facts((await garden.ask({ since: '1m' })).value)).toMatchObject({ changed: ['home.md'] })
  })

  test('indexing continues when the state folder cannot be written, with a warning', async () => {
    const folder = temporaryFolder()
    const stateFolder = join(folder, 'file', 'state')
    writeFileSync(join(folder, 'file'), '')
    const garden = await loggedVault(GARDEN, { stateFolder })
    await garden.change({ 'Home.md': 'One.' })
    expect(garden.problem).toContain('ENOTDIR')
    const { value, said } = await garden.ask({ since: '1h' })
    expect(said[0]).toContain('cannot be read')
    expect(value.state).toMatchObject({ notes: 4 })
    rmSync(join(folder, 'file'))
    await garden.change({ 'Tomato.md': 'Two.' })
    // The failed entries have been written by now.
    expect(garden.problem).toBeUndefined()
    expect(facts((await garden.ask({ since: '90m' })).value)).toMatchObject({ changed: ['home.md', 'tomato.md'] })
  })

  test('a full disk does not block commits, and missing entries are logged later', async () => {
    let isFull = false
    const failing = (path: string) => {
      const database = openSqlite(path)
      return {
        exec: (sql: string) => database.exec(sql),
        close: () => database.close(),
        prepare(sql: string) {
          const statement = database.prepare(sql)
          if (!sql.startsWith('INSERT')) return statement
          const run: typeof statement.run = (...values) => {
            if (isFull) throw new Error('database or disk is full')
            return statement.run(...values)
          }
          return {
            run,
            get: statement.get.bind(statement),
            all: statement.all.bind(statement),
            iterate: statement.iterate.bind(statement),
          }
        },
      }
    }
    const garden = await loggedVault(GARDEN, { openDatabase: failing })
    const cursor = await garden.cursor()
    isFull = true
    await garden.change({ 'Home.md': 'One.' })
    expect(garden.problem).toBe('database or disk is full')
    expect((await garden.engine.index.state()).generation).toBe(2)
    expect((await garden.ask({ cursor })).said[0]).toContain('The log is not up to date')
    isFull = false
    await garden.change({ 'Home.md': 'Two.' })
    const { value, said } = await garden.ask({ cursor })
    expect([facts(value).changed, said]).toEqual([['home.md'], []])
  })

  test('drops old entries and says so', async () => {
    const garden = await loggedVault({ 'a.md': '' })
    const cursor = await garden.cursor()
    await garden.change({ 'a.md': 'one' })
    garden.clock += 31 * 24 * HOUR
    await garden.change({ 'a.md': 'two' })
    const { said } = await garden.ask({ cursor })
    expect(said[0]).toContain('The cursor is older than the log')
  })
})

test('only the owner can read the log', async () => {
  const { stateFolder } = await loggedVault({ 'a.md': '' }, { stateFolder: join(temporaryFolder(), 'state') })
  const mode = (path: string) => statSync(path).mode & 0o777
  expect(mode(stateFolder)).toBe(0o700)
  for (const name of readdirSync(stateFolder)) expect([name, mode(join(stateFolder, name))]).toEqual([name, 0o600])
  chmodSync(stateFolder, 0o700)
})

test('two processes on one vault log each commit once', async () => {
  const stateFolder = temporaryFolder()
  const garden = await loggedVault(GARDEN, { stateFolder })
  const cursor = await garden.cursor()
  const { openIndexer } = await import('../../support/indexers.ts')
  const { openLogWriter } = await import('../../../src/changes/graph-log.ts')
  const retention = { days: 30, bytes: 20_000_000 }
  const log = openLogWriter({
    stateFolder,
    root: garden.root,
    openDatabase: (path) => openSqlite(path),
    retention,
    now: () => garden.clock,
  })
  const second = openIndexer(garden.vault, garden.engine.index, log)
  await second.reconcile({ all: true })
  garden.vault.write('Home.md', 'One.')
  await second.reconcile({ all: true })
  await garden.change({ 'Tomato.md': 'Two.' })
  await second.reconcile({ all: true })
  log.close()
  const { value, said } = await garden.ask({ cursor })
  expect([facts(value).changed, said]).toEqual([['home.md', 'tomato.md'], []])
  const database = openSqlite(join(stateFolder, 'graph-log.db'))
  expect(database.prepare('SELECT base, generation FROM commits ORDER BY id').all()).toEqual([
    { base: 1, generation: 1 },
    { base: 1, generation: 2 },
    { base: 2, generation: 3 },
  ])
  database.close()
})
