import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { ReadFile } from '../../bench/oracle/ends.mjs'
import { RouxError } from '../../src/core/errors.ts'
import type { Flavor } from '../../src/core/note.ts'
import type { WriteResult } from '../../src/core/operations.ts'
import { LONG } from '../support/long.ts'
import { exported } from '../support/memory-vault.ts'
import { type WritableVault, writable } from '../support/writable-vault.ts'
import { type Action, actions, KINDS, plannedFor } from './fuzz/actions.ts'
import { faultsOf, type Moment } from './fuzz/faults.ts'
import { vaults } from './fuzz/vaults.ts'

/*
 * Generates vaults and write operations, and checks what Roux guarantees about them. A failure prints its seed and path;
 * PROPERTY_SEED=<seed> FUZZ_PATH=<path> repeats its smallest case. FUZZ_RUNS=<number> sets the number
 * of vaults per flavor; FUZZ_SHRINK=no stops at the first failure.
 */
const RUNS = Number(process.env.FUZZ_RUNS ?? (LONG ? 40 : 4))

const FLAVORS: readonly Flavor[] = [
  { profile: 'lenient', mode: 'obsidian', comments: true },
  { profile: 'lenient', mode: 'docs', comments: true },
  { profile: 'lenient', mode: 'foam', comments: true },
  { profile: 'lenient', mode: 'logseq', comments: true },
]

/** How often each kind of action was done and refused. */
const counts = new Map<string, { done: number; refused: number }>()

/** Reads vaults in a thread, where the Markdown parser skips the checks it makes in tests. */
const reader = new Worker(new URL('../../bench/oracle/ends.mjs', import.meta.url), { workerData: 'ends', execArgv: [] })

afterAll(async () => {
  await reader.terminate()
  const rows = [...counts].sort().map(([kind, { done, refused }]) => `${kind} ${done}/${done + refused}`)
  process.stderr.write(`write fuzzer: done of requested: ${rows.join(', ')}\n`)
})

describe.each(FLAVORS)('$mode', (flavor) => {
  test(
    'every link keeps its target, every other byte stays, and undo restores everything',
    async () => {
      const path = process.env.FUZZ_PATH
      await fc.assert(
        fc.asyncProperty(vaults, actions, async (files, requested) => {
          const vault = await writable(files, { ...flavor, spelling: 'preserve' })
          try {
            await runAll(vault, flavor, requested)
          } finally {
            await vault.close()
          }
        }),
        { numRuns: RUNS, ...(path === undefined ? {} : { path }), endOnFailure: process.env.FUZZ_SHRINK === 'no' },
      )
    },
    LONG ? 1_800_000 : 180_000,
  )
})

async function runAll(vault: WritableVault, flavor: Flavor, requested: readonly Action[]): Promise<void> {
  const start = bytesOf(vault)
  const done: string[] = []
  for (const [number, action] of requested.entries()) {
    const before = await momentOf(vault, flavor)
    const planned = plannedFor(action, {
      files: before.read,
      text: (path) => before.bytes.get(path) ?? '',
      deleted: [...before.bytes.keys()].filter((path) => path.startsWith('.trash/')),
      fresh: `zq${number}`,
    })
    if (planned === undefined) continue
    const result = await carryOut(vault, action, planned.operations, before)
    const count = counts.get(action.kind) ?? { done: 0, refused: 0 }
    counts.set(action.kind, count)
    if (result === undefined) {
      count.refused++
      continue
    }
    count.done++
    const after = await momentOf(vault, flavor)
    const details = JSON.stringify({
      operations: planned.operations,
      dangling: result.dangling,
      files: Object.fromEntries(before.bytes),
    })
    expect(faultsOf({ action, planned, result, before, after }), details).toEqual([])
    const id = result.changeId
    if (id !== undefined) done.push(action.undone ? await backAndForth(vault, id, [before, after]) : id)
  }
  await isAsIfNew(vault, flavor)
  for (const id of done.reverse()) await vault.writes.undo(id)
  expect(bytesOf(vault)).toEqual(start)
  await isAsIfNew(vault, flavor)
}

