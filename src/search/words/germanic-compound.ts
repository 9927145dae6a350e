import { isStopWord, stemOf } from './stem.ts'

/** Letters between the parts of a compound, for each language that writes compounds as one word. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  da: ['', 's', 'e', 'er'],
  de: ['', 's', 'es', 'n', 'en', 'er', 'e'],
  nl: ['', 's', 'e', 'en', 'n', 'er'],
  no: ['', 's', 'e', 'er'],
  sv: ['', 's', 'e', 'o', 'u', 'a'],
}

/** Minimum length of a part. Shorter parts often occur in other words by chance. */
const MIN_PART_LENGTH = 4

/** Splits without linking letters are preferred by this factor. */
const PLAIN = 1.44

const LETTERS = /^\p{L}+$/u

export function joinsCompounds(language: string | undefined): language is string {
  return language !== undefined && language in LINKS
}

/** The vault's words in a language that writes compounds as one word. */
export interface CompoundWords {
  readonly language: string
  /** Returns how frequent a stem is in the vault, or 0 if it does not occur. */
  readonly frequencyOf: (stem: string) => number
}

/**
 * Splits a folded word into two words of the vault. Among several splits, prefers the most frequent words. Returns an empty list if
 * there are none.
 */
export function splitCompound(form: string, { language, frequencyOf }: CompoundWords): readonly string[] {
  if (form.length < 2 * MIN_PART_LENGTH || !LETTERS.test(form)) return []
  const frequency = (part: string): number => (isStopWord(part, language) ? 0 : frequencyOf(stemOf(part, language)))
  let best: readonly string[] = []
  let max = 0
  for (let at = MIN_PART_LENGTH; at <= form.length - MIN_PART_LENGTH; at++) {
    const tail = form.slice(at)
    const ofTail = frequency(tail)
    if (ofTail === 0) continue
    for (const link of LINKS[language] ?? []) {
      const head = form.slice(0, at - link.length)
      if (head.length < MIN_PART_LENGTH || !form.startsWith(link, head.length)) continue
      const product = frequency(head) * ofTail * (link === '' ? PLAIN : 1)
      if (product <= max) continue
      max = product
      best = [head, tail]
    }
  }
  return best
}

/** Returns the compounds of two folded words, in either order, that occur in the vault. */
export function joinWords(word: string, other: string, words: CompoundWords): readonly string[] {
  return [...joined(word, other, words), ...joined(other, word, words)]
}

function joined(head: string, tail: string, { language, frequencyOf }: CompoundWords): readonly string[] {
  const links = LINKS[language] ?? []
  // The first part may end in linking letters already, because a plural often looks the same.
  const heads = links.flatMap((link) => (head.endsWith(link) ? head.slice(0, head.length - link.length) : []))
  const longEnough = heads.filter(({ length }) => length >= MIN_PART_LENGTH)
  const compounds = new Set(longEnough.flatMap((each) => links.map((link) => `${each}${link}${tail}`)))
  return [...compounds].filter((compound) => frequencyOf(stemOf(compound, language)) > 0)
}
