import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { TRASH } from '../../changes/path-rules.ts'
import type { VaultView } from '../../changes/plan/vault-view.ts'
import type { Settings } from '../../config/settings.ts'
import { foldId, toVaultPath } from '../../core/ids.ts'
import type { FileRecord } from '../../core/index-writer.ts'
import { isRecord } from '../../core/is-record.ts'
import { isWithin } from '../../core/paths.ts'
import { parseJson, quietly } from '../../core/quietly.ts'
import { foldName, foldTag } from '../../core/text/fold.ts'
import { once } from '../../core/waiting.ts'
import type { Exclusive } from '../../indexing/service.ts'
import type { PageFormat } from '../../links/names.ts'
import type { NewLinkFormat } from '../../links/relink/candidates.ts'
import { fileKind } from '../../vault/file-system.ts'

/** Opens the view for planning writes. Names and links come from the index, but existing files are checked on disk. */
export async function openVaultView(
  { vault, writer, indexer }: Exclusive,
  spelling: Settings['files']['case'],
): Promise<VaultView> {
  const { names, sourcesOf, flavor, known, nextKey } = await indexer.openView()
  const obsidian = readAppSettings(vault.root)
  const pathOf = once(() => new Map([...known.values()].map(({ key, path }) => [key, path])))
  const notePaths = (): readonly string[] =>
    [...known.values()].flatMap(({ path }) => (fileKind(path, flavor.mode) === 'note' ? [path] : []))
  const onDisk = (path: string): string => join(vault.root, path)
  const list = listing(onDisk)
  return {
    flavor,
    newLinkFormat: linkFormat(obsidian.newLinkFormat),
    pageFormat: pageFormatOf(vault.root),
    attachmentFolder: typeof obsidian.attachmentFolderPath === 'string' ? obsidian.attachmentFolderPath : undefined,
    keepsCase: once(
      () => spelling === 'preserve' || (spelling === 'auto' && (vault.marker !== undefined || mostHaveCapitals(notePaths()))),
    ),
    names,
    nextKey,
    sourcesOf,
    keyAt: (path) => known.get(path)?.key,
    pathOf: (key) => pathOf().get(key),
    // Link names are folded more than ids, so compare ids too.
    keysLike: (folded) => names.atPath(foldName(folded)).filter((key) => foldId(pathOf().get(key) ?? '') === folded),
    keysTitled: (title) => {
      const foldedTitle = foldName(title)
      return [...pathOf().keys()].filter((key) => foldName(names.file(key)?.title ?? '') === foldedTitle)
    },
    filesBelow: (folder) => [...known.values()].filter(({ path }) => folder === '' || path.startsWith(`${folder}/`)),
    taggedWith: async (tag) => {
      const foldedTag = foldTag(tag)
      const isTagged = (foldedName: string): boolean => isWithin(foldedName, foldedTag)
      const keys: number[] = []
      for await (const part of writer.tags()) {
        for (const { key, tags } of part) if (tags.some((tagName) => isTagged(foldTag(tagName)))) keys.push(key)
      }
      return keys
    },
    records: (keys) => writer.records(keys),
    isCurrent: ({ path, stat }) => isSameStat(statOf(onDisk(path)), stat),
    kindOf: (path) => fileKind(path, flavor.mode),
    read: (path) => readBytes(path.startsWith(`${TRASH}/`) ? readPlain(onDisk(path)) : vault.read(toVaultPath(path))),
    look: (path) => {
      const stat = statOf(onDisk(path))
      return stat === undefined ? undefined : stat.isDirectory() ? 'folder' : 'file'
    },
    withSpelling: (path) => spelledPath(path, list),
    list,
  }
}

/** Returns true if most names contain capitals. Scripts without capitals do not count. */
function mostHaveCapitals(paths: readonly string[]): boolean {
  const names = paths.map((path) => path.replace(/\.[^./]*$/, ''))
  const capital = names.filter((name) => name !== name.toLowerCase()).length
  const lower = names.filter((name) => name === name.toLowerCase() && name !== name.toUpperCase()).length
  return capital > lower
}

function listing(onDisk: (path: string) => string): (folder: string) => readonly string[] {
  const listings = new Map<string, readonly string[]>()
  return (folder) => {
    const names = listings.get(folder) ?? quietly(() => readdirSync(onDisk(folder))) ?? []
    listings.set(folder, names)
    return names
  }
}

/** Returns a file's stat without following links. @returns `undefined` if the file is missing or its name is invalid */
function statOf(file: string): Stats | undefined {
  return quietly(() => lstatSync(file))
}

function isSameStat(now: Stats | undefined, { mtime, ctime, size }: FileRecord['stat']): boolean {
  return now !== undefined && now.mtimeMs === mtime && now.ctimeMs === ctime && now.size === size
}

function readBytes(bytes: Uint8Array | undefined | 'unreadable'): Uint8Array | undefined {
  return bytes === 'unreadable' ? undefined : bytes
}

function readPlain(file: string): Uint8Array | undefined {
  // Links are not followed, because a symbolic link in the trash may point outside the vault.
  return statOf(file)?.isFile() === true ? quietly(() => readFileSync(file)) : undefined
}

function spelledPath(path: string, list: (folder: string) => readonly string[]): string {
  const parts = path.split('/')
  const spelled: string[] = []
  for (const part of parts) {
    const entries = list(spelled.join('/'))
    const match = entries.includes(part) ? part : entries.find((entry) => foldId(entry) === foldId(part))
    if (match === undefined) return [...spelled, ...parts.slice(spelled.length)].join('/')
    spelled.push(match)
  }
  return spelled.join('/')
}

function linkFormat(value: unknown): NewLinkFormat {
  return value === 'relative' || value === 'absolute' ? value : 'shortest'
}

/** Graphs whose configuration names no format are older ones. */
function pageFormatOf(root: string): PageFormat {
  const config = quietly(() => readFileSync(join(root, 'logseq', 'config.edn'), 'utf8'))
  const isNew = config === undefined || /:file\/name-format\s+:triple-lowbar\b/.test(config.replaceAll(/;.*/g, ''))
  return isNew ? 'triple-lowbar' : 'legacy'
}

function readAppSettings(root: string): Readonly<Record<string, unknown>> {
  const text = quietly(() => readFileSync(join(root, '.obsidian', 'app.json'), 'utf8')) ?? ''
  const settings = parseJson(text.replace(/^\uFEFF/, ''))
  return isRecord(settings) ? settings : {}
}
