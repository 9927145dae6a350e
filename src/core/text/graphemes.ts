let segmenter: Intl.Segmenter | undefined

/** Returns a segmenter for user-perceived characters. It is created lazily, because creating it takes about 10 ms. */
export function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter
}
