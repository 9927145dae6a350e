import { RouxError } from '../../core/errors.ts'
import { nearest } from '../../core/nearest.ts'
import { findHeadings } from '../sections.ts'
import type { Outline, OutlineHeading } from './outline.ts'

/** Of longer outlines the rest is left out; what is nearest comes first. */
const LISTED = 100

/**
 * The index of the one heading that `path` names: headings from the outside in, or the end of such a path.
 * @throws RouxError `SECTION_NOT_FOUND` with the outline as candidates (`path`, `line`), the nearest headings first.
 */
export function requireHeading({ headings }: Outline, path: readonly string[]): number {
  const found = findHeadings(headings, path)
  const [index] = found
  if (index !== undefined && found.length === 1) return index
  const name = JSON.stringify(path.join(' > '))
  if (index === undefined) throw notFound(`There is no section ${name}.`, headings, nearestTo(path.at(-1) ?? '', headings))
  const meant = found.map((each) => headings[each] as OutlineHeading)
  throw notFound(`Several sections are called ${name}, on lines ${meant.map(({ line }) => line).join(', ')}.`, headings, meant)
}

function nearestTo(name: string, headings: readonly OutlineHeading[]): readonly OutlineHeading[] {
  const near = nearest(name, new Set(headings.map(({ text }) => text)), 3)
  return headings.filter(({ text }) => near.includes(text))
}

function notFound(message: string, headings: readonly OutlineHeading[], first: readonly OutlineHeading[]): RouxError {
  const ordered = [...new Set([...first, ...headings])].slice(0, LISTED)
  return new RouxError('SECTION_NOT_FOUND', message, {
    hint:
      headings.length > 0
        ? 'Name the headings from the outside in, as a candidate shows them.'
        : 'This note has no headings: edit its body with `append`, `prepend`, `replace_text` or `content`.',
    candidates: ordered.map(({ path, line }) => ({ path, line })),
  })
}
