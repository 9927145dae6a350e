/** Text that repeats at least this often, over at least this many UTF-16 units, never ends: small models get stuck like that. */
const LEAST_TIMES = 8
const LEAST_LENGTH = 300
/** How much of the end of a text to check, UTF-16 units. The repeated part is at most an eighth of it. */
const TAIL = 2_400

/**
 * Where the first of the words ends that a text ends with over and over; `undefined` where it does not. The shortest period of each end of the
 * text, by the prefix function of Knuth, Morris and Pratt (1977) of the text read backwards. Linear in what is looked at.
 */
export function findRepeats(text: string): number | undefined {
  const length = Math.min(text.length, TAIL)
  const unitAt = (at: number): number => text.charCodeAt(text.length - 1 - at)
  const borders = new Uint16Array(length)
  let longest: { readonly length: number; readonly period: number } | undefined
  for (let at = 1, border = 0; at < length; at++) {
    while (border > 0 && unitAt(at) !== unitAt(border)) border = borders[border - 1] as number
    if (unitAt(at) === unitAt(border)) border++
    borders[at] = border
    const period = at + 1 - border
    if (at + 1 >= Math.max(LEAST_LENGTH, LEAST_TIMES * period)) longest = { length: at + 1, period }
  }
  if (longest === undefined) return undefined
  const end = text.length - longest.length + longest.period
  // No half of a character that takes two units.
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end
}
