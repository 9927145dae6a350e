import { isDeepStrictEqual } from 'node:util'
import type * as Yaml from 'yaml'
import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { DEFAULT_FLAVOR, type Flavor, type Mode } from '../../core/note.ts'
import { foldName } from '../../core/text/fold.ts'
import { lineNumber } from '../../core/text/line-number.ts'
import { bodyStartOf, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { addPropertyTags } from '../frontmatter/properties.ts'
import { yaml } from '../frontmatter/yaml-frontmatter.ts'
import { LineIndex } from '../line-index.ts'
import { pageNames } from '../logseq.ts'
import { scanBody } from '../parse-note.ts'
import { propertyTag, TagSet } from '../tags.ts'
import { addProperties, editPairs, editSeparated, frontmatterEdits } from './edit-frontmatter.ts'
import { type Entry, type FrontmatterTree, requireFrontmatter, type Value, withoutItem } from './frontmatter-tree.ts'
import { invalid, requireText } from './given-text.ts'
import { endOfLine, lineEndingOf, nextLine, startOfLine } from './lines.ts'
import { addPageLines, pageLines, setPageLine } from './page-properties.ts'
import { replaceValue } from './set-properties.ts'
import { type Style, writeFlow, writeValue } from './write-yaml.ts'

/**
 * Adds and removes frontmatter tags, ignoring case. Nested tags stay, and so do tags that are both added and removed.
 * @throws RouxError `INVALID_PARAMS` for an invalid tag; `EDIT_MISMATCH` with the line if the frontmatter is malformed
 */
export function changeTags(text: string, { add = [], remove = [] }: AddedAndRemoved, mode?: Mode): readonly TextEdit[] {
  const tagsToAdd = requireTags(add)
  const added = new Set(tagsToAdd.map(foldName))
  const removed = new Set(requireTags(remove).map(foldName))
  return editAllTags(text, { wanted: tagsToAdd, keeps: (folded) => !removed.has(folded) || added.has(folded) }, mode)
}

interface AddedAndRemoved {
  readonly add?: readonly string[]
  readonly remove?: readonly string[]
}

/**
 * Sets the list of frontmatter tags. Existing tags keep their position and spelling. Items that are not tags stay.
 * @throws RouxError as `changeTags` does
 */
export function setTags(text: string, tags: readonly string[], mode?: Mode): readonly TextEdit[] {
  const tagsToSet = requireTags(tags)
  const keptNames = new Set(tagsToSet.map(foldName))
  return editAllTags(text, { wanted: tagsToSet, keeps: (folded) => keptNames.has(folded) }, mode)
}

/** Returns the tags outside of frontmatter, which edits of frontmatter do not change. */
export function bodyTags(text: string, flavor: Flavor): readonly string[] {
  const body = scanBody(text, bodyStartOf(text), { flavor, lines: new LineIndex() })
  const tags = new TagSet()
  for (const { name } of body.tags) tags.add(name, 0, true)
  return tags.list().map(({ name }) => name)
}

export function listedTags(text: string): readonly string[] {
  const lines = new LineIndex()
  const front = readFrontmatter(text, DEFAULT_FLAVOR, lines)
  const tags = new TagSet()
  addPropertyTags(front.tags, { text, flavor: DEFAULT_FLAVOR, lines }, tags)
  return tags.list().map(({ name }) => name)
}

/**
 * Normalizes tags: `#` and trailing `/` are stripped, and duplicates removed.
 * @throws RouxError `INVALID_PARAMS` for an invalid tag
 */
function requireTags(tags: readonly string[]): readonly string[] {
  const tagsByName = new Map<string, string>()
  for (const tag of tags) {
    const name = propertyTag(requireText('tags', tag))
    if (name === undefined) {
      throw invalid(
        'tags',
        `${JSON.stringify(tag)} is not a valid tag.`,
        'A tag consists of letters, digits, _, - and /. It has no spaces, and at least one character is not a digit.',
      )
    }
    if (!tagsByName.has(foldName(name))) tagsByName.set(foldName(name), name)
  }
  return [...tagsByName.values()]
}

interface Change {
  readonly wanted: readonly string[]
  readonly keeps: (folded: string) => boolean
}

export const TAG_KEY = /^tags?$/i

/** If the first block of a Logseq page has properties, its first line `tags:: a, b` takes the new tags. */
function editAllTags(text: string, { wanted, keeps }: Change, mode: Mode | undefined): readonly TextEdit[] {
  const lines = pageLines(text, mode)
  const lists = lines.filter(({ key }) => TAG_KEY.test(key)).map((line) => ({ line, items: pageItems(line.value) }))
  if (lists.length === 0 && (lines.length === 0 || bodyStartOf(text) > 0)) return editTags(text, { wanted, keeps })
  if (lists.length === 0) return wanted.length === 0 ? [] : addPageLines(text, lines, [['tags', wanted]])
  const pageTags = lists.flatMap(({ items }) => items.flatMap(({ tag }) => tag ?? []))
  const present = new Set([...listedTags(text), ...pageTags].map(foldName).filter(keeps))
  const added = wanted.filter((tag) => !present.has(foldName(tag)))
  const edits = lists.flatMap(({ line, items }, i) => {
    const kept = items.filter(({ tag }) => tag === undefined || keeps(foldName(tag))).map(({ item }) => item)
    const values = i === 0 ? [...kept, ...added] : kept
    const isSame = kept.length === items.length && values.length === kept.length
    return isSame ? [] : setPageLine(text, line, values.length === 0 ? null : values)
  })
  return [...editTags(text, { wanted: [], keeps }), ...edits]
}

function pageItems(value: string): readonly { readonly item: string; readonly tag: string | undefined }[] {
  const items = value.split(',').map((item) => item.trim())
  return items
    .filter((item) => item !== '')
    .map((item) => ({ item, tag: pageNames(item).flatMap((name) => propertyTag(name) ?? [])[0] }))
}

function editTags(text: string, { wanted, keeps }: Change): readonly TextEdit[] {
  const tree = requireFrontmatter(text)
  const entries = tree.entries.filter(({ key }) => TAG_KEY.test(key))
  const main = entries.find(({ key }) => key.length === 4) ?? entries[0]
  const present = new Set(entries.flatMap((entry) => tagsIn(tree, entry)).filter(keeps))
  const added = wanted.filter((tag) => !present.has(foldName(tag)))
  const edits = entries.flatMap((entry) => editTagEntry(tree, entry, { keeps, added: entry === main ? added : [] }))
  if (!main && added.length > 0) edits.push(...newList(tree, added))
  const expected = new Set([...present, ...added.map(foldName)])
  return frontmatterEdits(tree, edits, (after, properties) => {
    return sameTags(after, expected) && isDeepStrictEqual(withoutTags(properties), withoutTags(tree.properties))
  })
}

function newList(tree: FrontmatterTree, added: readonly string[]): readonly TextEdit[] {
  if (tree.form === 'flow') return editPairs(tree, new Map([['tags', added]]), new Set())
  return addProperties(tree, new Map([['tags', writeValue(added)]]))
}

function withoutTags(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !TAG_KEY.test(key)))
}

