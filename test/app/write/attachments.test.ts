import { expect, test } from 'vitest'
import type { GraphCore } from '../../../src/app/graph-core.ts'
import { type AttachmentContent, listAttachments, readAttachment } from '../../../src/app/write/attachments.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { fakeFiles, PNG } from './fake-writing.ts'

const FILES = {
  'Home.md': { body: '![[photo.png]] [[Papers/Plan.pdf]] [[Soil]] ![[lie.png]]' },
  'Soil.md': { body: '' },
  'photo.png': {},
  'lie.png': {},
  'Papers/Plan.pdf': {},
  'gone.bin': {},
}
const PDF = Uint8Array.from({ length: 40_000 }, (_, at) => (at * 7) % 256)
const BYTES = { 'photo.png': PNG, 'lie.png': Buffer.from('<script>'), 'Papers/Plan.pdf': PDF }
const core: GraphCore = { ...fakeCore(fakeStore(FILES)), files: fakeFiles(BYTES) }

test("lists a note's attachments with type and size", async () => {
  const { value } = await listAttachments(core, { id: 'home', limit: 10, offset: 0 })
  expect(value.total).toBe(3)
  expect(value.attachments.find(({ id }) => id === 'papers/plan.pdf')).toEqual({
    id: 'papers/plan.pdf',
    filename: 'Plan.pdf',
    mime_type: 'application/pdf',
    size: 40_000,
    created: expect.any(String),
    modified: expect.any(String),
  })
  const page = await listAttachments(core, { id: 'home', limit: 1, offset: 2 })
  expect([page.value.attachments.length, page.value.total]).toEqual([1, 3])
})

test('a note without attachments has none, and an unknown note gives a warning', async () => {
  expect(await listAttachments(core, { id: 'soil', limit: 10, offset: 0 })).toEqual({
    value: { attachments: [], total: 0 },
    warnings: [],
    list: { offset: 0, shown: 0, count: 0, counted: 'all' },
  })
  const { value, warnings } = await listAttachments(core, { id: 'nope', limit: 10, offset: 0 })
  expect([value.total, warnings.map(({ code }) => code)]).toEqual([0, ['UNKNOWN_ID']])
})

test('shows a picture whole, and as base64 only when bytes are requested', async () => {
  const { value, images } = await readAttachment(core, { id: 'PHOTO.png', offset: 0 })
  expect(value).toMatchObject({ id: 'photo.png', filename: 'photo.png', mime_type: 'image/png', size: PNG.length })
  expect(value).not.toHaveProperty('content')
  expect(images).toEqual([{ mimeType: 'image/png', data: Buffer.from(PNG).toString('base64') }])
  const bytes = await readAttachment(core, { id: 'photo.png', offset: 0, maxBytes: 100 })
  expect(bytes.images).toBeUndefined()
  expect(bytes.value?.content).toBe(Buffer.from(PNG).toString('base64'))
})

test('a file that is only named like a picture is not shown as one', async () => {
  const { value, images } = await readAttachment(core, { id: 'lie.png', offset: 0 })
  expect(images).toBeUndefined()
  expect(Buffer.from(value?.content ?? '', 'base64').toString()).toBe('<script>')
})

test.each([undefined, 1000, 39_999, 40_000, 50_000])('pages of %s bytes join to the file', async (maxBytes) => {
  const pages: Buffer[] = []
  let offset: number | undefined = 0
  while (offset !== undefined) {
    const read: { value: AttachmentContent | null } = await readAttachment(core, { id: 'papers/plan.pdf', offset, maxBytes })
    pages.push(Buffer.from(read.value?.content ?? '', 'base64'))
    offset = read.value?.next_offset
  }
  expect(Buffer.concat(pages).equals(PDF)).toBe(true)
  expect(pages[0]?.length).toBe(Math.min(maxBytes ?? 16_384, 40_000))
})

test('returns nothing past the end', async () => {
  const { value } = await readAttachment(core, { id: 'papers/plan.pdf', offset: 99_999 })
  expect(value).toMatchObject({ content: '', size: 40_000 })
  expect(value).not.toHaveProperty('next_offset')
})

test('an unknown file is null; a note or an unreadable file is an error', async () => {
  expect(await readAttachment(core, { id: 'nope.png', offset: 0 })).toMatchObject({
    value: null,
    warnings: [{ code: 'UNKNOWN_ID' }],
  })
  await expect(readAttachment(core, { id: 'home', offset: 0 })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    hint: 'Use get_node to read notes.',
  })
  await expect(readAttachment(core, { id: 'gone.bin', offset: 0 })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
})

test('attachments are disabled without file access', async () => {
  const closed = fakeCore(fakeStore(FILES))
  await expect(readAttachment(closed, { id: 'photo.png', offset: 0 })).rejects.toMatchObject({ code: 'TOOL_DISABLED' })
})
