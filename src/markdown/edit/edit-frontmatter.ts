import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { editText } from '../../core/text/edit-text.ts'
import { bodyStartOf, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { MAX_LENGTH } from '../frontmatter/yaml-frontmatter.ts'
import { LineIndex } from '../line-index.ts'
import { withoutNoOps } from './edit-text.ts'
import type { FrontmatterTree } from './frontmatter-tree.ts'
import { lineEndingOf, withLineEnding } from './line-endings.ts'
import { READING } from './reading.ts'
import { editSeparated } from './separated.ts'
import { type WrittenValue, writeKey } from './write-yaml.ts'

type Properties = Readonly<Record<string, unknown>>

/** The edit that adds properties below the others, and the frontmatter itself where there is none. */
export function addProperties(tree: FrontmatterTree, added: ReadonlyMap<string, WrittenValue>): readonly TextEdit[] {
  if (added.size === 0 || tree.form === 'flow') return []
  const { text, start, fences, indent } = tree
  const lines = [...added].map(([key, { head, body }]) => indented(`${writeKey(key)}:${head}\n${body}`, indent)).join('')
  const at = fences?.to ?? start
  const source = fences ? lines : `---\n${lines}---\n`
  return [{ start: at, end: at, text: withLineEnding(source, lineEndingOf(text)) }]
}

/** The edits that add properties to frontmatter in JSON's form, and take others out of it. */
export function editPairs(
  tree: FrontmatterTree,
  added: ReadonlyMap<string, unknown>,
  dropped: ReadonlySet<string>,
): readonly TextEdit[] {
  const { text, fences, entries } = tree
  const pairs = [...added].map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  const items = entries.map(({ key, start, end }) => ({ start, end, keep: !dropped.has(key) }))
  return editSeparated(text, items, { added: pairs, separator: ', ', empty: text.indexOf('{', fences?.from) + 1 })
}

/** Lines with an indentation in front, but for blank ones. */
export function indented(lines: string, indent: string): string {
  return indent === '' ? lines : lines.replace(/^(?=[^\n])/gm, indent)
}

/**
 * Edits of the frontmatter in order, checked: what is read after them has the body as it was and satisfies `isAsked`. A
 * frontmatter of which nothing is left goes with its fences.
 * @throws RouxError `EDIT_MISMATCH` where the result would be another, `TOO_LARGE` where it could not be read.
 */
export function frontmatterEdits(
  tree: FrontmatterTree,
  edits: readonly TextEdit[],
  isAsked: (after: string, properties: Properties) => boolean,
): readonly TextEdit[] {
  const wanted = withoutNoOps(
    tree.text,
    edits.toSorted((a, b) => a.start - b.start || a.end - b.end),
  )
  if (wanted.length === 0) return wanted
  const unfenced = withoutFences(tree, wanted)
  if (unfenced && isExact(tree, unfenced, isAsked)) return unfenced
  if (isExact(tree, wanted, isAsked)) return wanted
  const { from, to } = tree.fences ?? { from: 0, to: 0 }
  if (to - from + wanted.reduce((sum, { text }) => sum + text.length, 0) > MAX_LENGTH) {
    throw new RouxError('TOO_LARGE', 'The frontmatter would be larger than 512 KB.', { hint: 'Write long texts into the body.' })
  }
  throw new RouxError('EDIT_MISMATCH', 'The frontmatter is written in a way that cannot be edited exactly.', {
    hint: 'Write the property in the usual form, `key: value`, and try again.',
  })
}

function withoutFences({ text, start, fences }: FrontmatterTree, edits: readonly TextEdit[]): readonly TextEdit[] | undefined {
  if (!fences || editText(text, edits).slice(fences.from).length !== text.length - fences.to) return undefined
  return [{ start, end: fences.end, text: '' }]
}

function isExact(
  { text }: FrontmatterTree,
  edits: readonly TextEdit[],
  isAsked: (after: string, properties: Properties) => boolean,
): boolean {
  const after = editText(text, edits)
  const { properties, malformed, end } = readFrontmatter(after, READING, new LineIndex())
  return malformed.length === 0 && after.slice(end) === text.slice(bodyStartOf(text)) && isAsked(after, properties)
}
