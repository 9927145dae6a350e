let made: Intl.Segmenter | undefined

/** Cuts texts into what readers take for one character. Made when first needed: that takes some ten milliseconds. */
export function graphemes(): Intl.Segmenter {
  made ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return made
}
