import type { TextEdit } from '../../core/changes.ts'
import type { Flavor } from '../../core/note.ts'
import { foldName } from '../../core/text/fold.ts'
import { readFrontmatter } from '../frontmatter/frontmatter.ts'
import type { PropertyText } from '../frontmatter/plain-frontmatter.ts'
import { readCanvasNodes } from '../json-canvas/canvas-json.ts'
import { indexLines, LineIndex } from '../line-index.ts'
import { logseqProperties } from '../logseq.ts'
import { scanBody } from '../parse-note.ts'
import { propertyTag } from '../tags.ts'
import { cardPassage } from './passages.ts'

export interface TagRenaming {
  /** The tag without `#`. Case does not matter. Nested tags `from/x` become `to/x`. */
  readonly from: string
  /** The new name, which must satisfy `isTagName` or be `[[name]]` for a page. */
  readonly to: string
  /** True if `from` is a Logseq page. Its nested tags are other pages and do not change. */
  readonly isPage?: boolean
}

export interface TagEdits {
  /** The edits in ascending order, with UTF-16 offsets. */
  readonly edits: readonly TextEdit[]
  readonly unfit: readonly UnfitTag[]
}

export interface UnfitTag {
  /** The 1-based line in the file. */
  readonly line: number
  readonly reason: 'escaped' | 'in a link' | 'not a tag'
}

export function isTagName(name: string): boolean {
  return propertyTag(name) === name
}

export function renameTagInNote(text: string, renaming: TagRenaming, flavor: Flavor): TagEdits {
  const lines = new LineIndex()
  const front = readFrontmatter(text, flavor, lines)
  const body = scanBody(text, front.end, { flavor, lines })
  const page = flavor.mode === 'logseq' ? logseqProperties(text, body.firstRun).texts : []
  const rename = renamer(renaming)
  const edits = new Map<number, TextEdit>()
  const unfit: UnfitTag[] = []
  for (const property of [...front.tags, ...page]) {
    if (!hasTag(property, rename, flavor)) continue
    const item = page.includes(property) ? PAGE_ITEM : isTagName(renaming.to) ? ITEM : undefined
    const propertyEdits = item === undefined ? [] : editsInProperty(text, property, { rename, item })
    for (const edit of propertyEdits) edits.set(edit.start, edit)
    if (propertyEdits.length > 0) continue
    const reason = item === undefined ? 'not a tag' : property.value.includes('[[') ? 'in a link' : 'escaped'
    unfit.push({ line: lines.lineAt(property.start), reason })
  }
  for (const { name, at } of body.tags) {
    const edit = editAt(at + 1, rename(name))
    if (edit !== undefined) edits.set(edit.start, edit)
  }
  return { edits: [...edits.values()].sort((a, b) => a.start - b.start), unfit }
}

function hasTag({ key, value, nested }: PropertyText, rename: Rename, { profile }: Flavor): boolean {
  const isLenient = profile === 'lenient'
  if (nested || !(isLenient ? /^tags?$/i : /^tags$/i).test(key)) return false
  return (isLenient ? value.split(/[\s,]+/) : [value]).some((name) => matches(name, rename))
}

export function renameTagInCanvas(text: string, renaming: TagRenaming, flavor: Flavor): TagEdits {
  const rename = renamer(renaming)
  const read = readCanvasNodes(text)
  const cards = 'malformed' in read ? [] : read.nodes.flatMap(({ text: card }) => (card === undefined ? [] : [card]))
  const edits = cards.flatMap((card) => {
    const passage = cardPassage(text, card)
    const { tags } = scanBody(card.value, 0, { flavor, lines: indexLines(card.value) })
    return tags.flatMap(({ name, at }): readonly TextEdit[] => {
      const edit = editAt(at + 1, rename(name))
      if (edit === undefined) return []
      return [{ start: passage.sourceOf(edit.start), end: passage.sourceOf(edit.end), text: passage.encode(edit.text) }]
    })
  })
  return { edits: edits.sort((a, b) => a.start - b.start), unfit: [] }
}

interface Renamed {
  readonly length: number
  readonly text: string
}

type Rename = (name: string) => Renamed | undefined

function renamer({ from, to, isPage = false }: TagRenaming): Rename {
  const foldedFrom = foldName(from)
  const depth = isPage ? undefined : from.split('/').length
  return (name) => {
    const head = name.split('/').slice(0, depth).join('/')
    return foldName(head) === foldedFrom && head !== to ? { length: head.length, text: to } : undefined
  }
}

function editAt(start: number, renamed: Renamed | undefined): TextEdit | undefined {
  return renamed && { start, end: start + renamed.length, text: renamed.text }
}

function matches(item: string, rename: Rename): boolean {
  const name = propertyTag(item)
  return name !== undefined && rename(name) !== undefined
}

const KEY = /^[ \t]*tags?[ \t]*::?/i
const COMMENT = /\s#\s.*$/s
const ITEM = /\[\[[^[\]]*\]\]|(#?)([^\s,"'[\]]+)/g
const PAGE_ITEM = /(?<=^|,)(\s*#?(?:\[\[)?)([^\s,[\]]+)(?=(?:\]\])?\s*(?:,|$))/g

interface ItemRename {
  readonly rename: Rename
  readonly item: RegExp
}

function editsInProperty(text: string, { value, start, end }: PropertyText, { rename, item: pattern }: ItemRename) {
  const source = text.slice(start, end)
  const skipped = KEY.test(value) ? 0 : (KEY.exec(source)?.[0].length ?? 0)
  const edits: TextEdit[] = []
  for (const { 1: mark = '', 2: item = '', index } of source.slice(skipped).replace(COMMENT, '').matchAll(pattern)) {
    if (!matches(item, rename)) continue
    const edit = editAt(start + skipped + index + mark.length, rename(item))
    if (edit !== undefined) edits.push(item === source ? quoted(edit, item) : edit)
  }
  return edits
}

/** Matches words that YAML does not read as text. */
const NOT_TEXT = /^(?:true|false|null|-.*|[-+]?\d.*)$/i

function quoted(edit: TextEdit, item: string): TextEdit {
  const name = edit.text + item.slice(edit.end - edit.start)
  return NOT_TEXT.test(name) ? { start: edit.start, end: edit.start + item.length, text: `"${name}"` } : edit
}
