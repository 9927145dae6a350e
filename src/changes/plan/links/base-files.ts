import { foldId } from '../../../core/ids.ts'
import { isWithin, nameOf } from '../../../core/paths.ts'
import { foldName } from '../../../core/text/fold.ts'
import { listSome } from '../../../core/text/format.ts'
import { quote } from '../../path-rules.ts'
import type { MovedFolder } from '../changed-files.ts'
import { type Draft, decode } from '../draft.ts'
import type { VaultView } from '../vault-view.ts'
import { isMoved } from './html-links.ts'

/** Maximum number of places to list in one sentence. */
const MAX_NAMED = 5

/** Matches text in quotes, which may be escaped in YAML, and in the brackets of a wikilink. One may contain the other. */
const TEXTS = [/(?<=")[^"\\]+(?=\\?")/g, /(?<=')[^']+(?=')/g, /(?<=\[\[)[^[\]|#]+/g]

export interface BaseChange {
  readonly drafts: readonly Draft[]
  readonly folders: readonly MovedFolder[]
  /** Folded names of renamed tags. */
  readonly tags: readonly string[]
  /** Returns a file's path after the change. */
  readonly livePath: (key: number) => string | undefined
}

/**
 * Lists the places in Obsidian Bases (`.base` files) that contain an old name. They are YAML expressions, which Obsidian does not
 * treat as links, so they are not rewritten.
 */
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

/**
 * Returns a function that checks whether a text is an old name. It also gets the text before the name on its line. Returns
 * `undefined` if no name changed.
 */
function oldNameTest({ drafts, folders, tags }: BaseChange): OldNameTest | undefined {
  const movedDrafts = drafts.filter(isMoved)
  if (movedDrafts.length + folders.length + tags.length === 0) return undefined
  const paths = new Set(movedDrafts.flatMap(({ original = '' }) => [foldId(original), foldId(original).replace(/\.md$/, '')]))
  const renamed = movedDrafts.filter(({ original = '', path }) => foldName(nameOf(original)) !== foldName(nameOf(path)))
  const names = new Set(renamed.map(({ original = '' }) => foldId(nameOf(original)).replace(/\.md$/, '')))
  return (text, before) => {
    const name = foldId(text.trim().replace(/^\/|\/$/g, ''))
    // The argument of `hasTag` or `tags.contains` is a tag.
    if (/tags?(?:\.\w{1,20})?$/i.test(textBeforeBracket(before)))
      return tags.some((tag) => isWithin(foldName(name.replace(/^#/, '')), tag))
    if (paths.has(name) || folders.some(({ from }) => isWithin(name, foldId(from)))) return true
    return /(?:\[\[|link\w{0,20}\(\\?["'])$/i.test(before) && names.has(name.replace(/\.md$/, ''))
  }
}

/** Returns the text before the last unclosed bracket, or an empty string. */
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
