import type { SnippetQuery } from './matches.ts'
import { beginningOf } from './stem.ts'

/** An upper bound for the weight of a query's words in a part of a text; `undefined` if only reading it tells. */
export type Glance = (text: string, start: number, end: number) => number | undefined

interface Beginning {
  readonly letters: string
  readonly weight: number
}

/**
 * Looks for the beginnings of words, wherever they stand, which takes a fifth of the time that reading the words takes. Letters count as they
 * are spelled, but for case, and for apostrophes and commas in a word (`don't`, `1,000`).
 */
export function glanceFor({ terms }: SnippetQuery): Glance {
  const beginnings = terms.map(({ term, weight }): Beginning => ({ letters: beginningOf(term), weight }))
  const byHash = new Map<number, number[]>()
  for (const [at, { letters }] of beginnings.entries()) for (const hash of hashesOf(letters)) put(byHash, hash, at)
  const wanted = new Uint8Array(HASHES)
  for (const hash of byHash.keys()) wanted[hash] = 1
  // One array each for all that is looked at, as this is done for hundreds of parts of notes in a search.
  const isFound = new Uint8Array(beginnings.length)
  const places = new Int32Array(UNITS)
  return (text, start, end) => {
    isFound.fill(0)
    let weight = 0
    const last = Math.min(text.length, end + UNITS - 1)
    for (let from = start; ; ) {
      const at = nextPlace(text, wanted, { from, to: last })
      if (at === UNTOLD) return undefined
      if (at === NONE) break
      const hash = backFrom(text, at, places)
      for (const one of byHash.get(hash) ?? NOTHING) {
        if (isFound[one] !== 0) continue
        const { letters, weight: own } = beginnings[one] as Beginning
        if (!standsAt(text, places[0] as number, letters)) continue
        isFound[one] = 1
        weight += own
      }
      // Skipped characters may have been counted as a unit.
      from = Math.max(from + 1, places[1] as number)
    }
    return weight
  }
}

/** Units that are compared at first, by some bits of each that are the same in small letters and capitals. */
const UNITS = 3
const BITS = 5
const MASK = (1 << BITS) - 1
const HASHES = 1 << (UNITS * BITS)

/** Units that are not compared: not part of words, or part of a letter that is indexed as another. */
const PASSED_OVER = MASK + 1
const FOLDED = MASK + 2
const plain = Uint8Array.from({ length: 128 }, (_, unit) => (isPassedOver(unit) ? PASSED_OVER : unit & MASK))

/** Likewise beyond ASCII: punctuation, symbols and emoji are not part of a letter. */
function wideBits(unit: number): number {
  if (isPassedOver(unit)) return PASSED_OVER
  const isSign = unit < 0xc0 || (unit >= 0x2000 && unit < 0x2c00) || (unit & 0xf800) === 0xd800 || unit === 0xfe0f
  return isSign ? unit & MASK : FOLDED
}

const NONE = -1
const UNTOLD = -2

/** The hashes of all texts of three units that begin so. */
function hashesOf(letters: string): readonly number[] {
  let hashes = [0]
  for (let at = 0; at < UNITS; at++) {
    const bits = at < letters.length ? [letters.charCodeAt(at) & MASK] : Array.from({ length: MASK + 1 }, (_, bit) => bit)
    hashes = hashes.flatMap((hash) => bits.map((bit) => (hash << BITS) | bit))
  }
  return hashes
}

function put(byHash: Map<number, number[]>, hash: number, at: number): void {
  const known = byHash.get(hash)
  if (known === undefined) byHash.set(hash, [at])
  else known.push(at)
}

/** Where the next three units end that may begin a word that is wanted, or why there are none. */
function nextPlace(text: string, wanted: Uint8Array, { from, to }: { readonly from: number; readonly to: number }): number {
  let hash = 0
  const full = from + UNITS - 1
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at)
    const bits = unit < 128 ? (plain[unit] as number) : wideBits(unit)
    if (bits > MASK) {
      if (bits === FOLDED) return UNTOLD
      continue
    }
    hash = ((hash << BITS) | bits) & (HASHES - 1)
    if (wanted[hash] !== 0 && at >= full) return at
  }
  return NONE
}

const NOTHING: readonly number[] = []

/** Where the three units are that end at `last`, which it writes to `places`, and their hash. */
function backFrom(text: string, last: number, places: Int32Array): number {
  let hash = 0
  for (let at = last, unit = UNITS - 1; unit >= 0; at--) {
    const code = text.charCodeAt(at)
    if (at !== last && isPassedOver(code)) continue
    places[unit] = at
    hash |= (code & MASK) << (BITS * (UNITS - 1 - unit))
    unit--
  }
  return hash
}

function standsAt(text: string, start: number, letters: string): boolean {
  let at = start
  for (let letter = 0; letter < letters.length; at++) {
    const unit = text.charCodeAt(at)
    if (isPassedOver(unit)) continue
    if ((unit > 64 && unit < 91 ? unit + 32 : unit) !== letters.charCodeAt(letter++)) return false
  }
  return true
}

/** `'`, `’` and `,`, which words may be written with. */
function isPassedOver(unit: number): boolean {
  return unit === 39 || unit === 44 || unit === 0x2019
}
