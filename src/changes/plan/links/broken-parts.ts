import type { Flavour } from '../../../core/note.ts'
import { listSome } from '../../../core/text/list-some.ts'
import { type NamedFile, namesOf } from '../../../links/names.ts'
import type { RelinkSource } from '../../../links/relink/relink-plan.ts'
import { outlineName } from '../../../links/resolve.ts'
import { subpathTest } from '../../../links/subpath.ts'
import { outlineOf } from '../../../markdown/outline.ts'
import { quote } from '../../path-rules.ts'
import { type Draft, decode } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

/** Maximum number of links to list for one note. */
const MAX_NAMED = 5

/** A note whose headings or blocks have links from other files. */
interface PartTarget {
  readonly draft: Draft
  readonly sources: readonly number[]
}

export interface LinkingFiles {
  /** Reads files by key, with their links after the change. */
  readonly read: (keys: readonly number[]) => Promise<readonly RelinkSource[]>
  /** Returns a file's names before the change, under which links to it are still indexed. */
  readonly namedBefore: (key: number) => NamedFile | undefined
}

/**
 * Reports links to headings or blocks that an edit removed, in one sentence per note. Links that were rewritten, or broken
 * before, do not count.
 */
export async function brokenPartNotes(
  drafts: readonly Draft[],
  view: VaultView,
  { read, namedBefore }: LinkingFiles,
): Promise<readonly string[]> {
  const targets = drafts.flatMap((draft) => partTarget(draft, view, namedBefore))
  const lostTests = new Map(targets.flatMap(({ draft }) => lostParts(draft, view.flavour)))
  if (lostTests.size === 0) return []
  const keys = targets.flatMap(({ draft, sources }) => (lostTests.has(draft.key) ? [draft.key, ...sources] : []))
  const broken = new Map<number, string[]>()
  const sources = await read([...new Set(keys)])
  for (const { path, links } of [...sources].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    for (const { to, subpath, target, line } of links) {
      if (typeof to === 'string' || subpath === undefined || lostTests.get(to)?.(subpath) !== true) continue
      const places = broken.get(to) ?? []
      broken.set(to, places)
      places.push(`${path}:${line} ${quote(`${target}#${subpath}`)}`)
    }
  }
  return targets.flatMap(({ draft }) => {
    const places = broken.get(draft.key) ?? []
    return places.length === 0 ? [] : [sentenceOf(draft.path, places)]
  })
}

/** Returns the edited note if other files link to its headings or blocks. Only such notes need to be parsed. */
function partTarget(draft: Draft, view: VaultView, namedBefore: LinkingFiles['namedBefore']): readonly PartTarget[] {
  const { key, path, original, isEdited } = draft
  if (!isEdited || original === undefined || isTrash(path) || isTrash(original) || view.kindOf(path) !== 'note') return []
  const names = [view.names.file(key), namedBefore(key)].flatMap((file) => (file ? namesOf(file, view.flavour.mode) : []))
  const sources = [...new Set(names)].flatMap((name) => [...view.sourcesOf(outlineName(name))])
  return sources.length > 0 || /\[\[#|\]\(#/.test(draft.text) ? [{ draft, sources }] : []
}

/** Returns a function that checks whether a subpath existed in a note and no longer does. */
function lostParts(draft: Draft, flavour: Flavour): readonly (readonly [key: number, isLost: (subpath: string) => boolean])[] {
  const before = outlineOf(decode(draft.disk), flavour)
  const after = outlineOf(draft.text, flavour)
  const had = subpathTest(before)
  const has = subpathTest(after)
  return [[draft.key, (subpath) => had(subpath) && !has(subpath)]]
}

function sentenceOf(path: string, places: readonly string[]): string {
  const [links, leading] = places.length === 1 ? ['1 link refers', 'It leads'] : [`${places.length} links refer`, 'They lead']
  return `${links} to a heading or block that is no longer in ${path}: ${listSome(places, MAX_NAMED)}. ${leading} to the top of the note; rename_heading keeps links to a heading.`
}
