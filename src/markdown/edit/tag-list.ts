import type * as Yaml from 'yaml'
import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { yaml } from '../full-frontmatter.ts'
import { foldTag, propertyTag } from '../tags.ts'
import type { Entry, FrontmatterTree, Value } from './frontmatter-tree.ts'
import { endOfLine, lineEndingOf, lineNumber, nextLine, startOfLine } from './line-endings.ts'
import { editSeparated } from './separated.ts'
import { type Style, writeFlow } from './write-yaml.ts'

/** What becomes of the tags that a property lists. */
export interface TagChange {
  /** Whether a tag stays, by its folded name. */
  readonly keeps: (folded: string) => boolean
  readonly added: readonly string[]
}

/** A stretch of a text value between commas and spaces; what names no tag is kept. */
interface Part {
  readonly text: string
  /** The folded tag, where it names one. */
  readonly tag: string | undefined
  /** Its range in the file. */
  readonly start: number
  readonly end: number
}

/** The folded names of the tags that a `tags` property lists. */
export function tagsIn(tree: FrontmatterTree, { value }: Entry): readonly string[] {
  const { node } = value
  const values = yaml().isSeq(node) ? tree.items(node) : [value]
  return values.flatMap((each) => partsOf(tree.text, each).flatMap(({ tag }) => (tag === undefined ? [] : [tag])))
}

/**
 * The edits of one `tags` property, in the form that it has: a list with dashes or in brackets, or one text. One tag as a
 * text becomes a list when another is added, because Obsidian takes `a, b` for no tag at all.
 */
export function editTagEntry(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { isSeq, isMap } = yaml()
  const { node } = entry.value
  if (isSeq(node)) return node.flow ? editFlow(tree, node, change) : editDashes(tree, entry, change)
  if (!isMap(node)) return node ? editText(tree, entry, change) : addBelow(tree, entry, change)
  if (change.added.length === 0) return []
  const line = lineNumber(tree.text, entry.colonEnd)
  throw new RouxError('EDIT_MISMATCH', `The property "${entry.key}" on line ${line} is a mapping, not a list of tags.`, {
    hint: 'Give the property another name, or set it to a list with `properties`.',
  })
}

function partsOf(text: string, { node, start, end }: Value): readonly Part[] {
  if (!yaml().isScalar(node) || typeof node.value !== 'string') return []
  const inner = isLiteral(text, { node, start, end }) ? text.indexOf(node.value, start) : -1
  return [...node.value.matchAll(/[^\s,]+/g)].map(({ 0: part, index }) => {
    const name = propertyTag(part)
    const at = inner === -1 ? start : inner + index
    return { text: part, tag: name && foldTag(name), start: at, end: inner === -1 ? end : at + part.length }
  })
}

/** Whether a text stands in the file as it is, on one line. */
function isLiteral(text: string, { node, start, end }: Value): boolean {
  const { value, type } = node as Yaml.Scalar<string>
  const source = text.slice(start, end)
  if (source.includes('\n')) return false
  return type === 'PLAIN' ? source === value : source.slice(1, -1) === value
}

const staysWith = (change: TagChange) => (part: Part) => part.tag === undefined || change.keeps(part.tag)

/** An item goes when all that it names goes. */
function goes(parts: readonly Part[], change: TagChange): boolean {
  return parts.length > 0 && !parts.some(staysWith(change))
}

/** The edits inside an item of which some tags stay. */
function editItem(tree: FrontmatterTree, item: Value, change: TagChange): readonly TextEdit[] {
  const parts = partsOf(tree.text, item)
  const kept = parts.filter(staysWith(change))
  if (kept.length === parts.length || kept.length === 0) return []
  if (!isLiteral(tree.text, item)) {
    return [{ start: item.start, end: item.end, text: JSON.stringify(kept.map(({ text }) => text).join(' ')) }]
  }
  return editParts(tree.text, parts, change)
}

function editParts(text: string, parts: readonly Part[], change: TagChange): readonly TextEdit[] {
  const items = parts.map((part) => ({ start: part.start, end: part.end, keep: staysWith(change)(part) }))
  const first = parts[0] as Part
  const separator = text.slice(first.start, parts.at(-1)?.end).includes(',') ? ', ' : ' '
  return editSeparated(text, items, { added: change.added, separator, empty: first.start })
}

