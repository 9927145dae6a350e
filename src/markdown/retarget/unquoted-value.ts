import type { TextEdit } from '../../core/changes.ts'
import type { Flavour } from '../../core/note.ts'
import { editText } from '../../core/text/edit-text.ts'
import type { UnquotedValue } from '../../core/text/link-slots.ts'
import { type ReadFrontmatter, readFrontmatter } from '../frontmatter/frontmatter.ts'
import type { PropertyText } from '../frontmatter/plain-frontmatter.ts'
import { LineIndex } from '../line-index.ts'

export interface PropertyContext {
  readonly frontmatter: () => ReadFrontmatter
  readonly flavour: Flavour
}

/** Names that YAML takes for text wherever they stand. */
const PLAIN = /^(?!(?:true|false|null)$)\p{L}[\p{L}\p{M}\p{N} ._/-]*$/iu

/** A property's value, where quotes can be put around it as it stands. */
export function unquotedValue(
  text: string,
  { start, end }: PropertyText,
  { frontmatter, flavour }: PropertyContext,
): UnquotedValue | undefined {
  const written = text.slice(start, end)
  if (/^["'|>]/.test(written) || written.includes('\n')) return undefined
  const quotedWith = (edits: readonly TextEdit[]): string | undefined => {
    if (edits.every((edit) => PLAIN.test(edit.text))) return undefined
    const source = editText(
      written,
      edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start })),
    )
    const after = readFrontmatter(text.slice(0, start) + source + text.slice(end), flavour, new LineIndex())
    const isWhole = after.texts.some((each) => each.start === start && each.end === start + source.length)
    return isWhole && hasSameShape(frontmatter().properties, after.properties) ? undefined : JSON.stringify(source)
  }
  return { start, end, quotedWith }
}

/** Whether two values differ in nothing but their texts. */
function hasSameShape(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return one === other || (typeof one === 'string' && typeof other === 'string')
  }
  const [ones, others] = [Object.entries(one), Object.entries(other)]
  return (
    ones.length === others.length &&
    ones.every(([key, value], at) => key === others[at]?.[0] && hasSameShape(value, others[at]?.[1]))
  )
}
