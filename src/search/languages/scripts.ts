/** The ranges of code units with the letters of a script, in ascending order. */
const RANGES = [
  ['Latin', 0xc0, 0x24f],
  ['Greek', 0x370, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Armenian', 0x531, 0x587],
  ['Hebrew', 0x5d0, 0x5f4],
  ['Arabic', 0x620, 0x6ff],
  ['Arabic', 0x750, 0x77f],
  ['Devanagari', 0x900, 0x97f],
  ['Bengali', 0x980, 0x9ff],
  ['Gurmukhi', 0xa00, 0xa7f],
  ['Gujarati', 0xa80, 0xaff],
  ['Tamil', 0xb80, 0xbff],
  ['Telugu', 0xc00, 0xc7f],
  ['Kannada', 0xc80, 0xcff],
  ['Malayalam', 0xd00, 0xd7f],
  ['Sinhala', 0xd80, 0xdff],
  ['Thai', 0xe00, 0xe7f],
  ['Lao', 0xe80, 0xeff],
  ['Myanmar', 0x1000, 0x109f],
  ['Georgian', 0x10a0, 0x10ff],
  ['Hangul', 0x1100, 0x11ff],
  ['Ethiopic', 0x1200, 0x139f],
  ['Khmer', 0x1780, 0x17ff],
  ['Latin', 0x1e00, 0x1eff],
  ['Greek', 0x1f00, 0x1fff],
  ['Kana', 0x3040, 0x30ff],
  ['Hangul', 0x3130, 0x318f],
  ['Han', 0x3400, 0x9fff],
  ['Hangul', 0xac00, 0xd7a3],
  ['Kana', 0xff66, 0xff9f],
] as const

export type Script = (typeof RANGES)[number][0]

export const SCRIPTS: readonly Script[] = [...new Set(RANGES.map(([script]) => script))]

/** Returns 0 for digits, punctuation, symbols and rare scripts. */
export function scriptAt(unit: number): number {
  if (unit < 128) return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) ? LATIN : 0
  const page = pages[unit >> 4] as number
  // The signs × and ÷ are in the range of letters.
  return unit === 0xd7 || unit === 0xf7 ? 0 : page
}

/** The script index of each block of 16 code units. Rounding ranges up to blocks adds only signs and digits. */
const pages = new Uint8Array(0x1000)

const LATIN = SCRIPTS.indexOf('Latin') + 1

for (const [script, first, last] of RANGES) pages.fill(SCRIPTS.indexOf(script) + 1, first >> 4, (last >> 4) + 1)

export const ONLY_LANGUAGE: Readonly<Partial<Record<Script, string>>> = {
  Greek: 'el',
  Armenian: 'hy',
  Hebrew: 'he',
  Devanagari: 'hi',
  Bengali: 'bn',
  Gurmukhi: 'pa',
  Gujarati: 'gu',
  Tamil: 'ta',
  Telugu: 'te',
  Kannada: 'kn',
  Malayalam: 'ml',
  Sinhala: 'si',
  Thai: 'th',
  Lao: 'lo',
  Myanmar: 'my',
  Georgian: 'ka',
  Hangul: 'ko',
  Ethiopic: 'am',
  Khmer: 'km',
  Kana: 'ja',
  Han: 'zh',
}
