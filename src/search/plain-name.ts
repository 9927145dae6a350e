import { foldLetters } from './words/fold-word.ts'

/** Characters that a sentence or quotation puts around a name; signs such as # and + belong to a name. */
const AROUND = new Set(' .,;:!?…¿¡。、，！？：；"\'“”„‘’‚«»‹›()[]')
/** Characters that need normalisation: letters beyond ASCII, white space, and punctuation around the name. */
const TO_DO = /[^ -~]| {2}|^[ .,;:!?"'()[\]]|[ .,;:!?"'()[\]]$/

/**
 * A name as it is typed in a hurry: letters as they are indexed, without accents, white space as one blank, and nothing around it that a
 * sentence would put there. `Café  latte?` and `cafe latte` are the same.
 */
export function plainName(name: string): string {
  const text = foldLetters(name).replace(/\s+/g, ' ')
  let start = 0
  let end = text.length
  while (start < end && AROUND.has(text.charAt(start))) start++
  while (end > start && AROUND.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

/** Whether a name is plain apart from upper case, as most are; creates no other text. */
export function isPlain(name: string): boolean {
  return !TO_DO.test(name)
}
