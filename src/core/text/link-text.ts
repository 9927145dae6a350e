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

/** Formats a heading for use in a link. Characters with a special meaning in links are replaced with spaces. */
export function headingLinkText(heading: string): string {
  return heading
    .replace(/[#|^:%[\]\\`$<>]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

export function anchorOf(heading: string): string {
  return heading
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/\s\{#[^{}]*\}\s*$/, '')
    .toLowerCase()
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Returns the names between the `#`s of a link's subpath. */
export function subpathParts(subpath: string): readonly string[] {
  return subpath.split('#').filter((part) => part.trim() !== '')
}

/**
 * Folds a heading as Obsidian does when it resolves a link. Converts it to lower case, and replaces each run of punctuation and
 * spaces with a single space.
 */
export function foldHeadingLink(heading: string): string {
  return heading
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFC')
}
