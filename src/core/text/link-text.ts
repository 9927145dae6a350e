import type { LinkForm } from '../note.ts'

export function linkText({ form, target, subpath }: LinkAsWritten): string {
  const whole = subpath === undefined ? target : `${target}#${subpath}`
  return form === 'wikilink' || form === 'page' ? `[[${whole}]]` : whole
}

interface LinkAsWritten {
  readonly form: LinkForm
  readonly target: string
  readonly subpath?: string | undefined
}

/** Replaces characters with a special meaning in links with spaces. */
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

export function subpathParts(subpath: string): readonly string[] {
  return subpath.split('#').filter((part) => part.trim() !== '')
}

/** Folds a heading like Obsidian: lower case, and a single space for each run of punctuation and spaces. */
export function foldHeadingLink(heading: string): string {
  return heading
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g, ' ')
    .trim()
    .toLowerCase()
    .normalize('NFC')
}