function sameTags(text: string, expected: ReadonlySet<string>): boolean {
  const present = listedTags(text).map(foldName)
  return present.length === expected.size && present.every((tag) => expected.has(tag))
}

export interface TagChange {
  readonly keeps: (folded: string) => boolean
  readonly added: readonly string[]
}

interface Part {
  readonly text: string
  readonly tag: string | undefined
  readonly start: number
  readonly end: number
}

function tagsIn(tree: FrontmatterTree, { value }: Entry): readonly string[] {
  const { node } = value
  const values = yaml().isSeq(node) ? tree.items(node) : [value]
  return values.flatMap((each) => partsOf(tree.text, each).flatMap(({ tag }) => (tag === undefined ? [] : [tag])))
}

/**
 * Edits the tags and keeps the form of the property: block list, flow list or text. Text becomes a list for a second tag, because
 * Obsidian does not read `a, b` as tags.
 */
function editTagEntry(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { isSeq, isMap } = yaml()
  const { node } = entry.value
  if (isSeq(node)) return node.flow ? editFlow(tree, entry, change) : editDashes(tree, entry, change)
  if (!isMap(node)) return node ? editSingle(tree, entry, change) : addBelow(tree, entry, change)
  if (change.added.length === 0) return []
  const line = lineNumber(tree.text, entry.colonEnd)
  throw new RouxError('EDIT_MISMATCH', `The property "${entry.key}" on line ${line} is a mapping, not a list of tags.`, {
    hint: 'Rename the property, or set it to a list with `properties`.',
  })
}