/** Undoes a change, then undoes the undo, and returns the id of the change that reapplied it. */
async function backAndForth(vault: WritableVault, id: string, [before, after]: readonly [Moment, Moment]): Promise<string> {
  const back = await vault.writes.undo(id)
  expect(bytesOf(vault), 'undo restores every byte').toEqual(before.bytes)
  const forth = await vault.writes.undo(back.changeId ?? '')
  expect(bytesOf(vault), 'undoing the undo restores the change').toEqual(after.bytes)
  return forth.changeId ?? ''
}

/** Makes a dry run, then the change, and compares their answers; `undefined` if refused. */
async function carryOut(
  vault: WritableVault,
  { byPlan }: Action,
  operations: Parameters<WritableVault['write']>[0],
  before: Moment,
): Promise<WriteResult | undefined> {
  const dry = await settled(vault.write(operations, { dryRun: true }))
  expect(bytesOf(vault), 'a dry run writes nothing').toEqual(before.bytes)
  const planId = dry instanceof RouxError ? undefined : dry.planId
  const run = await settled(byPlan && planId !== undefined ? vault.write([], { planId }) : vault.write(operations))
  if (dry instanceof RouxError || run instanceof RouxError) {
    expect(bytesOf(vault), 'a refusal changes nothing').toEqual(before.bytes)
    expect(
      run instanceof RouxError ? run.message : run,
      JSON.stringify({ operations, files: Object.fromEntries(before.bytes) }),
    ).toEqual(dry instanceof RouxError ? dry.message : dry)
    if (process.env.FUZZ_REFUSALS !== undefined) process.stderr.write(`${JSON.stringify(operations)}: ${String(run)}\n`)
    return undefined
  }
  const { changeId: _, ...actual } = run
  const { planId: __, ...planned } = dry
  expect({ files: actual.files, dangling: actual.dangling, diff: actual.diff, subjects: actual.subjects }).toEqual({
    files: planned.files,
    dangling: planned.dangling,
    diff: planned.diff,
    subjects: planned.subjects,
  })
  return run
}

/** A RouxError is an answer; any other error fails the test. */
async function settled(writing: Promise<WriteResult>): Promise<WriteResult | RouxError> {
  return await writing.catch((error: unknown) => {
    if (error instanceof RouxError) return error
    throw error
  })
}

async function momentOf(vault: WritableVault, flavor: Flavor): Promise<Moment> {
  reader.postMessage({ root: vault.root, flavor })
  const [{ read, error }] = (await once(reader, 'message')) as [{ read: ReadonlyMap<string, ReadFile>; error?: unknown }]
  if (error !== undefined) throw error
  return { read, bytes: bytesOf(vault) }
}

/** Ignores folders: an empty one is not a note. */
function bytesOf(vault: WritableVault): ReadonlyMap<string, string> {
  return new Map(Object.entries(vault.snapshot()).filter(([path]) => !path.endsWith('/')))
}

/** The incrementally updated index must equal a fresh one. */
async function isAsIfNew(vault: WritableVault, flavor: Flavor): Promise<void> {
  const files = Object.fromEntries([...bytesOf(vault)].map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]))
  // The vault is indexed only once, so there is no need to wait until its time stamps can be trusted.
  const fresh = await writable(files, { ...flavor, spelling: 'preserve', settled: false })
  try {
    expect(await rowsOf(vault)).toEqual(await rowsOf(fresh))
  } finally {
    await fresh.close()
  }
}

async function rowsOf(vault: WritableVault): Promise<readonly string[]> {
  return (await exported(vault.store)).map((row) => JSON.stringify(row)).sort()
}

// Some kinds of action are rare, so a small run may miss one.
test.runIf(RUNS >= 100 && process.env.FUZZ_PATH === undefined)('every kind of action was done at least once', () => {
  expect(KINDS.filter((kind) => (counts.get(kind)?.done ?? 0) === 0)).toEqual([])
})
