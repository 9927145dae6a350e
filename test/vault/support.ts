import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import { toVaultPath } from '../../src/core/ids.ts'
import type { Listing } from '../../src/core/vault.ts'
import type { FileSystem, PathRules } from '../../src/vault/file-system.ts'
import { openVault, type VaultOptions } from '../../src/vault/open-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'

export const OPTIONS: VaultOptions = { ignore: [], gitignore: false, linkRoots: [], mode: 'auto' }

export type Files = Readonly<Record<string, string>>

/** Writes files and their folders; a name that ends in `/` is a folder. */
export function writeFiles(root: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(file, text)
  }
}

/** A vault on disk; `root` is its real path. */
export function diskVault(files: Files, options: Partial<VaultOptions> = {}) {
  const root = temporaryFolder()
  writeFiles(root, files)
  return { root, vault: openVault(root, { ...OPTIONS, ...options }) }
}

/** A vault in memory, at `/vault`; everything else in `files` must be below it. */
export function memoryVault(files: Files, options: Partial<VaultOptions> = {}, rules?: PathRules) {
  const volume = Volume.fromJSON({ ...files }, '/vault')
  const fs = rules ? folding(volume, rules) : memoryFileSystem(volume)
  return { fs, volume, vault: openVault('/vault', { ...OPTIONS, ...options }, fs) }
}

function memoryFileSystem(volume: InstanceType<typeof Volume>): FileSystem {
  const readNamesSync = (path: string) => volume.readdirSync(path) as string[]
  return { ...createFsFromVolume(volume), readNamesSync, rules: { windows: false, folds: false } } as unknown as FileSystem
}

/** Names that Windows reads as a device in any folder, whatever ending they have. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/**
 * Wraps a volume so that names match in any case and normal form. For Windows, also with either separator and with dots and spaces at their end,
 * and the name of a device is a file everywhere, which no listing has.
 */
function folding(volume: InstanceType<typeof Volume>, rules: PathRules): FileSystem {
  const fs = memoryFileSystem(volume)
  const trimmed = (name: string) => (rules.windows ? name.replace(/[. ]+$/, '') : name)
  const fold = (name: string) => (rules.folds ? trimmed(name).normalize('NFC').toLowerCase() : name)
  if (rules.windows) volume.fromJSON({ '/device': 'what a device says' })
  const spelled = (path: string): string => {
    const names = (rules.windows ? path.replaceAll('\\', '/') : path).split('/').filter((name) => name !== '')
    if (rules.windows && DEVICE.test(names.at(-1) ?? '')) return '/device'
    return names.reduce((folder, name) => {
      const names =
        volume.existsSync(folder || '/') && volume.statSync(folder || '/').isDirectory()
          ? (volume.readdirSync(folder || '/') as string[])
          : []
      return `${folder}/${names.find((other) => other === name) ?? names.find((other) => fold(other) === fold(name)) ?? name}`
    }, '')
  }
  return {
    ...fs,
    rules,
    readdirSync: (path, options) => fs.readdirSync(spelled(path), options),
    readNamesSync: (path) => fs.readNamesSync(spelled(path)),
    statSync: (path, options) => fs.statSync(spelled(path), options),
    lstatSync: (path, options) => fs.lstatSync(spelled(path), options),
    openSync: (path, flags) => fs.openSync(spelled(path), flags),
    readlinkSync: (path) => fs.readlinkSync(spelled(path)),
    realpathSync: {
      native(path) {
        const real = fs.realpathSync.native(spelled(path))
        return rules.windows ? real.replaceAll('/', '\\') : real
      },
    },
  }
}

/** The names in a listing, sorted. */
export function pathsOf(listing: Listing): readonly string[] {
  return listing.files.map((file) => file.path).sort()
}

export function textOf(bytes: Uint8Array | undefined | 'unreadable'): string | undefined {
  return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : bytes
}

export const path = toVaultPath
