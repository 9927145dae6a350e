import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toNodeId, toVaultPath } from '../../../src/core/ids.ts'
import type { NoteText, Texts } from '../../../src/core/texts.ts'
import type { Vault } from '../../../src/core/vault.ts'
import { noteTextOf } from '../../../src/markdown/prose/excerpt.ts'
import { readIfChanged } from '../../../src/vault/file-system.ts'
import { openTexts } from '../../../src/workers/files/vault-files.ts'
import { diskVault } from '../../vault/support.ts'

const past = new Date(Date.now() - 60_000)

/** The texts of a vault, read in this thread. */
function textsOf(vault: Vault) {
  return openTexts({
    async read(job) {
      const fresh = readIfChanged(vault, job.path, job.kind === 'text' ? job.known : undefined)
      if (fresh === undefined || fresh === 'same') return fresh
      return { text: noteTextOf(fresh.bytes), ...(fresh.stat === undefined ? undefined : { stat: fresh.stat }) }
    },
    close() {},
  })
}

/** One text, or `undefined` for a file that does not answer. */
async function readOne(texts: Texts, path: string): Promise<NoteText | undefined> {
  const [text] = await texts.read([{ id: toNodeId(path), path: toVaultPath(path), kind: 'note', hash: '' }])
  return text === 'unread' ? undefined : text
}

/** Waits until files are so old that another change would change their time stamps. */
const settle = async () => await new Promise((resolve) => setTimeout(resolve, 60))

test('returns the same object for the same text until the file changes', async () => {
  const { root, vault } = diskVault({ 'a.md': '---\na: 1\n---\none' })
  const texts = textsOf(vault)
  await settle()
  const first = await readOne(texts, 'a.md')
  expect(first).toMatchObject({ text: '---\na: 1\n---\none', bodyStart: 13 })
  expect(await readOne(texts, 'a.md')).toBe(first)
  writeFileSync(join(root, 'a.md'), '---\na: 1\n---\ntwo')
  // Even if the modification time is set back, the change time differs.
  utimesSync(join(root, 'a.md'), past, past)
  expect((await readOne(texts, 'a.md'))?.text).toContain('two')
  expect(await readOne(texts, 'nope.md')).toBeUndefined()
})

test('an idle server releases its texts', async () => {
  const { vault } = diskVault({ 'a.md': 'one' })
  const texts = textsOf(vault)
  await settle()
  const first = await readOne(texts, 'a.md')
  texts.releaseMemory()
  expect(await readOne(texts, 'a.md')).toEqual(first)
  expect(await readOne(texts, 'a.md')).not.toBe(first)
})

test('reads a recently written file each time', async () => {
  const { vault } = diskVault({ 'a.md': 'one' })
  const texts = textsOf(vault)
  expect(await readOne(texts, 'a.md')).not.toBe(await readOne(texts, 'a.md'))
})

test('keeps the most recently used texts within its limit', async () => {
  const { vault } = diskVault({ 'a.md': 'a'.repeat(3 << 20), 'b.md': 'b'.repeat(3 << 20), 'c.md': 'c'.repeat(3 << 20) })
  await settle()
  const texts = textsOf(vault)
  const read = async (path: string) => await readOne(texts, path)
  const a = await read('a.md')
  const b = await read('b.md')
  await read('a.md')
  await read('c.md')
  expect((await read('a.md')) === a).toBe(true)
  expect((await read('b.md')) === b).toBe(false)
})