function editFlow(tree: FrontmatterTree, node: Yaml.YAMLSeq, change: TagChange): readonly TextEdit[] {
  const values = tree.items(node)
  const items = values.map((value) => ({
    start: value.start,
    end: value.end,
    keep: !goes(partsOf(tree.text, value), change),
  }))
  const style = tree.form === 'flow' ? ({ quotes: 'QUOTE_DOUBLE' } as const) : quotesOf(values)
  const added = change.added.map((tag) => writeFlow(tag, style))
  const bracket = tree.text.indexOf('[', values[0] ? undefined : startOfFlow(tree, node))
  const kept = values.filter((_, i) => items[i]?.keep).flatMap((value) => editItem(tree, value, { ...change, added: [] }))
  return [...kept, ...editSeparated(tree.text, items, { added, separator: ', ', empty: bracket + 1 })]
}

function startOfFlow(tree: FrontmatterTree, node: Yaml.YAMLSeq): number {
  return (tree.fences?.from ?? 0) + (node.range?.[0] ?? 0)
}

/** The quotes of the last text in a list. */
function quotesOf(values: readonly Value[]): Style {
  const last = values.findLast(({ node }) => yaml().isScalar(node) && typeof node.value === 'string')?.node
  const type = yaml().isScalar(last) ? last.type : undefined
  return type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE' ? { quotes: type } : {}
}

function editDashes(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { text } = tree
  const items = tree.items(entry.value.node as Yaml.YAMLSeq)
  const dropped = items.filter((item) => goes(partsOf(text, item), change))
  const edits: TextEdit[] = dropped.map(({ dash, end }) => ({ start: startOfLine(text, dash), end: nextLine(text, end), text: '' }))
  const last = items.at(-1)
  if (change.added.length > 0 && last) {
    const indent = text.slice(startOfLine(text, last.dash), last.dash)
    const lines = change.added.map((tag) => `${indent}- ${writeFlow(tag, quotesOf(items))}${lineEndingOf(text)}`)
    const at = nextLine(text, last.end)
    edits.push({ start: at, end: at, text: lines.join('') })
  } else if (dropped.length === items.length) edits.push(...dropKey(tree, entry, items[0]?.dash ?? entry.end))
  for (const item of items) if (!dropped.includes(item)) edits.push(...editItem(tree, item, { ...change, added: [] }))
  return edits
}

/**
 * A key without a tag goes, unless a comment stands on its line. It also stays where the dashes are not indented: so
 * are the ones below a key that stood there before its first tag.
 */
function dropKey({ text, indent }: FrontmatterTree, { colonEnd, start }: Entry, dash: number): readonly TextEdit[] {
  const comment = text.slice(colonEnd, endOfLine(text, colonEnd)).trim() !== ''
  const outdented = text.slice(startOfLine(text, dash), dash) === indent
  return comment || outdented ? [] : [{ start, end: nextLine(text, colonEnd), text: '' }]
}

/** The first tags of a key without a value. */
function addBelow({ text, indent, form }: FrontmatterTree, { colonEnd }: Entry, { added }: TagChange): readonly TextEdit[] {
  if (added.length === 0) return []
  if (form === 'flow') return [{ start: colonEnd, end: colonEnd, text: ` ${JSON.stringify(added)}` }]
  const at = nextLine(text, colonEnd)
  const lines = added.map((tag) => `${indent}- ${writeFlow(tag)}${lineEndingOf(text)}`)
  return [{ start: at, end: at, text: lines.join('') }]
}

/** A text, or another single value, which then counts as an item that names no tag. */
function editText(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { text, form } = tree
  const { start, end } = entry.value
  const node = entry.value.node as Yaml.Scalar
  const parts = partsOf(text, entry.value)
  const kept = parts.filter(staysWith(change))
  const quoted = node.type === 'QUOTE_SINGLE' || node.type === 'QUOTE_DOUBLE'
  const literal = typeof node.value === 'string' && isLiteral(text, entry.value)
  if (change.added.length === 0) {
    if (kept.length === parts.length) return []
    if (kept.length === 0 && (!quoted || form === 'flow')) return form === 'flow' ? [{ start, end, text: '[]' }] : [{ start: entry.start, end: entry.end, text: '' }]
    if (literal) return editParts(text, parts, change)
  } else if (literal && parts.length > 1 && kept.length > 1) return editParts(text, parts, change)
  else if (literal && quoted && parts.length === 0 && change.added.length === 1) {
    return [{ start: start + 1, end: start + 1, text: change.added.join('') }]
  }
  const others = typeof node.value === 'string' || node.value === null ? [] : [text.slice(start, end)]
  const written = [...kept.map((part) => part.text), ...change.added].map((tag) => writeFlow(tag, quotesOf([entry.value])))
  return [{ start, end, text: `[${[...others, ...written].join(', ')}]` }]
}
