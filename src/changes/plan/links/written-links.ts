import type { ResolvedLink } from '../../../core/index-writer.ts'
import { listSome } from '../../../core/text/list-some.ts'
import type { RelinkSource } from '../../../links/relink/relink-plan.ts'
import { subpathTest } from '../../../links/subpath.ts'
import { outlineOf } from '../../../markdown/outline.ts'
import { parseNote } from '../../../markdown/parse-note.ts'
import { quote } from '../../path-rules.ts'
import { type Draft, decode } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

/** Maximum number of links to list in one sentence. */
const MAX_NAMED = 5
/** Maximum number of notes whose headings and blocks are read. */
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

/**
 * Describes new links whose target, heading or block is missing, or whose name is ambiguous. Links that existed before are
 * ignored.
 */
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

/** Returns the links that an edit adds to a note. */
function linksWritten(draft: Draft, view: VaultView, read: WrittenLinkFiles['read']): readonly WrittenLink[] {
  const { original, path, isEdited } = draft
  if (!isEdited || isTrash(path) || view.kindOf(path) !== 'note') return []
  const before = new Map<string, number>()
  const old = original === undefined ? [] : parseNote(decode(draft.disk), view.flavour).links
  for (const link of old) before.set(nameOf(link), (before.get(nameOf(link)) ?? 0) + 1)
  const newLinks: WrittenLink[] = []
  for (const link of read(draft).links) {
    const oldCount = before.get(nameOf(link)) ?? 0
    before.set(nameOf(link), oldCount - 1)
    // In Logseq, properties may link to pages that do not exist.
    if (oldCount <= 0 && link.form !== 'page') newLinks.push({ path, link })
  }
  return newLinks
}

function nameOf({ target, subpath }: { readonly target: string; readonly subpath?: string | undefined }): string {
  return `${target}#${subpath ?? ''}`
}

/** Returns a function that checks whether a link's heading or block exists. */
function partTest(view: VaultView, { byKey }: WrittenLinkFiles): (link: ResolvedLink) => boolean {
  const tests = new Map<number, (subpath: string) => boolean>()
  return ({ to, subpath }) => {
    if (typeof to === 'string' || subpath === undefined) return true
    const known = tests.get(to)
    if (known !== undefined) return known(subpath)
    if (tests.size >= MAX_READ) return true
    const note = byKey(to)
    const isRead = note !== undefined && view.kindOf(note.path) === 'note'
    const test = isRead ? subpathTest(outlineOf(note.text, view.flavour)) : () => true
    tests.set(to, test)
    return test(subpath)
  }
}
