import { trimEndOf } from './trim-characters.ts'

/** ASCII needs no Unicode normalization. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * Folds a name for comparison: NFC, no-break space to space, lower case, and final sigma to sigma (lowercasing `X` and `X.md` gives
 * different sigmas). Obsidian compares names the same way.
 */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase()
  return spellName(name).toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
}

/** Normalizes a name without changing its case: NFC, no-break space to space. */
export function spellName(name: string): string {
  return ASCII.test(name) ? name : name.normalize('NFC').replaceAll('\u00a0', ' ')
}

/** Folds a tag for comparison, ignoring a leading `#` and trailing `/`s. */
export function foldTag(tag: string): string {
  return foldName(trimEndOf(tag.trim().replace(/^#/, ''), '/'))
}

/** Percent-decodes text. Malformed input is returned unchanged. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
