import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import { Indexer } from '../../src/indexing/indexer.ts'
import { openIndexWriter } from '../../src/store/embedded/writer.ts'
import { fileKind } from '../../src/vault/file-system.ts'
import { allOf, openIndexer } from '../support/indexers.ts'
import { MemoryVault } from '../support/memory-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'

const FILES = 700

/** Every note links to a heading of another one; each tenth note lacks it. */
const NOTES = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => {
    const heading = at % 10 === 0 ? 'Other' : 'Part'
    return [`note ${at}.md`, `# ${heading}\n\n[[note ${(at + FILES / 2) % FILES}#Part]]\n`] as const
  }),
)

function openWriter(): IndexWriter {
  const writer = openIndexWriter({ kind: 'file', path: join(temporaryFolder(), 'index.db') })
  onTestFinished(() => writer.close())
  return writer
}

async function recordsOf(writer: IndexWriter) {
  const files = await allOf(writer.files())
  const records = await writer.records(files.map(({ key }) => key))
  const paths = new Map(files.map(({ key, path }) => [key, path]))
  const toPath = (to: number | string): string => (typeof to === 'number' ? (paths.get(to) ?? '') : to)
  return records
    .map(({ path, links }) => ({ path, links: links.map(({ to, brokenSubpath }) => ({ to: toPath(to), brokenSubpath })) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

test('a new index that is built in slices only rereads notes with broken links to headings', async () => {
  const vault = new MemoryVault(NOTES)
  const writer = openWriter()
  const again: number[] = []
  let commits = 0
  const counting = new Proxy(writer, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        if (name === 'records') again.push(...(args[0] as readonly number[]))
        if (name === 'begin') commits++
        return value.apply(target, args)
      }
    },
  })
  const indexer = new Indexer(vault, counting, {
    profile: 'lenient',
    comments: true,
    mode: 'obsidian',
    kindOf: fileKind,
    isConflictCopy: () => false,
    permission: Promise.resolve(),
    onProgress: () => {},
    // This ends each slice early.
    isMemoryShort: () => true,
  })
  await indexer.reconcile({ all: true })
  expect(commits).toBeGreaterThan(2)
  expect(again.length).toBeGreaterThan(0)
  expect(again.length).toBeLessThanOrEqual(FILES / 10)

  const whole = openWriter()
  await openIndexer(vault, whole).reconcile({ all: true })
  expect(await recordsOf(writer)).toEqual(await recordsOf(whole))
})
