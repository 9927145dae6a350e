import { isDeepStrictEqual } from 'node:util'
import type * as Yaml from 'yaml'
import type { TextEdit } from '../../core/changes.ts'
import { yaml } from '../frontmatter/yaml-frontmatter.ts'
import { addProperties, editPairs, frontmatterEdits, indented } from './edit-frontmatter.ts'
import { type Entry, type FrontmatterTree, requireFrontmatter } from './frontmatter-tree.ts'
import { endOfLine, lineEndingOf, nextLine, withLineEnding } from './line-endings.ts'
import { type Relations, relationProperties, requireProperties } from './property-values.ts'
import { type Style, type WrittenValue, writeValue } from './write-yaml.ts'

/**
 * Sets properties, and removes those that are `null`. Only lines of properties that change are touched: a key keeps its
 * spelling (names compare without case, the exact one first), a value its quotes or brackets where the new one can have
 * them. New properties come last. A frontmatter from which the last property is removed goes with its fences.
 * @throws RouxError `INVALID_PARAMS` for a name or value that frontmatter cannot hold, `EDIT_MISMATCH` where the frontmatter is malformed.
 */
export function setProperties(text: string, changes: Readonly<Record<string, unknown>>): readonly TextEdit[] {
  const wanted = requireProperties(changes)
  if (wanted.size === 0) return []
  const tree = requireFrontmatter(text)
  const entriesOf = lookUp(tree)
  const edits: TextEdit[] = []
  const added = new Map<string, unknown>()
  const dropped = new Set<string>()
  const expected = new Map(Object.entries(tree.properties))
  for (const [name, value] of wanted) {
    const found = entriesOf(name)
    if (value === null) {
      for (const { key } of found) {
        dropped.add(key)
        expected.delete(key)
      }
      continue
    }
    const [entry] = found
    expected.set(entry?.key ?? name, value)
    if (!entry) added.set(name, value)
    else if (!isDeepStrictEqual(tree.properties[entry.key], value)) edits.push(...replaceValue(tree, entry, value))
  }
  const removed = tree.entries.filter(({ key }) => dropped.has(key))
  if (tree.form === 'flow') edits.push(...editPairs(tree, added, dropped))
  else edits.push(...removed.map(({ start, end }) => ({ start, end, text: '' })))
  edits.push(...addProperties(tree, new Map([...added].map(([key, value]) => [key, writeValue(value)]))))
  return frontmatterEdits(tree, edits, (_, properties) => isDeepStrictEqual(properties, fromEntries(expected)))
}

/** As an object whose keys are its own, also where one is `__proto__`. */
function fromEntries(entries: ReadonlyMap<string, unknown>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(entries)
}

/** Finds the properties of a name: the one that is spelled so, else those that are but for their case. */
function lookUp({ entries }: FrontmatterTree): (name: string) => readonly Entry[] {
  const exact = new Map(entries.map((entry) => [entry.key, [entry]]))
  const folded = new Map<string, Entry[]>()
  for (const entry of entries) {
    const name = entry.key.toLowerCase()
    const same = folded.get(name)
    if (same) same.push(entry)
    else folded.set(name, [entry])
  }
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase()) ?? []
}

/** The edits that put a value in the place of a property's. */
export function replaceValue(tree: FrontmatterTree, entry: Entry, value: unknown): readonly TextEdit[] {
  const { value: old, colonEnd } = entry
  if (tree.form === 'flow') {
    const glue = old.start === colonEnd ? ' ' : ''
    return [{ start: old.start, end: old.end, text: glue + JSON.stringify(value) }]
  }
  const written = inLines(tree, writeValue(value, styleOf(tree, entry, value)))
  if (isBlock(old.node)) return replaceBlock(tree, entry, written)
  if (written.body === '' && old.node) {
    return [{ start: old.start, end: old.end, text: old.start === colonEnd ? written.head : written.head.slice(1) }]
  }
  const below = nextLine(tree.text, old.end)
  return [
    { start: colonEnd, end: old.end, text: written.head },
    { start: below, end: below, text: written.body },
  ]
}

/** What follows the colon on a block's first line may be a comment, which stays. */
function replaceBlock({ text }: FrontmatterTree, { colonEnd, end }: Entry, { head, body }: WrittenValue): readonly TextEdit[] {
  const lineEnd = endOfLine(text, colonEnd)
  const comment = /^\s*(?:#|$)/.test(text.slice(colonEnd, lineEnd))
  return [
    { start: colonEnd, end: comment ? colonEnd : lineEnd, text: head },
    { start: nextLine(text, colonEnd), end, text: body },
  ]
}

function inLines({ text, indent }: FrontmatterTree, { head, body }: WrittenValue): WrittenValue {
  return { head, body: withLineEnding(indented(body, indent), lineEndingOf(text)) }
}

/** Whether a value stands on the lines below its key: a list with dashes, a mapping, a literal or folded text. */
function isBlock(node: Yaml.Node | undefined): boolean {
  if (yaml().isCollection(node)) return !node.flow
  return yaml().isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?$/

function styleOf(tree: FrontmatterTree, { value: { node } }: Entry, value: unknown): Style {
  const { isScalar, isSeq, isCollection } = yaml()
  if (isScalar(node)) {
    const { type, value: old } = node
    if (type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE') return { quotes: type }
    return { plain: type === 'PLAIN' && typeof old === 'string' && DATE.test(old) && DATE.test(String(value)) }
  }
  if (!isCollection(node)) return {}
  if (node.flow) return { flow: true }
  const first = isSeq(node) ? tree.items(node)[0] : undefined
  return { outdented: first !== undefined && tree.text[first.dash - 1] === '\n' && tree.indent === '' }
}

/**
 * Sets relations: properties whose values are wikilinks in quotes, `up: "[[a]]"`, or lists of them.
 * @throws RouxError like `setProperties`, and `INVALID_PARAMS` for a text that cannot stand in a wikilink.
 */
export function setRelations(text: string, relations: Relations): readonly TextEdit[] {
  return setProperties(text, relationProperties(relations))
}
