import type { VaultView } from '../../../src/changes/plan/vault-view.ts'
import { Workspace } from '../../../src/changes/plan/workspace.ts'
import { foldId } from '../../../src/core/ids.ts'
import type { Mode } from '../../../src/core/note.ts'
import type { AddAttachment } from '../../../src/core/operations.ts'
import { NameIndex } from '../../../src/links/names.ts'
import { fileKind } from '../../../src/vault/file-system.ts'

export interface VaultOptions {
  readonly mode?: Mode
  readonly attachmentFolder?: string
}

/** An in-memory vault of these files, whose notes have no links. */
export function attachmentVault(
  files: Readonly<Record<string, string>>,
  { mode = 'obsidian', attachmentFolder }: VaultOptions = {},
): Workspace {
  const paths = Object.keys(files)
  const names = new NameIndex(mode)
  paths.forEach((path, key) => {
    names.add({ key, path, aliases: [] })
  })
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => all.slice(0, at + 1).join('/')),
    ),
  )
  const known = [...paths, ...folders]
  const keyAt = (path: string) => (path in files ? paths.indexOf(path) : undefined)
  const read = (path: string) => (files[path] === undefined ? undefined : new TextEncoder().encode(files[path]))
  const view: VaultView = {
    flavor: { profile: 'lenient', mode, comments: true },
    newLinkFormat: 'shortest',
    pageFormat: 'triple-lowbar',
    attachmentFolder,
    keepsCase: () => false,
    names,
    nextKey: paths.length,
    keyAt,
    pathOf: (key) => paths[key],
    keysTitled: () => [],
    isCurrent: () => true,
    keysLike: (folded) => names.atPath(folded),
    filesBelow: (folder) => paths.flatMap((path, key) => (folder === '' || path.startsWith(`${folder}/`) ? [{ key, path }] : [])),
    sourcesOf: () => [],
    taggedWith: () => [],
    records: async () => [],
    kindOf: (path) => fileKind(path, mode),
    read,
    look: (path) => (path in files ? 'file' : folders.has(path) ? 'folder' : undefined),
    withSpelling: (path) => {
      const parts = path.split('/')
      for (let length = parts.length; length > 0; length--) {
        const start = foldId(parts.slice(0, length).join('/'))
        const there = known.find((one) => foldId(one) === start)
        if (there !== undefined) return [there, ...parts.slice(length)].join('/')
      }
      return path
    },
    list: () => [],
  }
  return new Workspace(view)
}

export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=='
/** An empty archive. */
export const ZIP = Buffer.from('504b0506000000000000000000000000000000000000', 'hex').toString('base64')

/** A picture for `note.md`, with overrides. */
export const attachment = (given: Partial<Omit<AddAttachment, 'kind'>> = {}): AddAttachment => ({
  kind: 'addAttachment',
  id: 'note.md',
  filename: 'a.png',
  content: PNG,
  ...given,
})
