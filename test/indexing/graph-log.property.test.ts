import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldId } from '../../src/core/ids.ts'
import type { IndexWriter } from '../../src/core/index-writer.ts'
import type { GraphChanges, LoggedCommit } from '../../src/core/insight/graph-changes.ts'
import { composeChanges } from '../../src/graph/changes/compose-changes.ts'
import { joinIdentities } from '../../src/graph/changes/match-moves.ts'
import { allOf, openIndexer } from '../support/indexers.ts'
import { embeddedEngine, MemoryVault } from '../support/memory-vault.ts'
import { operation, perform } from './vault-operations.ts'

/** A graph as plain text: the kind of each file, and the number of links between each pair. */
interface PlainGraph {
  readonly files: ReadonlyMap<string, string>
  readonly links: ReadonlyMap<string, number>
}

async function graphOf(index: IndexWriter): Promise<PlainGraph> {
  const records = await index.records((await allOf(index.files())).map(({ key }) => key))
  const paths = new Map(records.map(({ key, path }) => [key, path]))
  const files = new Map(records.map(({ path, kind, hash, title }) => [path as string, `${kind} ${hash.slice(0, 16)} ${title}`]))
  const links = new Map<string, number>()
  for (const { path, links: own } of records) {
    for (const { to, brokenSubpath, subpath } of own) {
      const end = typeof to === 'string' ? `//${foldId(to)}` : `${paths.get(to)}`
      const parts = brokenSubpath ? ['', `#${subpath}`] : ['']
      for (const part of parts) links.set([path, end, part].join('\0'), (links.get([path, end, part].join('\0')) ?? 0) + 1)
    }
  }
  return { files, links }
}

/** Applies changes to a graph. */
function replay(graph: PlainGraph, { files: changed, links: relinked }: GraphChanges): PlainGraph {
  const files = new Map(graph.files)
  for (const { from, before } of changed) {
    if (from === undefined) continue
    expect(files.get(from)).toBe(`${before?.kind} ${before?.hash} ${before?.title}`)
    files.delete(from)
  }
  for (const { to, after } of changed) if (to !== undefined) files.set(to, `${after?.kind} ${after?.hash} ${after?.title}`)
  const ends = new Map(changed.flatMap(({ from, to }) => (from === undefined ? [] : [[from, to ?? `/${from}`] as const])))
  const endOf = (end = ''): string => ends.get(end) ?? end
  const links = new Map<string, number>()
  for (const [key, count] of graph.links) {
    const [from, to, part] = key.split('\0')
    links.set([endOf(from), endOf(to), part].join('\0'), count)
  }
  for (const { from, to, part, was, now } of relinked) {
    const key = [from, to, part === undefined ? '' : `#${part}`].join('\0')
    expect([key, links.get(key) ?? 0]).toEqual([key, was])
    if (now === 0) links.delete(key)
    else links.set(key, now)
  }
  return { files, links }
}

function sorted({ files, links }: PlainGraph) {
  return { files: [...files].sort(), links: [...links].sort() }
}

/** Returns the changes without lines. A link's line comes from the last change, which depends on the order of composition. */
function withoutLines({ files, links }: GraphChanges) {
  return { files, links: links.map((link) => ({ ...link, texts: link.texts.map(([text, , more]) => [text, more]) })) }
}

const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })

test('replaying the log of any sequence of changes on the old graph gives the new graph, and composing parts of the log gives the whole', async () => {
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(), async (steps, cut) => {
      const { index } = embeddedEngine()
      const vault = new MemoryVault({ 'start.md': '[[a]] [[f/b]] [[Alias]]', 'a.md': '[[start]] [[b#h]]', 'f/b.md': '# h' })
      const log: Pick<LoggedCommit, 'base' | 'generation' | 'changes'>[] = []
      const marks: number[] = []
      const indexer = openIndexer(vault, index, {
        append: (commit) => log.push(commit),
        mark: (_, generation) => marks.push(generation),
      })
      await indexer.reconcile({ all: true })
      // The initial state of a vault is not a change.
      expect({ log, marks }).toEqual({ log: [], marks: [1] })
      const graphs = [await graphOf(index)]
      for (const batch of steps) {
        const files = batch.flatMap((step) => perform(vault, step))
        await indexer.reconcile({ all: false, folders: [], files })
        if ((await index.state()).generation > graphs.length) graphs.push(await graphOf(index))
      }
      expect(log.map(({ base, generation }) => [base, generation])).toEqual(log.map((_, at) => [at + 1, at + 2]))
      const changes = log.map((commit) => commit.changes as GraphChanges)
      const [first = { files: new Map(), links: new Map() }] = graphs
      for (const [at, one] of changes.entries()) {
        const before = graphs[at] ?? first
        expect(sorted(replay(before, one))).toEqual(sorted(graphs[at + 1] ?? first))
        expect(sorted(replay(before, joinIdentities(one)))).toEqual(sorted(graphs[at + 1] ?? first))
      }
      const whole = composeChanges(changes)
      expect(sorted(replay(first, joinIdentities(whole)))).toEqual(sorted(graphs.at(-1) ?? first))
      const middle = cut % (changes.length + 1)
      const parts = [composeChanges(changes.slice(0, middle)), composeChanges(changes.slice(middle))]
      expect(withoutLines(composeChanges(parts))).toEqual(withoutLines(whole))
    }),
    { numRuns: 300 },
  )
})
