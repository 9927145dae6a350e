/**
 * A simple, independent version of BERT's uncased WordPiece tokenization: it works on whole strings, with a Map. `vocabulary` gives the
 * row of a piece.
 * @returns rows in order, without unknown words.
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

/**
 * A simple version of SentencePiece's unigram segmentation: memoised recursion over all ways to cut a word. `scores` gives the log
 * probability of a piece.
 * @returns rows in order, without unknown characters and words.
 */
export function cutIntoSentencePieces(
  text: string,
  vocabulary: ReadonlyMap<string, number>,
  scores: ArrayLike<number>,
): readonly number[] {
  const unknown = Math.min(0, ...Array.from(scores)) - 10
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .split(/[^\p{L}\p{N}\p{M}\u200c\u200d]+/u)
  return words.filter(Boolean).flatMap((word) => {
    const characters = Array.from(`▁${word}`)
    const memory = new Map<number, { readonly score: number; readonly rows: readonly number[] }>([
      [characters.length, { score: 0, rows: [] }],
    ])
    for (let start = characters.length - 1; start >= 0; start--) {
      const ways = characters.slice(start).map((_, at) => {
        const row = vocabulary.get(characters.slice(start, start + at + 1).join(''))
        const rest = memory.get(start + at + 1)
        if (rest === undefined) return undefined
        if (row !== undefined) return { score: (scores[row] ?? 0) + rest.score, rows: [row, ...rest.rows] }
        return at === 0 ? { score: unknown + rest.score, rows: rest.rows } : undefined
      })
      // An unknown first character has no alternative. It is kept only if it is not a piece itself.
      const best = ways.filter((way) => way !== undefined).reduce((one, other) => (other.score > one.score ? other : one))
      memory.set(start, best)
    }
    const { rows = [] } = memory.get(0) ?? {}
    return rows.length === 1 && rows[0] === vocabulary.get('▁') ? [] : rows
  })
}
