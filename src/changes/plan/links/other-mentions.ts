import { foldId } from '../../../core/ids.ts'
import type { LinkReport } from '../../../core/operations.ts'
import { folderOf, isWithin, nameOf } from '../../../core/paths.ts'
import { foldName } from '../../../core/text/fold.ts'
import { listSome } from '../../../core/text/format.ts'
import { joinPath } from '../../../links/resolve.ts'
import { parseNote } from '../../../markdown/parse-note.ts'
import { quote } from '../../path-rules.ts'
import type { MovedFolder } from '../changed-files.ts'
import { type Draft, decode } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

export interface HtmlLinks {
  /** The links that break. They are not rewritten, because the index does not contain them. */
  readonly broken: readonly LinkReport[]
  /** Number of notes that were not read because of the time limit. */
  readonly unread: number
}

const TIME_LIMIT = 1000

const YIELD_INTERVAL = 10

interface Source {
  readonly from: string
  readonly to: string
  readonly draft: Draft | undefined
}

/** Finds `<a href>` and `<img src>` links that a move breaks. The mode `docs` rewrites HTML links, so none are reported there. */
export async function brokenHtmlLinks(view: VaultView, drafts: readonly Draft[]): Promise<HtmlLinks> {
  const newPaths = new Map(drafts.filter(isMoved).map(({ original, path }) => [foldName(original ?? ''), path]))
  const areLinks = view.flavor.mode === 'docs' && view.flavor.profile === 'lenient'
  const sources = areLinks || newPaths.size === 0 ? [] : sourcesIn(view, drafts)
  const deadline = performance.now() + TIME_LIMIT
  const broken: LinkReport[] = []
  let pause = performance.now() + YIELD_INTERVAL
  for (const [at, source] of sources.entries()) {
    const now = performance.now()
    if (now > deadline) return { broken, unread: sources.length - at }
    if (now > pause) {
      await new Promise((resolve) => setImmediate(resolve))
      pause = performance.now() + YIELD_INTERVAL
    }
    broken.push(...brokenIn(source, view, newPaths))
  }
  return { broken, unread: 0 }
}

function sourcesIn(view: VaultView, drafts: readonly Draft[]): readonly Source[] {
  const plannedPaths = new Set(drafts.map(({ original }) => original))
  const changed = drafts.map((draft) => ({ from: draft.original ?? draft.path, to: draft.path, draft }))
  const others = view.filesBelow('').filter(({ path }) => !plannedPaths.has(path))
  const all = [...changed, ...others.map(({ path }) => ({ from: path, to: path, draft: undefined }))]
  return all.filter(({ to }) => !isTrash(to) && view.kindOf(to) === 'note')
}

function brokenIn({ from, to, draft }: Source, view: VaultView, newPaths: ReadonlyMap<string, string>): readonly LinkReport[] {
  const bytes = draft?.isEdited === true ? draft.bytes : view.read(from)
  if (bytes === undefined || !mayLink(bytes)) return []
  return linksIn(decode(bytes), view).flatMap(({ line, target }) => {
    const before = placeOf(target, from)
    if (before === undefined) return []
    const now = newPaths.get(foldName(before)) ?? (view.keyAt(before) === undefined ? undefined : before)
    if (now === undefined || foldName(placeOf(target, to) ?? '') === foldName(now)) return []
    return [{ path: to, line, text: target, reason: 'it is in HTML, which is not rewritten' }]
  })
}

function isMoved({ original, path }: Draft): boolean {
  return original !== undefined && original !== path && !isTrash(original) && !isTrash(path)
}

/** A quick check that rules out most notes. */
function mayLink(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return ['href', 'HREF', '<img', '<IMG'].some((mark) => buffer.includes(mark))
}

function linksIn(text: string, { flavor }: VaultView): readonly { readonly line: number; readonly target: string }[] {
  return parseNote(text, { ...flavor, profile: 'lenient', mode: 'docs' }).links.filter(
    ({ form, target }) => form === 'html' && target !== '',
  )
}

function placeOf(target: string, source: string): string | undefined {
  const [path = ''] = target.split('?')
  return joinPath(path.startsWith('/') ? '' : folderOf(source), path)
}

const MAX_NAMED = 5

/** Matches quoted strings, possibly escaped in YAML, and targets of wikilinks. They can be nested. */
const TEXTS = [/(?<=")[^"\\]+(?=\\?")/g, /(?<=')[^']+(?=')/g, /(?<=\[\[)[^[\]|#]+/g]

export interface BaseChange {
  readonly drafts: readonly Draft[]
  readonly folders: readonly MovedFolder[]
  /** The folded names of renamed tags. */
  readonly tags: readonly string[]
  /** Returns a file's path after the change. */
  readonly livePath: (key: number) => string | undefined
}

/** Finds old names in Obsidian Bases (`.base` files). Obsidian does not treat them as links, so they are not rewritten. */
export function baseNotes(view: VaultView, change: BaseChange): readonly string[] {
  const isOld = oldNameTest(change)
  if (isOld === undefined) return []
  const places = view.filesBelow('').flatMap(({ key, path }) => {
    if (!/\.base$/i.test(path)) return []
    const bytes = view.read(path)
    const now = change.livePath(key)
    return bytes === undefined || now === undefined ? [] : placesIn(decode(bytes), now, isOld)
  })
  if (places.length === 0) return []
  const files =
    places.length === 1 ? '1 place in a file of Bases still has' : `${places.length} places in files of Bases still have`
  return [`${files} the old name, because these files are not rewritten: ${listSome(places, MAX_NAMED)}.`]
}

type OldNameTest = (name: string, before: string) => boolean

function oldNameTest({ drafts, folders, tags }: BaseChange): OldNameTest | undefined {
  const movedDrafts = drafts.filter(isMoved)
  if (movedDrafts.length + folders.length + tags.length === 0) return undefined
  const paths = new Set(movedDrafts.flatMap(({ original = '' }) => [foldId(original), foldId(original).replace(/\.md$/, '')]))
  const renamed = movedDrafts.filter(({ original = '', path }) => foldName(nameOf(original)) !== foldName(nameOf(path)))
  const names = new Set(renamed.map(({ original = '' }) => foldId(nameOf(original)).replace(/\.md$/, '')))
  return (text, before) => {
    const name = foldId(text.trim().replace(/^\/|\/$/g, ''))
    // The argument of the functions `hasTag` and `tags.contains` is a tag.
    if (/tags?(?:\.\w{1,20})?$/i.test(textBeforeBracket(before)))
      return tags.some((tag) => isWithin(foldName(name.replace(/^#/, '')), tag))
    if (paths.has(name) || folders.some(({ from }) => isWithin(name, foldId(from)))) return true
    return /(?:\[\[|link\w{0,20}\(\\?["'])$/i.test(before) && names.has(name.replace(/\.md$/, ''))
  }
}

/** Returns the text before the last open bracket, or an empty string if all brackets are closed. */
function textBeforeBracket(before: string): string {
  const open = before.lastIndexOf('(')
  return open > before.lastIndexOf(')') ? before.slice(0, open) : ''
}

function placesIn(text: string, path: string, isOld: OldNameTest): readonly string[] {
  return text.split('\n').flatMap((line, at) => {
    const names = TEXTS.flatMap((kind) => [...line.matchAll(kind)]).filter(({ 0: name, index }) =>
      isOld(name, line.slice(0, index)),
    )
    return [...new Set(names.map(([name]) => `${path}:${at + 1} ${quote(name)}`))]
  })
}
