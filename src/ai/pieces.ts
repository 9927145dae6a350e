import type { TextRange } from '../core/text/link-slots.ts'

/** The emphasis of a piece. All pieces of the same range share one object. */
export interface Wrap {
  readonly type: 'strong' | 'emphasis' | 'delete'
}

export type Piece =
  | { readonly kind: 'text' | 'code' | 'break'; readonly text: string; readonly wraps: readonly Wrap[] }
  | { readonly kind: 'marker'; readonly text: ''; readonly numbers: readonly number[]; readonly place: MarkerPlace }
  | { readonly kind: 'citation'; readonly text: ''; readonly n: number; readonly wraps: readonly Wrap[] }

/** The position of a marker on its line: before text, without text, or anywhere else. */
export type MarkerPlace = 'start' | 'alone' | 'after'

export interface Edit extends TextRange {
  readonly by?: Piece
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}

export function codeLookup(pieces: readonly Piece[]): (start: number, end: number) => boolean {
  const isCode = new Uint8Array(pieces.reduce((sum, { text }) => sum + text.length, 0))
  let at = 0
  for (const { kind, text } of pieces) {
    if (kind === 'code') isCode.fill(1, at, at + text.length)
    at += text.length
  }
  return (start, end) => isCode[start] === 1 && isCode[end - 1] === 1
}

/** Applies sorted edits that do not overlap. Markers in removed spans are kept. */
export function applyEdits(pieces: readonly Piece[], edits: readonly Edit[]): readonly Piece[] {
  const result: Piece[] = []
  let at = 0
  let next = 0
  for (const piece of pieces) {
    if (piece.kind === 'marker' || piece.kind === 'citation') {
      result.push(piece)
      continue
    }
    const end = at + piece.text.length
    let from = at
    for (let edit = edits[next]; edit !== undefined && edit.start < end; edit = edits[++next]) {
      if (edit.start > from) result.push({ ...piece, text: piece.text.slice(from - at, edit.start - at) })
      if (edit.start >= at && edit.by !== undefined) result.push(edit.by)
      from = Math.max(from, Math.min(edit.end, end))
      if (edit.end > end) break
    }
    if (from < end) result.push({ ...piece, text: piece.text.slice(from - at) })
    at = end
  }
  return [...result, ...edits.slice(next).flatMap(({ by }) => by ?? [])]
}

/** Returns an edit that removes the span and the spaces before it, except one between two words. */
export function removal(text: string, { start, end }: TextRange): Edit {
  let from = start
  const after = text.charAt(end)
  const closes = after === '' || /[\s.,;:!?…)\]]/.test(after)
  while (closes && from > 0 && /[ \t]/.test(text.charAt(from - 1))) from--
  const joins = /[\p{L}\p{N}]/u.test(text.charAt(from - 1)) && /[\p{L}\p{N}]/u.test(after)
  return { start: from, end, ...(joins ? { by: { kind: 'text', text: ' ', wraps: [] } } : {}) }
}

export function linesTrimmed(pieces: readonly Piece[]): readonly Piece[] {
  const text = textOf(pieces)
  const spans = [...text.matchAll(/\s+/g)].flatMap(({ 0: space, index }): readonly Edit[] => {
    const end = index + space.length
    if (index === 0 || end === text.length) return [{ start: index, end }]
    const line = space.indexOf('\n')
    return line < 0 || space === '\n'
      ? []
      : [
          { start: index, end: index + line },
          { start: index + line + 1, end },
        ]
  })
  const isCode = codeLookup(pieces)
  return applyEdits(
    pieces,
    spans.filter(({ start, end }) => end > start && !isCode(start, end)),
  )
}
