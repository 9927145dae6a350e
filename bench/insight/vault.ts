import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { Flavor, Link, Note } from '../../src/core/note.ts'
import { NameIndex } from '../../src/links/names.ts'
import { resolveLink } from '../../src/links/resolve.ts'
import { parseNote } from '../../src/markdown/parse-note.ts'

const FLAVOR: Flavor = { profile: 'lenient', mode: 'obsidian', comments: true }

/** The text of each note of a vault, by path. */
export type VaultTexts = ReadonlyMap<string, string>

/** Reads a folder's notes. Skips folders that begin with a dot, as the program does. */
export function readVault(root: string): VaultTexts {
  const files = readdirSync(root, { withFileTypes: true, recursive: true }).filter(
    (entry) => entry.isFile() && /\.md$/i.test(entry.name),
  )
  const paths = files.map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const shown = paths.filter((path) => !path.split('/').some((part) => part.startsWith('.')))
  return new Map(shown.toSorted().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

export interface PlacedLink extends Link {
  readonly from: number
  readonly to: number
}

export interface ReadVault {
  readonly paths: readonly string[]
  readonly texts: readonly string[]
  readonly notes: readonly Note[]
  /** Links from one note to another. */
  readonly links: readonly PlacedLink[]
}

/** Parses every note and resolves its links. */
export function parseVault(vault: VaultTexts): ReadVault {
  const paths = [...vault.keys()]
  const texts = [...vault.values()]
  const notes = texts.map((text) => parseNote(text, FLAVOR))
  const names = new NameIndex('obsidian')
  for (const [key, path] of paths.entries()) {
    const { aliases = [], title } = notes[key] ?? {}
    names.add({ key, path, aliases, title })
  }
  const links = notes.flatMap((note, from) =>
    note.links.flatMap((link) => {
      const found = resolveLink(names, { key: from, path: paths[from] ?? '' }, link, FLAVOR)
      return found.kind === 'file' && found.key !== from ? [{ ...link, from, to: found.key }] : []
    }),
  )
  return { paths, texts, notes, links }
}
