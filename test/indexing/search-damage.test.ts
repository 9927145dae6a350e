import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { IndexStatus } from '../../src/core/indexing.ts'
import type { Store } from '../../src/core/store.ts'
import type { Location } from '../../src/store/embedded/location.ts'
import { DamagedIndex, openSqlite } from '../../src/store/embedded/sqlite.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { answersOf } from '../store/embedded/search/search-rig.ts'
import { ask } from '../support/ask.ts'
import { BagOfWords } from '../support/bag-of-words.ts'
import { exported, MemoryVault } from '../support/memory-vault.ts'
import { PATIENCE } from '../support/patience.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { changeBySql, HARMS } from './harms.ts'
import { type SearchServer, startedSearch } from './search-rig.ts'

const NOTES = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [
    `notes/note ${at}.md`,
    `---\naliases: [alias ${at}]\ntags: [t${at % 3}]\n---\n# Note ${at}\n\nWord${at} and [[note ${(at * 7) % 30}]]. ${`Filler number${at % 5}. `.repeat(at)}\n`,
  ]),
)
const QUESTIONS = ['word17', 'filler number3', '"number2 filler"', 'wor*', '#t1 filler', 'title:alias']

const bag = new BagOfWords()
const openBag = { embedder: async () => bag }
interface Whole {
  readonly index: Buffer
  readonly search: Buffer
  readonly answers: unknown
  readonly rows: readonly string[]
}

let built: Promise<Whole> | undefined

/** Returns undamaged index files and their answers. They are built only once. */
function wholeIndex(): Promise<Whole> {
  built ??= build()
  return built
}

async function build(): Promise<Whole> {
  const folder = temporaryFolder()
  const { service, store, close } = await startedSearch(join(folder, 'index.db'), new MemoryVault(NOTES), openBag)
  await service.awaitFindable('meaning', PATIENCE)
  const answers = await answersOf(store, bag.id, QUESTIONS)
  const rows = await rowsOf(store)
  await close()
  return { index: readFileSync(join(folder, 'index.db')), search: readFileSync(join(folder, 'search.db')), answers, rows }
}

async function rowsOf(store: Store): Promise<readonly string[]> {
  return (await exported(store)).map((row) => JSON.stringify(row)).sort()
}

/** Copies the undamaged files into a new folder. */
async function spread(): Promise<{ readonly search: string; readonly index: string }> {
  const folder = temporaryFolder()
  const paths = { search: join(folder, 'search.db'), index: join(folder, 'index.db') }
  const whole = await wholeIndex()
  writeFileSync(paths.search, whole.search)
  writeFileSync(paths.index, whole.index)
  return paths
}

const isDone = ({ search }: IndexStatus) =>
  search?.vectors !== undefined && search.words.done === search.words.total && search.vectors.done === search.vectors.total

/** Asks everything until the answers are right. Until then, they may be errors, or incomplete if the status says so. */
async function expectRight({ service, store }: SearchServer): Promise<void> {
  for (;;) {
    const before = isDone(service.status())
    let answers: unknown
    try {
      answers = await answersOf(store, bag.id, QUESTIONS)
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    }
    if (answers !== undefined && before && isDone(service.status())) {
      // The values are compared here, because a full diff would be too long to print.
      expect(isDeepStrictEqual(answers, (await wholeIndex()).answers)).toBe(true)
      break
    }
    await service.awaitFindable('meaning', PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(await rowsOf(store)).toEqual((await wholeIndex()).rows)
  expect(service.status()).toMatchObject({ phase: 'idle', cache: 'disk' })
}

const PAGE = 4_096
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })
const harm = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('flip' as const),
      flips: fc.array(fc.tuple(place, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('swap' as const), one: place, other: place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('zero' as const), at: place }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 9_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('log' as const), bytes: fc.uint8Array({ minLength: 1, maxLength: 9_000 }) }),
  },
)
type Harm = typeof harm extends fc.Arbitrary<infer T> ? T : never

function damage(file: string, how: Harm): void {
  const bytes = readFileSync(file)
  const pageAt = (share: number) => Math.floor((share * bytes.length) / PAGE) * PAGE
  switch (how.kind) {
    case 'flip':
      for (const [share, by] of how.flips) {
        const at = Math.floor(share * bytes.length)
        bytes[at] = (bytes[at] as number) ^ by
      }
      break
    case 'truncate':
      truncateSync(file, Math.floor(how.at * bytes.length))
      return
    case 'swap': {
      const [one, other] = [pageAt(how.one), pageAt(how.other)]
      const page = Buffer.from(bytes.subarray(one, one + PAGE))
      bytes.copy(bytes, one, other, other + PAGE)
      page.copy(bytes, other)
      break
    }
    case 'zero':
      bytes.fill(0, pageAt(how.at), pageAt(how.at) + PAGE)
      break
    case 'append':
      writeFileSync(file, Buffer.concat([bytes, how.bytes]))
      return
    case 'log':
      writeFileSync(`${file}-wal`, how.bytes)
      return
  }
  writeFileSync(file, bytes)
}

