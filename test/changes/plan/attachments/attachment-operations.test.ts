import { describe, expect, test } from 'vitest'
import { addAttachment } from '../../../../src/changes/plan/attachments.ts'
import type { AddAttachment } from '../../../../src/core/operations.ts'
import { attachment, attachmentVault, PNG, type VaultOptions } from '../attachment-vault.ts'

const NOTE = { 'note.md': '' }

interface Options extends VaultOptions {
  readonly files?: Readonly<Record<string, string>>
  readonly given?: Partial<Omit<AddAttachment, 'kind'>>
}

async function add({ files = NOTE, given = {}, ...options }: Options = {}) {
  const workspace = attachmentVault(files, options)
  const { path } = await addAttachment(workspace, attachment(given))
  return { path, notes: workspace.notes, planned: await workspace.finish() }
}

const pathOf = async (options: Options): Promise<string> => (await add(options)).path

test('an attachment is a new file with exactly the given bytes, and no note is edited', async () => {
  const { planned } = await add()
  expect(planned.changes).toEqual([{ kind: 'create', path: 'a.png', bytes: Buffer.from(PNG, 'base64') }])
  expect(planned.files).toEqual([{ kind: 'created', to: 'a.png', relinked: [] }])
  expect(planned.notes).toEqual(['No note was edited; write ![[a.png]] in a note to show the attachment.'])
})

describe('attachmentFolderPath', () => {
  const files = { 'Notes/Deep/note.md': '' }
  test.each([
    [undefined, 'a.png'],
    ['', 'a.png'],
    ['/', 'a.png'],
    ['./', 'Notes/Deep/a.png'],
    ['.', 'Notes/Deep/a.png'],
    ['./files', 'Notes/Deep/files/a.png'],
    ['./files/', 'Notes/Deep/files/a.png'],
    ['Files', 'Files/a.png'],
    ['notes/Files', 'Notes/Files/a.png'],
  ])('%j', async (attachmentFolder, path) => {
    const options = attachmentFolder === undefined ? {} : { attachmentFolder }
    expect(await pathOf({ files, ...options, given: { id: 'notes/deep/note' } })).toBe(path)
  })

  test('applies to a note in the root', async () => {
    expect(await pathOf({ attachmentFolder: './' })).toBe('a.png')
    expect(await pathOf({ attachmentFolder: './files' })).toBe('files/a.png')
  })

  test('Logseq vaults use their assets folder', async () => {
    expect(await pathOf({ mode: 'logseq' })).toBe('assets/a.png')
  })

  test.each(['../out', './../out', '.obsidian/files', 'C:/files', '.trash', 'a\\b'])(
    'rejects %j and names the setting',
    async (attachmentFolder) => {
      await expect(pathOf({ attachmentFolder })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:PERMISSION_DENIED|INVALID_PARAMS)$/),
        hint: expect.stringContaining('attachmentFolderPath'),
      })
    },
  )
})

describe('the id parameter', () => {
  const files = { 'note.md': '', 'Files/b.png': '', 'map.canvas': '' }
  test.each([
    ['files', 'Files/a.png'],
    ['Files/', 'Files/a.png'],
    ['/', 'a.png'],
    ['new/deep/', 'new/deep/a.png'],
    ['map.canvas', 'a.png'],
  ])('%j', async (id, path) => {
    expect(await pathOf({ files, given: { id } })).toBe(path)
  })

  test.each([
    ['nothing', 'NODE_NOT_FOUND'],
    ['Files/b.png', 'INVALID_PARAMS'],
    ['', 'INVALID_PARAMS'],
    ['a\0', 'INVALID_PARAMS'],
    ['..', 'PERMISSION_DENIED'],
    ['../', 'PERMISSION_DENIED'],
    ['/etc/', 'PERMISSION_DENIED'],
    ['.obsidian/', 'PERMISSION_DENIED'],
    ['.trash/', 'PERMISSION_DENIED'],
    ['con/', 'INVALID_PARAMS'],
  ])('%j is %s', async (id, code) => {
    await expect(pathOf({ files, given: { id } })).rejects.toMatchObject({ code })
  })
})

