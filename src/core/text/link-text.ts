import type { LinkForm } from '../note.ts'

/** Returns the source text of a link, without its display text. */
export function linkText({ form, target, subpath }: LinkAsWritten): string {
  const whole = subpath === undefined ? target : `${target}#${subpath}`
  return form === 'wikilink' || form === 'page' ? `[[${whole}]]` : whole
}

interface LinkAsWritten {
  readonly form: LinkForm
  readonly target: string
  readonly subpath?: string | undefined
}
