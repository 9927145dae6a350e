import { trimEndOf } from './trim-characters.ts'

/** Text in ASCII needs no Unicode normalization. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the whole ASCII range is meant.
const ASCII = /^[\x00-\x7f]*$/

/**
 * Folds a name like Obsidian: NFC, no-break space to space, lower case. Final sigma becomes sigma, because `X` and `X.md`
 * lowercase to different sigmas.
 */
export function foldName(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase()
  return spellName(name).toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
}

export function spellName(name: string): string {
  return ASCII.test(name) ? name : name.normalize('NFC').replaceAll('\u00a0', ' ')
}

/** Folds a tag without its leading `#` and trailing `/`s. */
export function foldTag(tag: string): string {
  return foldName(trimEndOf(tag.trim().replace(/^#/, ''), '/'))
}

/** Returns malformed input unchanged. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
