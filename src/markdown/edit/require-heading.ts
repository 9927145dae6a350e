import { RouxError } from '../../core/errors.ts'
import { nearest } from '../../core/text/nearest.ts'
import { findHeadings } from '../sections.ts'
import type { Outline, OutlineHeading } from './outline.ts'

/** Of longer outlines the rest is left out; what is nearest comes first. */
const LISTED = 100
/** Of more lines, as many stand in the message. */
const NAMED = 20
/** Comparing takes the product of the lengths: of longer headings the beginning will do. */
const MAX_COMPARED = 200

/**
 * The index of the one heading that `path` names: headings from the outside in, or the end of such a path.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline as candidates (`path`, `line`), the nearest headings first.
 */
export function requireHeading({ headings }: Outline, path: readonly string[]): number {
  const found = findHeadings(headings, path)
  const [index] = found
  if (index !== undefined && found.length === 1) return index
  const name = JSON.stringify(path.join(' > ').slice(0, MAX_COMPARED))
  if (index === undefined) {
    const near = nearestTo(path.at(-1) ?? '', headings)
    throw notFound(`There is no section ${name}.`, headings, { first: near, hint: PATHS })
  }
  const meant = found.map((each) => headings[each] as OutlineHeading)
  const twins = new Set(meant.map((each) => each.path.join('\n'))).size < meant.length
  throw notFound(`Several sections are called ${name}, on lines ${linesOf(meant)}.`, headings, {
    first: meant,
    hint: twins ? 'Some have the same path: edit them with `replace_text`, or give one a block id like ^part.' : PATHS,
  })
}

const PATHS = 'Name the headings from the outside in, as a candidate shows them.'
const NO_HEADINGS = 'This note has no headings: edit its body with `append`, `prepend`, `replace_text` or `content`.'

function linesOf(headings: readonly OutlineHeading[]): string {
  const lines = headings.slice(0, NAMED).map(({ line }) => line)
  return lines.join(', ') + (headings.length > NAMED ? '…' : '')
}

function nearestTo(name: string, headings: readonly OutlineHeading[]): readonly OutlineHeading[] {
  const near = nearest(name, new Set(headings.map(({ text }) => text.slice(0, MAX_COMPARED))), 3)
  return headings.filter(({ text }) => near.includes(text.slice(0, MAX_COMPARED)))
}

interface Said {
  readonly first: readonly OutlineHeading[]
  readonly hint: string
}

function notFound(message: string, headings: readonly OutlineHeading[], { first, hint }: Said): RouxError {
  const ordered = [...new Set([...first, ...headings])].slice(0, LISTED)
  return new RouxError('SECTION_NOT_FOUND', message, {
    hint: headings.length > 0 ? hint : NO_HEADINGS,
    candidates: ordered.map(({ path, line }) => ({ path, line })),
  })
}
