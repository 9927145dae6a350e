import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/store.ts'
import { ask } from '../support/ask.ts'
import { memoryEngine } from '../support/memory-engine/open.ts'
import { exported, FedVault, IndexedVault, MemoryVault } from '../support/memory-vault.ts'

/** Few names, so that they clash: twins in case and folder, aliases that are names of others, attachments beside notes. */
const PATHS = [
  'a.md',
  'A.md',
  'b.md',
  'f/a.md',
  'f/b.md',
  'f/index.md',
  'g/f/a.md',
  'f.md',
  'g.md',
  'README.md',
  'p.png',
  'f/p.png',
  'c.canvas',
  'g/c d.md',
]
const TARGETS = [
  'a',
  'A',
  'b',
  'f/a',
  'Alias',
  'other',
  'p.png',
  'f',
  './a',
  '../b',
  '/f/b',
  'a.md',
  'c%20d',
  'c d',
  'nope',
  'c.canvas',
  'g/f/a',
  '.',
  '..',
  './',
  '../',
  'x/..',
  'f/',
  './f/',
  '/f/',
  '/',
]

const link = fc.oneof(
  fc.constantFrom(...TARGETS).map((target) => `[[${target}]]`),
  fc.constantFrom(...TARGETS).map((target) => `[t](<${target}>)`),
  fc.constantFrom(...TARGETS).map((target) => `![[${target}#h|x]]`),
  fc
    .record({
      target: fc.constantFrom('', 'a', 'b', 'f/a', 'Alias', 'c.canvas'),
      subpath: fc.constantFrom('h', 'i', 'h#i', '^k'),
    })
    .map(({ target, subpath }) => `[[${target}#${subpath}]]`),
)
const noteText = fc
  .record({
    aliases: fc.subarray(['Alias', 'other', 'b', 'nope']),
    up: fc.option(fc.constantFrom(...TARGETS), { nil: undefined }),
    links: fc.array(link, { maxLength: 4 }),
    tags: fc.subarray(['x', 'x/y', 'archived']),
    parts: fc.shuffledSubarray(['# h', '## i', '# i', 'x ^k']),
  })
  .map(({ aliases, up, links, tags, parts }) => {
    const lines = [
      ...(aliases.length > 0 ? [`aliases: [${aliases.join(', ')}]`] : []),
      ...(up === undefined ? [] : [`up: "[[${up}]]"`]),
    ]
    const frontmatter = lines.length > 0 ? `---\n${lines.join('\n')}\n---\n` : ''
    return `${frontmatter}${links.join(' and ')} ${tags.map((tag) => `#${tag}`).join(' ')}\n\n${parts.join('\n\n')}\n`
  })

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...PATHS), text: noteText }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path: fc.constantFrom(...PATHS) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leadOut' as const), path: fc.constantFrom(...PATHS) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('move' as const), path: fc.constantFrom(...PATHS), to: fc.constantFrom(...PATHS) }),
  },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

function perform(vault: MemoryVault, step: Operation): readonly string[] {
  if (step.kind === 'write') {
    vault.write(step.path, step.path.endsWith('.canvas') ? canvasOf(step.text) : step.text)
    return [step.path]
  }
  if (step.kind === 'leadOut') {
    vault.linkOut(step.path, '/elsewhere')
    return [step.path]
  }
  const bytes = vault.read(step.path)
  vault.remove(step.path)
  if (step.kind === 'remove' || bytes === undefined) return [step.path]
  vault.write(step.to, bytes)
  return [step.path, step.to]
}

function canvasOf(text: string): string {
  return JSON.stringify({
    nodes: [
      { id: '1', type: 'text', text },
      { id: '2', type: 'file', file: 'f/a.md' },
    ],
  })
}

/** The whole graph and the problems, as a store that never saw another state says them. */
async function factsOf(indexed: { readonly store: Store }) {
  const problems = await ask(indexed.store).problems({}, { offset: 0, limit: 10_000 })
  const tags = await ask(indexed.store).tags()
  const hubs = (await ask(indexed.store).hubs('in_degree', {}, 50))?.items
  const { items } = await ask(indexed.store).select(
    { kinds: ['note', 'attachment', 'canvas', 'missing'] },
    { offset: 0, limit: 1_000 },
  )
  const names = await ask(indexed.store).named('other', {}, 'similar', { limit: 50, minimum: 0.2 })
  const neighbors = await Promise.all(
    items.map(({ id }) =>
      ask(indexed.store).neighbors(id, { direction: 'both', kinds: ['note', 'missing'] }, { offset: 0, limit: 100 }),
    ),
  )
  return { rows: sorted(await exported(indexed.store)), problems, tags, hubs, items, names, neighbors }
}

function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort()
}

describe.each([
  { profile: 'lenient', mode: 'obsidian' },
  { profile: 'obsidian', mode: 'obsidian' },
  { profile: 'lenient', mode: 'docs' },
  { profile: 'lenient', mode: 'foam' },
  { profile: 'lenient', mode: 'auto' },
] as const)('$profile, $mode', (flavour) => {
  test('after any sequence of changes the index is what one built from scratch is', async () => {
    const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom('files', 'folders', 'trees'), async (steps, told) => {
        const vault = new MemoryVault({ 'start.md': '[[a]] [[f/b]] [[Alias]]' })
        const indexed = await new IndexedVault(vault, flavour).index()
        await factsOf(indexed)
        for (const batch of steps) {
          const touched = batch.flatMap((step) => perform(vault, step))
          // Files, folders, or folders with all below them: a watcher may know either.
          await indexed.indexer.reconcile(
            told === 'files'
              ? { all: false, folders: [], files: touched }
              : {
                  all: false,
                  folders: touched.map((path) => ({
                    path: path.slice(0, Math.max(0, path.lastIndexOf('/'))),
                    recursive: told === 'trees',
                  })),
                  files: [],
                },
          )
        }
        const fresh = await new IndexedVault(vault, flavour).index()
        expect(await factsOf(indexed)).toEqual(await factsOf(fresh))
        // Nothing more to do: a full comparison changes nothing.
        const { generation } = await ask(indexed.store).state()
        await indexed.indexer.reconcile({ all: true })
        expect((await ask(indexed.store).state()).generation).toBe(generation)
      }),
      { numRuns: 150 },
    )
  })
})

test('after any sequence of changes another engine that was fed them answers as the embedded one does', async () => {
  const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(batches, async (steps) => {
      const vault = new MemoryVault({ 'start.md': '[[a]] [[f/b]] [[Alias]]' })
      const second = await new FedVault(vault, memoryEngine()).index()
      for (const batch of steps) {
        const files = batch.flatMap((step) => perform(vault, step))
        await second.indexer.reconcile({ all: false, folders: [], files })
      }
      expect(await factsOf(second)).toEqual(await factsOf(await new IndexedVault(vault).index()))
    }),
    { numRuns: 100 },
  )
})
