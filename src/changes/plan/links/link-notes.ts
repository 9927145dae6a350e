import type { ResolvedLink } from '../../../core/index-writer.ts'
import type { Flavor } from '../../../core/note.ts'
import { listSome } from '../../../core/text/format.ts'
import { type NamedFile, namesOf } from '../../../links/names.ts'
import type { RelinkSource } from '../../../links/relink/relink-plan.ts'
import { outlineName } from '../../../links/resolve.ts'
import { subpathTest } from '../../../links/subpath.ts'
import { outlineOf } from '../../../markdown/outline.ts'
import { parseNote } from '../../../markdown/parse-note.ts'
import { quote } from '../../path-rules.ts'
import { type Draft, decode } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

const MAX_NAMED = 5
/** Maximum number of notes to parse. */
const MAX_READ = 50

export interface WrittenLinkFiles {
  readonly read: (draft: Draft) => RelinkSource
  readonly byKey: (key: number) => Draft | undefined
  readonly pathOf: (key: number) => string
}

interface WrittenLink {
  readonly path: string
  readonly link: ResolvedLink
}

/** Reports new links that are broken or ambiguous. */
export function writtenLinkNotes(drafts: readonly Draft[], view: VaultView, files: WrittenLinkFiles): readonly string[] {
  const newLinks = drafts.flatMap((draft) => linksWritten(draft, view, files.read))
  const missing = newLinks.filter(({ link }) => typeof link.to === 'string')
  const hasPart = partTest(view, files)
  const partless = newLinks.filter(({ link }) => !hasPart(link))
  const several = newLinks.filter(({ link }) => link.rivals !== undefined)
  return [
    ...sentence(missing, ['leads nowhere', 'lead nowhere']),
    ...sentence(
      partless,
      ['refers to a heading or block that does not exist', 'refer to a heading or block that does not exist'],
      {
        end: partless.length === 1 ? ' It leads to the top of the note.' : ' They lead to the top of the note.',
      },
    ),
    ...sentence(several, ['matches several notes', 'match several notes'], {
      describe: ({ link: { to, rivals = [] } }) => {
        const paths = [to, ...rivals].flatMap((key) => (typeof key === 'number' ? files.pathOf(key) : []))
        return ` (${listSome(paths.sort(), MAX_NAMED)})`
      },
      end: ' Use the path of the intended note.',
    }),
  ]
}

interface SentenceParts {
  readonly describe?: (written: WrittenLink) => string
  readonly end?: string
}

function sentence(
  links: readonly WrittenLink[],
  [singular, several]: readonly [string, string],
  { describe = () => '', end = '' }: SentenceParts = {},
): readonly string[] {
  if (links.length === 0) return []
  const subject = links.length === 1 ? `1 new link ${singular}` : `${links.length} new links ${several}`
  const places = links.map((newLink) => `${placeOf(newLink)}${describe(newLink)}`)
  return [`${subject}: ${listSome(places, MAX_NAMED)}.${end}`]
}

function placeOf({ path, link: { line, target, subpath } }: WrittenLink): string {
  return `${path}:${line} ${quote(subpath === undefined ? target : `${target}#${subpath}`)}`
}

function linksWritten(draft: Draft, view: VaultView, read: WrittenLinkFiles['read']): readonly WrittenLink[] {
  const { original, path, isEdited } = draft
  if (!isEdited || isTrash(path) || view.kindOf(path) !== 'note') return []
  const before = new Map<string, number>()
  const old = original === undefined ? [] : parseNote(decode(draft.disk), view.flavor).links
  for (const link of old) before.set(nameOf(link), (before.get(nameOf(link)) ?? 0) + 1)
  const newLinks: WrittenLink[] = []
  for (const link of read(draft).links) {
    const oldCount = before.get(nameOf(link)) ?? 0
    before.set(nameOf(link), oldCount - 1)
    // A property in Logseq may link to a page that does not exist.
    if (oldCount <= 0 && link.form !== 'page') newLinks.push({ path, link })
  }
  return newLinks
}

function nameOf({ target, subpath }: { readonly target: string; readonly subpath?: string | undefined }): string {
  return `${target}#${subpath ?? ''}`
}

function partTest(view: VaultView, { byKey }: WrittenLinkFiles): (link: ResolvedLink) => boolean {
  const tests = new Map<number, (subpath: string) => boolean>()
  return ({ to, subpath }) => {
    if (typeof to === 'string' || subpath === undefined) return true
    const known = tests.get(to)
    if (known !== undefined) return known(subpath)
    if (tests.size >= MAX_READ) return true
    const note = byKey(to)
    const isRead = note !== undefined && view.kindOf(note.path) === 'note'
    const test = isRead ? subpathTest(outlineOf(note.text, view.flavor)) : () => true
    tests.set(to, test)
    return test(subpath)
  }
}

interface PartTarget {
  readonly draft: Draft
  readonly sources: readonly number[]
}

export interface LinkingFiles {
  readonly read: (keys: readonly number[]) => Promise<readonly RelinkSource[]>
  /** The index still contains the links under the old names. */
  readonly namedBefore: (key: number) => NamedFile | undefined
}

/** Reports links to headings and blocks that a change breaks. Links that were rewritten or already broken are ignored. */
export async function brokenPartNotes(
  drafts: readonly Draft[],
  view: VaultView,
  { read, namedBefore }: LinkingFiles,
): Promise<readonly string[]> {
  const targets = drafts.flatMap((draft) => partTarget(draft, view, namedBefore))
  const lostTests = new Map(targets.flatMap(({ draft }) => lostParts(draft, view.flavor)))
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

/** Returns the target, or nothing if no link can lead to a heading or block of the note. */
function partTarget(draft: Draft, view: VaultView, namedBefore: LinkingFiles['namedBefore']): readonly PartTarget[] {
  const { key, path, original, isEdited } = draft
  if (!isEdited || original === undefined || isTrash(path) || isTrash(original) || view.kindOf(path) !== 'note') return []
  const names = [view.names.file(key), namedBefore(key)].flatMap((file) => (file ? namesOf(file, view.flavor.mode) : []))
  const sources = [...new Set(names)].flatMap((name) => [...view.sourcesOf(outlineName(name))])
  return sources.length > 0 || /\[\[#|\]\(#/.test(draft.text) ? [{ draft, sources }] : []
}

function lostParts(draft: Draft, flavor: Flavor): readonly (readonly [key: number, isLost: (subpath: string) => boolean])[] {
  const before = outlineOf(decode(draft.disk), flavor)
  const after = outlineOf(draft.text, flavor)
  const had = subpathTest(before)
  const has = subpathTest(after)
  return [[draft.key, (subpath) => had(subpath) && !has(subpath)]]
}

function sentenceOf(path: string, places: readonly string[]): string {
  const [links, leading] = places.length === 1 ? ['1 link refers', 'It leads'] : [`${places.length} links refer`, 'They lead']
  return `${links} to a heading or block that is no longer in ${path}: ${listSome(places, MAX_NAMED)}. ${leading} to the top of the note; rename_heading keeps links to a heading.`
}
