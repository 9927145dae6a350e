import { wikilinkEnd } from '../wikilinks.ts'
import { invalid, requireLine, requireText } from './given-text.ts'

/** Longer names are mistakes; YAML allows 1,024 characters. */
const MAX_NAME = 200
/** The reader of frontmatter refuses what is nested more than 64 deep, the property itself included. */
const MAX_DEPTH = 60

/**
 * Properties as they are written: a map of names to JSON values, `null` for those to remove.
 * @throws RouxError `INVALID_PARAMS` where a name is blank, too long or not on one line, two names differ only in case, or a
 * value is no JSON value or nested too deeply.
 */
export function requireProperties(changes: Readonly<Record<string, unknown>>): ReadonlyMap<string, unknown> {
  const wanted = new Map<string, unknown>()
  const names = new Set<string>()
  for (const [given, value] of Object.entries(changes)) {
    const name = requireLine('properties', given)
    if (name.length > MAX_NAME)
      throw invalid('properties', `a name has ${name.length} characters; at most ${MAX_NAME} are allowed.`)
    const folded = name.toLowerCase()
    if (names.has(folded)) throw invalid('properties', `"${name}" is given twice; names compare without case.`)
    names.add(folded)
    wanted.set(name, value === undefined ? null : jsonValue(name, value, 0))
  }
  return wanted
}

/** The value as the frontmatter's reader gives it back. */
function jsonValue(name: string, value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalid('properties', `"${name}" is nested more than ${MAX_DEPTH} deep.`)
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return requireText(`properties.${name}`, value)
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value
  if (Array.isArray(value)) return value.map((item) => jsonValue(name, item, depth + 1))
  if (typeof value !== 'object') throw invalid('properties', `"${name}" is no text, number, boolean, list or mapping.`)
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    requireText(`properties.${name}`, key),
    jsonValue(name, item, depth + 1),
  ])
  return Object.fromEntries(entries)
}

/** A relation's links, each as the text between the brackets of a wikilink or with them; `null` removes the relation. */
export type Relations = Readonly<Record<string, string | readonly string[] | null>>

/**
 * Relations as properties.
 * @throws RouxError `INVALID_PARAMS` for a text that cannot stand in a wikilink.
 */
export function relationProperties(relations: Relations): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(relations).map(([name, links]) => [name, relationValue(name, links)]))
}

function relationValue(name: string, links: Relations[string]): unknown {
  if (links === undefined || links === null) return null
  return typeof links === 'string' ? wikilink(name, links) : links.map((link) => wikilink(name, link))
}

function wikilink(name: string, given: string): string {
  const link = requireLine(`relations.${name}`, given)
  const written = link.startsWith('[[') && link.endsWith(']]') ? link : `[[${link}]]`
  if (wikilinkEnd(written, 0, written.length) === written.length) return written
  throw invalid(
    `relations.${name}`,
    `${JSON.stringify(given)} cannot stand in a wikilink.`,
    'Give the name of a note, without [[ or ]].',
  )
}
