import { isDeepStrictEqual } from 'node:util'
import type * as Yaml from 'yaml'
import type { TextEdit } from '../../core/changes.ts'
import { groupBy } from '../../core/group-by.ts'
import { yaml } from '../frontmatter/yaml-frontmatter.ts'
import { wikilinkEnd } from '../wikilinks.ts'
import { addProperties, editPairs, frontmatterEdits, indented } from './edit-frontmatter.ts'
import { type Entry, type FrontmatterTree, requireFrontmatter, withoutItem } from './frontmatter-tree.ts'
import { invalid, requireLine, requireText } from './given-text.ts'
import { endOfLine, lineEndingOf, nextLine, withLineEnding } from './lines.ts'
import { type Style, type WrittenValue, writeValue } from './write-yaml.ts'

/** YAML allows 1,024 characters, but a name longer than this is probably a mistake. */
const MAX_NAME = 200

/** The maximum nesting depth of a value. The frontmatter reader rejects more than 64 levels, including the property itself. */
const MAX_DEPTH = 60

/**
 * Sets properties, and removes those that are `null`. Only changed lines are edited. An exact name takes precedence over one that
 * differs in case. New properties come last. If no property is left, the fences are removed, too.
 * @throws RouxError `INVALID_PARAMS` for a name or value that frontmatter cannot contain; `EDIT_MISMATCH` if the frontmatter is
 * malformed
 */
export function setProperties(text: string, changes: Readonly<Record<string, unknown>>): readonly TextEdit[] {
  const newValues = requireProperties(changes)
  if (newValues.size === 0) return []
  const tree = requireFrontmatter(text)
  const entriesOf = lookUp(tree)
  const edits: TextEdit[] = []
  const added = new Map<string, unknown>()
  const dropped = new Set<string>()
  const expected = new Map(Object.entries(tree.properties))
  for (const [name, value] of newValues) {
    const entries = entriesOf(name)
    if (value === null) {
      for (const { key } of entries) {
        dropped.add(key)
        expected.delete(key)
      }
      continue
    }
    const [entry] = entries
    expected.set(entry?.key ?? name, value)
    if (!entry) added.set(name, value)
    else if (!isDeepStrictEqual(tree.properties[entry.key], value)) edits.push(...replaceValue(tree, entry, value))
  }
  const removed = tree.entries.filter(({ key }) => dropped.has(key))
  if (tree.form === 'flow') edits.push(...editPairs(tree, added, dropped))
  else edits.push(...removed.map(({ start, end }) => ({ start, end, text: '' })))
  edits.push(...addProperties(tree, new Map([...added].map(([key, value]) => [key, writeValue(value)]))))
  return frontmatterEdits(tree, edits, (_, properties) => isDeepStrictEqual(properties, Object.fromEntries(expected)))
}

function lookUp({ entries }: FrontmatterTree): (name: string) => readonly Entry[] {
  const exact = new Map(entries.map((entry) => [entry.key, [entry]]))
  const folded = groupBy(entries, ({ key }) => key.toLowerCase())
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase()) ?? []
}

export function replaceValue(tree: FrontmatterTree, entry: Entry, value: unknown): readonly TextEdit[] {
  const { value: old, colonEnd } = entry
  if (tree.form === 'flow') {
    const glue = old.start === colonEnd ? ' ' : ''
    return [{ start: old.start, end: old.end, text: glue + JSON.stringify(value) }]
  }
  const items = replaceItems(tree, entry, value)
  if (items !== undefined) return items
  const newSource = inLines(tree, writeValue(value, styleOf(tree, entry, value)))
  if (isBlock(old.node)) return replaceBlock(tree, entry, newSource)
  if (newSource.body === '' && old.node) {
    return [{ start: old.start, end: old.end, text: old.start === colonEnd ? newSource.head : newSource.head.slice(1) }]
  }
  const below = nextLine(tree.text, old.end)
  return [
    { start: colonEnd, end: old.end, text: newSource.head },
    { start: below, end: below, text: newSource.body },
  ]
}

