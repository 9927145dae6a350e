import { expect } from 'vitest'
import type { Operation, WriteResult } from '../../../src/core/operations.ts'
import { type Files, type WritableOptions, type WritableVault, writable } from '../../support/writable-vault.ts'

export interface Checked {
  readonly vault: WritableVault
  readonly result: WriteResult
}

/** What happened to files by path: their new text, or `null` if they are gone. */
export type Difference = Readonly<Record<string, string | null>>

/**
 * Applies operations to a vault and compares the changes, undoes them and checks that every byte and link is as before, and then redoes them.
 */
export async function check(
  files: Files,
  operations: Operation | readonly Operation[],
  expected: Difference,
  options: WritableOptions = {},
): Promise<Checked> {
  const vault = await writable(files, options)
  const before = { files: vault.snapshot(), edges: await vault.edges() }
  const dry = await vault.write(operations, { dryRun: true })
  expect(vault.snapshot(), 'a dry run writes nothing').toEqual(before.files)
  const result = await vault.write(operations)
  const after = vault.files()
  expect(differenceOf(texts(before.files), after)).toEqual(expected)
  expect({ ...dry, planId: undefined }).toEqual({ ...result, planId: undefined, changeId: undefined })
  await undoAndRedo(vault, result, before)
  expect(vault.files()).toEqual(after)
  return { vault, result }
}

async function undoAndRedo(
  vault: WritableVault,
  { changeId }: WriteResult,
  before: { readonly files: Readonly<Record<string, string>>; readonly edges: readonly string[] },
): Promise<void> {
  if (changeId === undefined) return
  const after = await vault.edges()
  const undone = await vault.writes.undo(changeId)
  // The trash folder stays after an undo.
  const { '.trash/': _, ...undoneFiles } = vault.snapshot()
  const { '.trash/': __, ...filesBefore } = before.files
  expect(undoneFiles, 'undone').toEqual(filesBefore)
  expect(await vault.edges(), 'links after undo').toEqual(before.edges)
  await vault.writes.undo(undone.changeId ?? '')
  expect(await vault.edges(), 'links after redo').toEqual(after)
}

/** Makes a request that must be refused and checks that nothing changed. */
export async function refuse(
  files: Files,
  operations: Operation | readonly Operation[],
  expected: object,
  options: WritableOptions = {},
): Promise<void> {
  const vault = await writable(files, options)
  const before = vault.snapshot()
  const edges = await vault.edges()
  await expect(vault.write(operations)).rejects.toMatchObject(expected)
  expect(vault.snapshot()).toEqual(before)
  expect(await vault.edges()).toEqual(edges)
  // A refused plan must not affect later changes, either.
  await vault.write({ kind: 'create', id: 'unrelated', content: '' })
  expect(await vault.edges()).toEqual(edges)
}

function texts(snapshot: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const files = Object.entries(snapshot).filter(([name]) => !name.endsWith('/'))
  return Object.fromEntries(files.map(([name, raw]) => [name, Buffer.from(raw, 'latin1').toString('utf8')]))
}

function differenceOf(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): Difference {
  const changed = Object.entries(after).filter(([path, text]) => before[path] !== text)
  const gone = Object.keys(before).filter((path) => after[path] === undefined)
  return Object.fromEntries([...changed, ...gone.map((path) => [path, null] as const)])
}
