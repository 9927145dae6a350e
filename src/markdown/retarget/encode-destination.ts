/** In which manner a destination is written. */
export interface DestinationStyle {
  /** A space stands for itself: between angle brackets, in a quoted attribute. */
  readonly spaces: boolean
  /** Letters beyond ASCII are percent-encoded. */
  readonly ascii: boolean
  /** Characters that may not stand in it, besides those that may stand in none. */
  readonly enders: string
}

/** What would end a destination, begin something else before a parser sees the link, or be decoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a destination.
const RESERVED = /[\x00-\x1f\x7f%\\`<>[\]|$"?]/g

/** The manner of a destination as it stands: percent codes for letters and spaces stay percent codes. */
export function styleOf(written: {
  readonly raw: string
  readonly enclosed: boolean
  readonly enders: string
}): DestinationStyle {
  const { raw, enclosed, enders } = written
  return { spaces: enclosed && !raw.includes('%20'), ascii: /%[89a-f][0-9a-f]/i.test(raw), enders }
}

/** Percent-encodes a path or heading so far as it must be. */
export function encodeDestination(value: string, style: DestinationStyle): string {
  let text = value.replace(RESERVED, percent)
  if (!style.spaces) text = text.replaceAll(' ', '%20')
  if (style.ascii) text = text.replace(/[^\0-\x7f]+/g, percent)
  for (const ender of style.enders) text = text.replaceAll(ender, hex)
  if (!isBalanced(text)) text = text.replace(/[()]/g, hex)
  // What looks like a character reference would be decoded as one; a scheme leads outside.
  text = text.replace(/&(?=[#\w]+;)/g, hex)
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text.replace(':', '%3A') : text
}

/** Lone surrogates cannot be encoded: they stay, and what is written then is not what was wanted. */
function percent(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    return text
  }
}

function hex(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const c of text) {
    if (c === '(') depth++
    else if (c === ')' && --depth < 0) return false
  }
  return depth === 0
}