function partsOf(text: string, { node, start, end }: Value): readonly Part[] {
  if (!yaml().isScalar(node) || typeof node.value !== 'string') return []
  const inner = isLiteral(text, { node, start, end }) ? text.indexOf(node.value, start) : -1
  return [...node.value.matchAll(/[^\s,]+/g)].map(({ 0: part, index }) => {
    const name = propertyTag(part)
    const at = inner === -1 ? start : inner + index
    return { text: part, tag: name && foldName(name), start: at, end: inner === -1 ? end : at + part.length }
  })
}

function isLiteral(text: string, { node, start, end }: Value): boolean {
  const { value, type } = node as Yaml.Scalar<string>
  const source = text.slice(start, end)
  if (source.includes('\n')) return false
  return type === 'PLAIN' ? source === value : source.slice(1, -1) === value
}

const staysWith = (change: TagChange) => (part: Part) => part.tag === undefined || change.keeps(part.tag)

function isRemoved(parts: readonly Part[], change: TagChange): boolean {
  return parts.length > 0 && !parts.some(staysWith(change))
}

function editItem(tree: FrontmatterTree, item: Value, change: TagChange): readonly TextEdit[] {
  const parts = partsOf(tree.text, item)
  const keptParts = parts.filter(staysWith(change))
  if (keptParts.length === parts.length || keptParts.length === 0) return []
  if (!isLiteral(tree.text, item)) {
    const separator = separatorOf(String((item.node as Yaml.Scalar).value))
    return [{ start: item.start, end: item.end, text: JSON.stringify(keptParts.map(({ text }) => text).join(separator)) }]
  }
  return editParts(tree.text, parts, change)
}

function editParts(text: string, parts: readonly Part[], change: TagChange): readonly TextEdit[] {
  const items = parts.map((part) => ({ start: part.start, end: part.end, keep: staysWith(change)(part) }))
  const first = parts[0] as Part
  const separator = separatorOf(text.slice(first.start, parts.at(-1)?.end))
  return editSeparated(text, items, { added: change.added, separator, empty: first.start })
}

function separatorOf(tags: string): string {
  return tags.includes(',') ? ', ' : ' '
}

/** Edits a flow list. An empty list stays as `[]`, but JSON frontmatter loses the whole property. */
function editFlow(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const node = entry.value.node as Yaml.YAMLSeq
  const values = tree.items(node)
  const items = values.map((value) => ({
    start: value.start,
    end: value.end,
    keep: !isRemoved(partsOf(tree.text, value), change),
  }))
  const emptied = change.added.length === 0 && items.length > 0 && !items.some(({ keep }) => keep)
  if (emptied && tree.form === 'flow') return dropEntry(tree, entry)
  const style = tree.form === 'flow' ? ({ quotes: 'QUOTE_DOUBLE' } as const) : quotesOf(values)
  const added = change.added.map((tag) => writeFlow(tag, style))
  const bracket = tree.text.indexOf('[', (tree.fences?.from ?? 0) + (node.range?.[0] ?? 0))
  const keptEdits = values.filter((_, i) => items[i]?.keep).flatMap((value) => editItem(tree, value, { ...change, added: [] }))
  return [...keptEdits, ...editSeparated(tree.text, items, { added, separator: ', ', empty: bracket + 1 })]
}

