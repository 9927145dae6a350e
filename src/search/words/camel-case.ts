/** Longer words, and words of more parts, are no names but noise (keys, hashes). */
const MAX_LENGTH = 48
const MAX_PARTS = 6
const HUMP = /[A-Z]+(?![a-z]{2})|[A-Z]?[a-z0-9]+|[^A-Za-z0-9]+/g
const SMALL_THEN_CAPITAL = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/

/** The parts of a camel-case name with two letters or more (`useEffect` → `use`, `Effect`); none for another word. */
export function camelParts(word: string): readonly string[] {
  if (word.length > MAX_LENGTH || !SMALL_THEN_CAPITAL.test(word)) return []
  const parts = word.match(HUMP) ?? []
  return parts.length < 2 || parts.length > MAX_PARTS ? [] : parts.filter((part) => part.length > 1)
}