/**
 * Replaces the changed items of a block list, so the others keep comments and quotes.
 * @returns `undefined` if the whole list must be rewritten
 */
function replaceItems(tree: FrontmatterTree, { key, value: { node } }: Entry, value: unknown): readonly TextEdit[] | undefined {
  const { text, properties } = tree
  const [before, after]: readonly unknown[] = [properties[key], value]
  if (!yaml().isSeq(node) || node.flow || !Array.isArray(before) || !Array.isArray(after)) return undefined
  const items = tree.items(node)
  const indents = items.map(({ lineStart, dash }) => text.slice(lineStart, dash))
  if (items.length !== before.length || indents.some((indent) => indent.trim() !== '')) return undefined
  const shorter = Math.min(before.length, after.length)
  let equalLines = 0
  while (equalLines < shorter && isDeepStrictEqual(before[equalLines], after[equalLines])) equalLines++
  let end = 0
  while (end < shorter - equalLines && isDeepStrictEqual(before.at(-1 - end), after.at(-1 - end))) end++
  if (equalLines + end === 0) return undefined
  const removed = items.slice(equalLines, items.length - end)
  const added = after.slice(equalLines, after.length - end)
  const at = items[equalLines - 1]?.lineEnd ?? items[0]?.lineStart ?? 0
  const lines = added.length === 0 ? '' : indented(writeValue(added, { outdented: true }).body, indents[0] ?? '')
  return [{ start: at, end: at, text: withLineEnding(lines, lineEndingOf(text)) }, ...removed.map(withoutItem)]
}

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
 * Sets relations as quoted wikilinks, such as `up: "[[a]]"`, or lists of them.
 * @throws RouxError as `setProperties` does; `INVALID_PARAMS` for text that a wikilink cannot contain
 */
export function setRelations(text: string, relations: Relations): readonly TextEdit[] {
  return setProperties(text, relationProperties(relations))
}

export function relationProperties(relations: Relations): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(relations).map(([name, links]) => [name, relationValue(name, links)]))
}

/**
 * @throws RouxError `INVALID_PARAMS` if names are blank, too long, multi-line or equal except for case, or a value is not JSON or
 * nested too deeply
 */
export function requireProperties(changes: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const properties = new Map<string, unknown>()
  const names = new Set<string>()
  for (const [givenName, value] of Object.entries(changes)) {
    const name = requireLine('properties', givenName)
    if (name.length > MAX_NAME)
      throw invalid('properties', `a name has ${name.length} characters, but at most ${MAX_NAME} are allowed.`)
    const folded = name.toLowerCase()
    if (names.has(folded)) throw invalid('properties', `"${name}" occurs twice (names are not case-sensitive).`)
    names.add(folded)
    properties.set(name, value === undefined ? null : jsonValue(name, value, 0))
  }
  return properties
}

function jsonValue(name: string, value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid('properties', `"${name}" is nested more than ${MAX_DEPTH} levels deep.`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return requireText(`properties.${name}`, value)
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (Array.isArray(value)) return value.map((item) => jsonValue(name, item, depth + 1))
  if (typeof value !== 'object') throw invalid('properties', `"${name}" must be text, a number, a boolean, a list or a mapping.`)
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    requireText(`properties.${name}`, key),
    jsonValue(name, item, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/** The links of each relation, with or without `[[…]]`. `null` removes the relation. */
export type Relations = Readonly<Record<string, string | readonly string[] | null>>

function relationValue(name: string, links: Relations[string]): unknown {
  if (links === undefined || links === null) return null
  return typeof links === 'string' ? wikilink(name, links) : links.map((link) => wikilink(name, link))
}

function wikilink(name: string, target: string): string {
  const link = requireLine(`relations.${name}`, target)
  const wikilinkText = link.startsWith('[[') && link.endsWith(']]') ? link : `[[${link}]]`
  if (wikilinkEnd(wikilinkText, 0, wikilinkText.length) === wikilinkText.length) return wikilinkText
  throw invalid(
    `relations.${name}`,
    `${JSON.stringify(target)} cannot be written as a wikilink.`,
    'Specify the name of a note, without [[ or ]].',
  )
}
