import { trimEndOf } from './trim-characters.ts'

/** ASCII needs no normalisation: lowering it changes only its case. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * Folds a name for comparison: NFC, no-break space as space, lower case, final sigma as sigma
 * (Obsidian compares names so; lower-casing `X` and `X.md` gives different sigmas).
 */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase()
  return spellName(name).toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
}

/** Normalises a name without changing its case: NFC, no-break space as space. */
export function spellName(name: string): string {
  return ASCII.test(name) ? name : name.normalize('NFC').replaceAll('\u00a0', ' ')
}

/** A tag as it is compared; `#` in front and `/` at the end, which callers may write, are left out. */
export function foldTag(tag: string): string {
  return foldName(trimEndOf(tag.trim().replace(/^#/, ''), '/'))
}

/** Percent-decodes; what is malformed stays as it is. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
