import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameProblem } from '../../../src/changes/path-rules.ts'
import type { Operation } from '../../../src/core/operations.ts'
import { FLAVORS, path, vault as randomVault, withEnding } from '../../links/relink/random-vaults.ts'
import { LONG } from '../../support/long.ts'
import { exported } from '../../support/memory-vault.ts'
import { type WritableVault, writable } from '../../support/writable-vault.ts'

const RUNS = Number(process.env.PLAN_RUNS ?? (LONG ? 15 : 5))

const action = fc.tuple(fc.constantFrom('move', 'title', 'folder'), fc.nat(50), path)

describe.each(FLAVORS)('$profile, $mode', ({ profile, mode, comments }) => {
  test('links keep their targets after any moves, and undo restores every byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        randomVault,
        fc.array(action, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (files, actions, settled) => {
          fc.pre(isPlain(files))
          const vault = await writable(files, { profile, mode, comments, settled })
          const start = { files: vault.snapshot(), edges: await edgesOf(vault) }
          const done: string[] = []
          for (const each of actions) {
            const operation = operationFor(Object.keys(vault.files()), each)
            const before = { files: vault.snapshot(), edges: await edgesOf(vault) }
            const result = await vault.write(operation).catch(() => undefined)
            if (result === undefined) {
              expect(vault.snapshot()).toEqual(before.files)
              continue
            }
            if (result.changeId !== undefined) done.push(result.changeId)
            const moved = new Map(result.files.map(({ from = '', to = '' }) => [from, to]))
            const excused = new Set(result.dangling.map((report) => report.path))
            const expected = before.edges.map((edge) => renamed(edge, moved)).filter(({ source }) => !excused.has(source))
            const now = (await edgesOf(vault)).filter(({ source }) => !excused.has(source))
            expect(sorted(now), JSON.stringify(operation)).toEqual(sorted(withGained(expected, now)))
          }
          for (const id of done.reverse()) await vault.writes.undo(id)
          const { '.trash/': _, ...after } = vault.snapshot()
          expect(after).toEqual(start.files)
          expect(await edgesOf(vault)).toEqual(start.edges)
          await vault.close()
        },
      ),
      { numRuns: RUNS },
    )
  })

  test('several moves in one request lead to the same links as separate moves', async () => {
    await fc.assert(
      fc.asyncProperty(
        randomVault,
        fc.array(action, { minLength: 2, maxLength: 4 }),
        fc.boolean(),
        async (files, actions, settled) => {
          fc.pre(isPlain(files))
          const options = { profile, mode, comments, settled }
          const one = await writable(files, options)
          const operations: Operation[] = []
          let losses = 0
          for (const each of actions) {
            const operation = operationFor(Object.keys(one.files()), each)
            const result = await one.write(operation).catch(() => undefined)
            if (result === undefined) continue
            operations.push(operation)
            losses += result.dangling.length
          }
          const all = await writable(files, options)
          const result = operations.length < 2 ? undefined : await all.write(operations).catch(() => undefined)
          // A request that reuses a released name may be refused, and other links may be lost.
          if (result !== undefined && losses + result.dangling.length === 0)
            expect(await edgesOf(all), JSON.stringify(operations)).toEqual(await edgesOf(one))
          await Promise.all([one.close(), all.close()])
        },
      ),
      { numRuns: RUNS },
    )
  })
})

interface Edge {
  readonly source: string
  /** `undefined` for a missing target. */
  readonly target: string | undefined
  readonly count: number
}

/** Links between exact paths. */
async function edgesOf(vault: WritableVault): Promise<readonly Edge[]> {
  const rows = await exported(vault.store)
  const paths = new Map(rows.flatMap((row) => (row.kind === 'node' ? [[row.id as string, row.path as string] as const] : [])))
  const missing = new Map<string, number>()
  const edges = rows.flatMap((row): readonly Edge[] => {
    if (row.kind === 'node') return []
    const source = paths.get(row.source) ?? ''
    if (row.kind === 'edge') return [{ source, target: paths.get(row.target), count: row.count }]
    missing.set(source, (missing.get(source) ?? 0) + row.count)
    return []
  })
  return sorted([...edges, ...[...missing].map(([source, count]) => ({ source, target: undefined, count }))])
}

function sorted(edges: readonly Edge[]): readonly Edge[] {
  const text = ({ source, target }: Edge) => `${source}\0${target}`
  return [...edges].sort((a, b) => (text(a) < text(b) ? -1 : 1))
}

function renamed({ source, target, count }: Edge, moved: ReadonlyMap<string, string>): Edge {
  return { source: moved.get(source) ?? source, target: target === undefined ? undefined : (moved.get(target) ?? target), count }
}

/** Adds broken links that gained a target to the expected links, with the target that they have now. */
function withGained(expected: readonly Edge[], now: readonly Edge[]): readonly Edge[] {
  const countOf = (edges: readonly Edge[], { source, target }: Edge) =>
    edges.find((edge) => edge.source === source && edge.target === target)?.count ?? 0
  const gained = now
    .filter(({ target }) => target !== undefined)
    .map((edge) => ({ ...edge, count: edge.count - countOf(expected, edge) }))
  const result = new Map(expected.map((edge) => [`${edge.source}\0${edge.target}`, edge]))
  for (const { source, target, count } of gained) {
    if (count <= 0) continue
    const lost = {
      source,
      target: undefined,
      count: countOf([...result.values()], { source, target: undefined, count: 0 }) - count,
    }
    if (lost.count < 0) return expected
    result.set(`${source}\0${undefined}`, lost)
    if (lost.count === 0) result.delete(`${source}\0${undefined}`)
    result.set(`${source}\0${target}`, { source, target, count: countOf(expected, { source, target, count: 0 }) + count })
  }
  return [...result.values()]
}

/** Files without twins, which would need a hash, and with names that may be recreated. */
function isPlain(files: Readonly<Record<string, string>>): boolean {
  const paths = Object.keys(files).map((each) => each.toLowerCase())
  if (paths.some((each) => each.split('/').some((name) => nameProblem(name) !== undefined))) return false
  const folders = new Set(paths.flatMap((each) => each.split('/').slice(0, -1)))
  return new Set(paths).size === paths.length && !paths.some((each) => folders.has(each.split('/').at(-1) ?? ''))
}

function operationFor(paths: readonly string[], [kind, at, to]: readonly [string, number, string]): Operation {
  const from = paths[at % paths.length] ?? ''
  const folder = from.split('/').slice(0, -1).join('/')
  if (kind === 'title' && from.endsWith('.md')) {
    return {
      kind: 'update',
      id: from,
      title: (to.split('/').at(-1) ?? '').replace(/\.(?:md|png|canvas)$/, ''),
      updateLinks: true,
    }
  }
  if (kind === 'folder' && folder !== '') return { kind: 'move', id: folder, to: `n/${to.split('/')[0]}` }
  return { kind: 'move', id: from, to: withEnding(to, from) }
}