function quotesOf(values: readonly Value[]): Style {
  const last = values.findLast(({ node }) => yaml().isScalar(node) && typeof node.value === 'string')?.node
  const type = yaml().isScalar(last) ? last.type : undefined
  return type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE' ? { quotes: type } : {}
}

function editDashes(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { text } = tree
  const items = tree.items(entry.value.node as Yaml.YAMLSeq)
  const dropped = new Set(items.filter((item) => isRemoved(partsOf(text, item), change)))
  const edits = [...dropped].map(withoutItem)
  const last = items.at(-1)
  if (change.added.length > 0 && last) {
    const indent = text.slice(last.lineStart, last.dash)
    edits.push(newItems(text, last.lineEnd, { indent, added: change.added, style: quotesOf(items) }))
  } else if (dropped.size === items.length) edits.push(...dropKey(tree, entry, items[0]?.dash ?? entry.end))
  for (const item of items) if (!dropped.has(item)) edits.push(...editItem(tree, item, { ...change, added: [] }))
  return edits
}

/** Removes an empty key, unless it has a comment or its dashes were not indented. Such a key existed before its first tag. */
function dropKey({ text, indent }: FrontmatterTree, { colonEnd, start }: Entry, dash: number): readonly TextEdit[] {
  const comment = text.slice(colonEnd, endOfLine(text, colonEnd)).trim() !== ''
  const outdented = text.slice(startOfLine(text, dash), dash) === indent
  return comment || outdented ? [] : [{ start, end: nextLine(text, colonEnd), text: '' }]
}

function addBelow({ text, indent, form }: FrontmatterTree, { colonEnd }: Entry, { added }: TagChange): readonly TextEdit[] {
  if (added.length === 0) return []
  if (form === 'flow') return [{ start: colonEnd, end: colonEnd, text: ` ${JSON.stringify(added)}` }]
  return [newItems(text, nextLine(text, colonEnd), { indent, added })]
}

interface NewItems {
  readonly indent: string
  readonly added: readonly string[]
  readonly style?: Style
}

function newItems(text: string, at: number, { indent, added, style = {} }: NewItems): TextEdit {
  const ending = lineEndingOf(text)
  return { start: at, end: at, text: added.map((tag) => `${indent}- ${writeFlow(tag, style)}${ending}`).join('') }
}

function editSingle(tree: FrontmatterTree, entry: Entry, change: TagChange): readonly TextEdit[] {
  const { value } = entry
  const node = value.node as Yaml.Scalar
  const parts = partsOf(tree.text, value)
  const keptParts = parts.filter(staysWith(change))
  if (change.added.length === 0 && keptParts.length === parts.length) return []
  if (typeof node.value !== 'string') return listOf(value, [tree.text.slice(value.start, value.end), ...change.added])
  if (!isLiteral(tree.text, value)) {
    const rest = [...keptParts.map(({ text }) => text), ...change.added]
    return rest.length > 0 ? replaceValue(tree, entry, rest) : dropEntry(tree, entry)
  }
  const quotes = quotesOf([value])
  if (change.added.length === 0) {
    return keptParts.length === 0 && quotes.quotes === undefined ? dropEntry(tree, entry) : editParts(tree.text, parts, change)
  }
  if (keptParts.length > 1) return editParts(tree.text, parts, change)
  if (parts.length === 0 && change.added.length === 1) {
    return [{ start: value.start + 1, end: value.start + 1, text: change.added.join('') }]
  }
  const flowItems = [...keptParts.map(({ text }) => text), ...change.added].map((tag) => writeFlow(tag, quotes))
  return listOf(value, flowItems)
}

function listOf({ start, end }: Value, items: readonly string[]): readonly TextEdit[] {
  return [{ start, end, text: `[${items.join(', ')}]` }]
}

function dropEntry(tree: FrontmatterTree, entry: Entry): readonly TextEdit[] {
  if (tree.form === 'flow') return editPairs(tree, new Map(), new Set([entry.key]))
  return [{ start: entry.start, end: entry.end, text: '' }]
}
