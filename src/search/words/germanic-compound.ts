import { isStopWord, stemOf } from './stem.ts'

/** The linking letters between the parts of a compound. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  da: ['', 's', 'e', 'er'],
  de: ['', 's', 'es', 'n', 'en', 'er', 'e'],
  nl: ['', 's', 'e', 'en', 'n', 'er'],
  no: ['', 's', 'e', 'er'],
  sv: ['', 's', 'e', 'o', 'u', 'a'],
}

/** A shorter part often occurs in other words by chance. */
const MIN_PART_LENGTH = 4

/** A bonus for splits without linking letters. */
const PLAIN = 1.44

const LETTERS = /^\p{L}+$/u

export function joinsCompounds(language: string | undefined): language is string {
  return language !== undefined && language in LINKS
}

export interface CompoundWords {
  readonly language: string
  readonly frequencyOf: (stem: string) => number
}

/** Splits a compound, preferably into frequent words of the vault. @returns an empty list if the word is not a compound */
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

/** Returns compounds of both words, in either order, that occur in the vault. */
export function joinWords(word: string, other: string, words: CompoundWords): readonly string[] {
  return [...joined(word, other, words), ...joined(other, word, words)]
}

function joined(head: string, tail: string, { language, frequencyOf }: CompoundWords): readonly string[] {
  const links = LINKS[language] ?? []
  // A plural of the first part often ends in linking letters, so they are removed.
  const heads = links.flatMap((link) => (head.endsWith(link) ? head.slice(0, head.length - link.length) : []))
  const longEnough = heads.filter(({ length }) => length >= MIN_PART_LENGTH)
  const compounds = new Set(longEnough.flatMap((each) => links.map((link) => `${each}${link}${tail}`)))
  return [...compounds].filter((compound) => frequencyOf(stemOf(compound, language)) > 0)
}