describe('the file name', () => {
  test('a file name is numbered if another file has it, ignoring case', async () => {
    const { path, notes } = await add({ files: { ...NOTE, 'A.png': '', 'a 1.png': '' } })
    expect(path).toBe('a 2.png')
    expect(notes[0]).toBe('The name "a.png" is taken, so the new file is called "a 2.png".')
    expect(notes[1]).toContain('![[a 2.png]]')
  })

  test('a file name is numbered if the new file would take over links by name', async () => {
    expect(await pathOf({ files: { ...NOTE, 'other/a.png': '' } })).toBe('a 1.png')
    expect(await pathOf({ files: { ...NOTE, 'other/a.png': '' }, mode: 'docs' })).toBe('a.png')
  })

  test('a file name is numbered for the second of two attachments in one change', async () => {
    const workspace = attachmentVault(NOTE)
    await addAttachment(workspace, attachment())
    expect((await addAttachment(workspace, attachment())).path).toBe('a 1.png')
  })

  test.each([
    ['a/b.png', 'Use "b.png".'],
    ['a\\b.png', 'Use "b.png".'],
    ['../b.png', 'Use "b.png".'],
    ['a:b.png', 'Use "a-b.png".'],
    ['con.png', 'Use "con_.png".'],
    ['a\n.png', 'Use "a-.png".'],
    ['a#b[1].png', 'Use "a-b-1-.png".'],
    ['.b.png', 'Use "b.png".'],
    ['a.png.', 'Use "a.png".'],
    ['a', 'Use a name such as "diagram.png".'],
    ['', 'Use a name such as "diagram.png".'],
    ['.png', 'Use a name such as "diagram.png".'],
    ['..', 'Use a name such as "diagram.png".'],
    [`${'x'.repeat(300)}.png`, expect.stringContaining('Use a name')],
    ['b.md', 'create_node creates notes.'],
    ['b.CANVAS', 'create_node creates notes.'],
  ])('rejects the file name %j', async (filename, hint) => {
    await expect(pathOf({ given: { filename } })).rejects.toMatchObject({ code: 'INVALID_PARAMS', hint })
  })
})

describe('the title', () => {
  test('appears in the suggested embed', async () => {
    expect((await add({ given: { title: ' A (small) #map ' } })).notes).toEqual([
      'No note was edited; write ![[a.png|A (small) #map]] in a note to show the attachment.',
    ])
  })

  test.each(['', ' ', 'a|b', 'a]]b', '[a', 'a\nb', 'a\\', '300', '300x200'])('rejects the title %j', async (title) => {
    await expect(pathOf({ given: { title } })).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  })

  test('a title has at most 200 characters', async () => {
    await expect(pathOf({ given: { title: 'x'.repeat(201) } })).rejects.toMatchObject({ code: 'TOO_LARGE' })
  })
})

test('the embed is relative to the note in a vault of Markdown links', async () => {
  const options = { files: { 'docs/note.md': '' }, mode: 'docs', attachmentFolder: 'img files' } as const
  const embed = async (given: Options['given']) => (await add({ ...options, given: { id: 'docs/note', ...given } })).notes[0]
  expect(await embed({ filename: 'a (1.png', title: 'Map' })).toContain('![Map](../img%20files/a%20%281.png)')
  expect(await embed({ filename: 'a.txt', content: 'YQ==' })).toContain('[a.txt](../img%20files/a.txt)')
  expect(await embed({ id: 'docs' })).toContain('![](docs/a.png)')
})

test('a refused attachment leaves nothing behind', async () => {
  const workspace = attachmentVault(NOTE)
  await expect(addAttachment(workspace, attachment({ filename: 'a.jpg' }))).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
  expect(await workspace.finish()).toMatchObject({ changes: [], files: [], notes: [] })
})