describe('a damaged search index', () => {
  test('with any damage from before it is opened never crashes or answers wrongly, and the graph survives', async () => {
    await fc.assert(
      fc.asyncProperty(harm, async (how) => {
        const { index, search } = await spread()
        damage(search, how)
        const server = await startedSearch(index, new MemoryVault(NOTES), openBag)
        await expectRight(server)
        await server.close()
      }),
      { numRuns: 60, endOnFailure: true },
    )
  })

  test('with any damage while it is open never crashes or answers wrongly, and the graph survives', async () => {
    await fc.assert(
      fc.asyncProperty(harm, fc.boolean(), async (how, isRead) => {
        const { index, search } = await spread()
        const vault = new MemoryVault(NOTES)
        const server = await startedSearch(index, vault, openBag)
        if (isRead) await answersOf(server.store, bag.id, QUESTIONS)
        damage(search, how)
        await expectRight(server)
        // The repaired index must accept new notes.
        vault.write('new.md', 'Ukulele.')
        await server.service.reconcile()
        await expect
          .poll(
            async () =>
              (
                await ask(server.store)
                  .words('ukulele', {}, 9)
                  .catch(() => ({ hits: [] }))
              ).hits.length,
          )
          .toBe(1)
        await server.close()
      }),
      { numRuns: 30, endOnFailure: true },
    )
  })

  const harms: typeof HARMS = [
    ...HARMS,
    ['deleted', (file) => rmSync(file)],
    ['the index of the graph', (file) => copyFileSync(file.replace('search.db', 'index.db'), file)],
    [
      'moved away for another one',
      (file) => {
        const other = `${file}.other`
        copyFileSync(file, other)
        writeFileSync(file, 'gone')
        renameSync(other, file)
      },
    ],
    ...['meta', 'segment', 'merging', 'page', 'note', 'embedder', 'vector', 'coarse'].map(
      (table): readonly [string, (file: string) => void] => [
        `without the table ${table}`,
        (file) => changeBySql(file, `DROP TABLE ${table}`),
      ],
    ),
    ['with a segment of another rank', (file) => changeBySql(file, 'UPDATE segment SET rank = rank + 1')],
    ['with a segment of another number', (file) => changeBySql(file, 'UPDATE segment SET id = id + 1')],
    ['with vectors of another note', (file) => changeBySql(file, 'UPDATE vector SET key = key + 1000')],
    [
      'with vectors of another embedder',
      (file) => changeBySql(file, 'UPDATE embedder SET id = id + 1; UPDATE vector SET embedder = embedder + 1'),
    ],
    ['with vectors that are text', (file) => changeBySql(file, "UPDATE vector SET data = 'text'")],
    ['with parts that are text', (file) => changeBySql(file, "UPDATE coarse SET data = 'text'")],
    ['with parts of another revision', (file) => changeBySql(file, 'UPDATE coarse SET revision = revision + 1')],
    ['without parts', (file) => changeBySql(file, 'DELETE FROM coarse')],
    ['without half of the vectors', (file) => changeBySql(file, 'DELETE FROM vector WHERE key % 2 = 0')],
    ['without half of the versions', (file) => changeBySql(file, 'DELETE FROM note WHERE key % 2 = 0')],
  ]
  test.each(harms)('%s: is rebuilt, and the graph survives', async (_, spoil) => {
    const { index, search } = await spread()
    spoil(search)
    const server = await startedSearch(index, new MemoryVault(NOTES), openBag)
    await expectRight(server)
  })
})

describe('a damaged graph index', () => {
  test('is rebuilt when a query finds the damage; the search index survives, and the query is answered', async () => {
    const { index, search } = await spread()
    const { ino } = statSync(search)
    const database = openSqlite(index)
    database.exec("UPDATE info SET data = replace(data, 'alias 3', 'alias 4')")
    database.close()
    const server = await startedSearch(index, new MemoryVault(NOTES), openBag)
    const options = { scope: {}, orderBy: 'title', page: { offset: 0, limit: 9 } } as const
    const count = async () =>
      (
        await ask(server.store)
          .find('#aliases="alias 3"', new Date(0), options)
          .catch(() => undefined)
      )?.notes.total
    await expect.poll(count).toBe(1)
    await expectRight(server)
    expect(statSync(search).ino).toBe(ino)
  })

  test.each(['contents', 'descriptions'] as const)(
    'is rebuilt when search finds damage in its %s, and nothing is embedded again',
    async (part) => {
      const { index, search } = await spread()
      const inodes = () => [index, search].map((file) => statSync(file).ino)
      const before = inodes()
      let isDamaged = false
      const openIndex = (location: Location) =>
        new Proxy(openIndexWriter(location), {
          get: (target, name) => {
            const value = Reflect.get(target, name)
            return (...args: readonly unknown[]) => {
              if (name === 'reset') isDamaged = false
              if (name === part && isDamaged) throw new DamagedIndex('a row differs from what was written')
              return value.apply(target, args)
            }
          },
        })
      const vault = new MemoryVault(NOTES)
      const own = new BagOfWords()
      const server = await startedSearch(index, vault, { embedder: async () => own, openIndex })
      await server.service.awaitFindable('meaning', PATIENCE)
      isDamaged = true
      vault.write('new.md', 'Ukulele.')
      await server.service.reconcile()
      await server.service.awaitFindable('meaning', PATIENCE)
      expect(own.passages).toEqual(['new\nUkulele.', 'new'])
      expect(inodes().map((inode, at) => inode === before[at])).toEqual([false, true])
    },
  )
})
