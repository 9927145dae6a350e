import { isStemmed, STEM_TAILS } from './stem.ts'

/** Where the forms with a given beginning lie. */
export interface PrefixPlaces {
  /** All stems from `from` on and before `to`, as bytes. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** Single stems before them: a stem may be shorter than the beginning of its form. Ascending. */
  readonly stems: readonly Uint8Array[]
}

/**
 * A form's stem begins like the form and goes on with one of `STEM_TAILS`: either it shares the whole prefix, and lies in the range, or
 * a shorter beginning of it followed by a tail.
 */
export function placesOfPrefix(prefix: string): PrefixPlaces {
  const from = Buffer.from(prefix)
  // No UTF-8 text holds this byte.
  const to = Buffer.concat([from, Buffer.of(0xff)])
  const stems = new Set<string>()
  if (isStemmed(prefix)) {
    for (let length = 1; length < prefix.length; length++) {
      for (const tail of STEM_TAILS) stems.add(prefix.slice(0, length) + tail)
    }
  }
  const shorter = [...stems].filter((stem) => !stem.startsWith(prefix)).sort()
  return { from, to, stems: shorter.map((stem) => Buffer.from(stem)) }
}
