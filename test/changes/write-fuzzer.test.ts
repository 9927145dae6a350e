import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { ReadFile } from '../../bench/oracle/ends.mjs'
import { RouxError } from '../../src/core/errors.ts'
import type { Flavour } from '../../src/core/note.ts'
import type { WriteResult } from '../../src/core/operations.ts'
import { LONG } from '../support/long.ts'
import { exported } from '../support/memory-vault.ts'
import { type WritableVault, writable } from '../support/writable-vault.ts'
import { type Action, actions, KINDS, plannedFor } from './fuzz/actions.ts'
import { faultsOf, type Moment } from './fuzz/faults.ts'
import { vaults } from './fuzz/vaults.ts'

/*
 * Vaults from a grammar, every operation that writes, and the promises about them. Each run prints its seed. FUZZ_SEED=<seed> repeats
 * it, and FUZZ_PATH=<path>, which a failure prints, its smallest case. FUZZ_RUNS=<number> sets the number
 * of vaults for each flavour; FUZZ_SHRINK=no stops at the first failure.
 */
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const RUNS = Number(process.env.FUZZ_RUNS ?? (LONG ? 100 : 4))

const FLAVOURS: readonly Flavour[] = [
  { profile: 'lenient', mode: 'obsidian', comments: true },
  { profile: 'lenient', mode: 'docs', comments: true },
  { profile: 'lenient', mode: 'foam', comments: true },
  { profile: 'lenient', mode: 'logseq', comments: true },
]

/** How often each kind of action was carried out, and refused. */
const counts = new Map<string, { done: number; refused: number }>()

/** Reads vaults in a thread of its own, in which the Markdown parser makes none of the checks that it makes within a test. */
const reader = new Worker(new URL('../../bench/oracle/ends.mjs', import.meta.url), { workerData: 'ends', execArgv: [] })

afterAll(async () => {
  await reader.terminate()
  const rows = [...counts].sort().map(([kind, { done, refused }]) => `${kind} ${done}/${done + refused}`)
  process.stderr.write(`write fuzzer: seed ${SEED}, done of asked: ${rows.join(', ')}\n`)
})

describe.each(FLAVOURS)('$mode', (flavour) => {
  test(
    'every link keeps its target, every other byte stays, and all is taken back',
    async () => {
      const path = process.env.FUZZ_PATH
      await fc.assert(
        fc.asyncProperty(vaults, actions, async (files, asked) => {
          const vault = await writable(files, { ...flavour, spelling: 'preserve' })
          try {
            await runAll(vault, flavour, asked)
          } finally {
            await vault.close()
          }
        }),
        { numRuns: RUNS, seed: SEED, ...(path === undefined ? {} : { path }), endOnFailure: process.env.FUZZ_SHRINK === 'no' },
      )
    },
    LONG ? 1_800_000 : 180_000,
  )
})

async function runAll(vault: WritableVault, flavour: Flavour, asked: readonly Action[]): Promise<void> {
  const start = bytesOf(vault)
  const done: string[] = []
  for (const [number, action] of asked.entries()) {
    const before = await momentOf(vault, flavour)
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
    const after = await momentOf(vault, flavour)
    const said = JSON.stringify({
      operations: planned.operations,
      dangling: result.dangling,
      files: Object.fromEntries(before.bytes),
    })
    expect(faultsOf({ action, planned, result, before, after }), said).toEqual([])
    const id = result.changeId
    if (id !== undefined) done.push(action.undone ? await backAndForth(vault, id, [before, after]) : id)
  }
  await isAsIfNew(vault, flavour)
  for (const id of done.reverse()) await vault.writes.undo(id)
  expect(bytesOf(vault)).toEqual(start)
  await isAsIfNew(vault, flavour)
}

/** Takes a change back and that again; resolves with the change by which all is as after the first. */
async function backAndForth(vault: WritableVault, id: string, [before, after]: readonly [Moment, Moment]): Promise<string> {
  const back = await vault.writes.undo(id)
  expect(bytesOf(vault), 'undo restores every byte').toEqual(before.bytes)
  const forth = await vault.writes.undo(back.changeId ?? '')
  expect(bytesOf(vault), 'undo of an undo, too').toEqual(after.bytes)
  return forth.changeId ?? ''
}

/** Makes a dry run and the run; what the one tells, the other does. `undefined` for what is refused. */
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
    expect(bytesOf(vault), 'what is refused changes nothing').toEqual(before.bytes)
    expect(
      run instanceof RouxError ? run.message : run,
      JSON.stringify({ operations, files: Object.fromEntries(before.bytes) }),
    ).toEqual(dry instanceof RouxError ? dry.message : dry)
    if (process.env.FUZZ_REFUSALS !== undefined) process.stderr.write(`${JSON.stringify(operations)}: ${String(run)}\n`)
    return undefined
  }
  const { changeId: _, ...told } = run
  const { planId: __, ...foretold } = dry
  expect({ files: told.files, dangling: told.dangling, diff: told.diff, subjects: told.subjects }).toEqual({
    files: foretold.files,
    dangling: foretold.dangling,
    diff: foretold.diff,
    subjects: foretold.subjects,
  })
  return run
}

/** An error that a caller is told of is an answer; any other fails the test. */
async function settled(writing: Promise<WriteResult>): Promise<WriteResult | RouxError> {
  return await writing.catch((error: unknown) => {
    if (error instanceof RouxError) return error
    throw error
  })
}

async function momentOf(vault: WritableVault, flavour: Flavour): Promise<Moment> {
  reader.postMessage({ root: vault.root, flavour })
  const [{ read, error }] = (await once(reader, 'message')) as [{ read: ReadonlyMap<string, ReadFile>; error?: unknown }]
  if (error !== undefined) throw error
  return { read, bytes: bytesOf(vault) }
}

/** Folders do not count: an empty one is not a note. */
function bytesOf(vault: WritableVault): ReadonlyMap<string, string> {
  return new Map(Object.entries(vault.snapshot()).filter(([path]) => !path.endsWith('/')))
}

/** The index that followed the changes says the same as one that reads the vault anew. */
async function isAsIfNew(vault: WritableVault, flavour: Flavour): Promise<void> {
  const files = Object.fromEntries([...bytesOf(vault)].map(([path, bytes]) => [path, Buffer.from(bytes, 'latin1')]))
  const fresh = await writable(files, { ...flavour, spelling: 'preserve' })
  try {
    expect(await rowsOf(vault)).toEqual(await rowsOf(fresh))
  } finally {
    await fresh.close()
  }
}

async function rowsOf(vault: WritableVault): Promise<readonly string[]> {
  return (await exported(vault.store)).map((row) => JSON.stringify(row)).sort()
}

// Some kinds of action are rare: fewer vaults may leave one out.
test.runIf(RUNS >= 100 && process.env.FUZZ_PATH === undefined)('the fuzzer has carried out every kind of action', () => {
  expect(KINDS.filter((kind) => (counts.get(kind)?.done ?? 0) === 0)).toEqual([])
})
