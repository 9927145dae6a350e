import { expect, test } from 'vitest'
import { findNodes } from '../../src/app/find/find-nodes.ts'
import { search } from '../../src/app/find/search.ts'
import { findPath } from '../../src/app/links/find-path.ts'
import { getNode } from '../../src/app/read/get-node.ts'
import { readNoteFile } from '../../src/app/read/read-file.ts'
import type { Texts } from '../../src/core/texts.ts'
import { type SearchCore, searchCore } from './search-core.ts'

/** A vault whose `slow.md` stops responding after it is indexed. */
async function withSlowFile(): Promise<SearchCore> {
  const core = await searchCore({
    'slow.md': 'Green tea leads to [[fast#Brewing]].',
    'fast.md': '# Brewing\n\nGreen tea, and [[slow#Nothing]].',
  })
  const texts: Texts = {
    async read(versions) {
      const read = await core.texts.read(versions)
      return versions.map(({ id }, at) => (id === 'slow.md' ? 'unread' : read[at]))
    },
  }
  return { ...core, texts }
}

const UNREAD = { code: 'UNREAD', message: expect.stringContaining('"slow.md"') }

test('search shows an unresponsive file without passages, with a warning', async () => {
  const answer = await search(await withSlowFile(), {
    query: 'green tea',
    limit: 5,
    includeContent: false,
    relevance: 'loose',
    mode: 'keyword',
    explain: false,
  })
  expect(new Map(answer.value.map(({ id, passages }) => [id, passages.length]))).toEqual(
    new Map([
      ['slow.md', 0],
      ['fast.md', 1],
    ]),
  )
  expect(answer.warnings).toEqual([UNREAD])
})

test('find_nodes shows an unresponsive file without a snippet, with a warning', async () => {
  const answer = await findNodes(await withSlowFile(), {
    query: 'green tea',
    limit: 5,
    orderBy: 'relevance',
    includeArchived: false,
  })
  const snippets = Object.fromEntries(answer.value.map(({ id, snippet }) => [id, snippet]))
  expect(snippets).toEqual({ 'slow.md': '', 'fast.md': expect.stringContaining('Green tea') })
  expect(answer.warnings).toEqual([UNREAD])
})

test.each([
  ['slow', 'fast', ''],
  ['fast', 'slow', 'Green tea, and [[slow#Nothing]].'],
])("find_path from %s to %s leaves out the unresponsive file's text, with a warning", async (source, target, text) => {
  const answer = await findPath(await withSlowFile(), { source, target, direction: 'out', count: 1, avoidHubs: false })
  expect(answer.value?.hops).toEqual([expect.objectContaining({ text, line: source === 'slow' ? 1 : 3 })])
  expect(answer.warnings).toEqual([UNREAD])
})

test('reading a single unresponsive file is an error', async () => {
  const core = await withSlowFile()
  await expect(getNode(core, { id: 'slow', depth: 0, offset: 0, maxChars: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' })
  await expect(readNoteFile(core, 'slow')).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect((await getNode(core, { id: 'fast', depth: 1, offset: 0, maxChars: 100 })).value).toMatchObject({ id: 'fast.md' })
})

test('never shows a note without its text when its file responds only to a retry', async () => {
  const core = await searchCore({ 'late.md': 'All of it.' })
  let reads = 0
  const texts: Texts = {
    read: async (versions) => (reads++ === 0 ? versions.map(() => 'unread') : await core.texts.read(versions)),
  }
  const args = { id: 'late', depth: 0, offset: 0, maxChars: 100 }
  await expect(getNode({ ...core, texts }, args)).rejects.toMatchObject({ code: 'TIMEOUT' })
  expect((await getNode({ ...core, texts }, args)).value).toMatchObject({ content: 'All of it.' })
})
