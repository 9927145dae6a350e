/**
 * BERT's uncased tokenisation with WordPiece, written plainly and on its own: over whole strings, with a Map. `vocabulary` gives the
 * row of a piece.
 * @returns rows in order; words that are not known are left out.
 */
export function tokenize(text: string, vocabulary: ReadonlyMap<string, number>): readonly number[] {
  return words(text).flatMap((word) => pieces(word, vocabulary))
}

const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu

function words(text: string): readonly string[] {
  const clean = text.replace(/[\t\n\r]/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu, '')
  const apart = clean
    .replace(IDEOGRAPH, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
  const lower = Array.from(apart, (character) => character.toLowerCase()).join('')
  return lower.match(/[\p{P}!-/:-@[-`{-~]|[^\s\p{P}!-/:-@[-`{-~]+/gu) ?? []
}

function pieces(word: string, vocabulary: ReadonlyMap<string, number>): readonly number[] {
  const characters = Array.from(word)
  if (characters.length > 100) return []
  const rows: number[] = []
  for (let start = 0; start < characters.length; ) {
    let end = characters.length
    let row: number | undefined
    for (; end > start; end--) {
      row = vocabulary.get((start === 0 ? '' : '##') + characters.slice(start, end).join(''))
      if (row !== undefined) break
    }
    if (row === undefined) return []
    rows.push(row)
    start = end
  }
  return rows
}

/** A table's vocabulary by piece. */
export function vocabularyOf(bytes: Uint8Array): ReadonlyMap<string, number> {
  return new Map(
    new TextDecoder()
      .decode(bytes)
      .split('\n')
      .map((piece, row) => [piece, row]),
  )
}
