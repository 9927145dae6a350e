/** The names of characters in HTML 4 and some later ones, and of letters with accents. */
import CHARACTERS from './named-characters.json' with { type: 'json' }

/**
 * Decodes a character reference. It replaces the parser's browser version, which assigns HTML and violates the content security
 * policy. Returns `false` to keep the reference.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  return Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name as keyof typeof CHARACTERS] : false
}
