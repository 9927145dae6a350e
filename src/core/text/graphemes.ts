let segmenter: Intl.Segmenter | undefined

/** The segmenter is created lazily, because that takes about 10 ms. */
export function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter
}

/** Moves an offset back if it would split a surrogate pair. */
export function wholeCharacterEnd(text: string, offset: number): number {
  const unit = text.charCodeAt(offset - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? offset - 1 : offset
}
