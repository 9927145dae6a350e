import { findQuote, quotedText } from '../../ai/verify-quote.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { requireNamed, unknownNodeError } from '../names/known-node.ts'
import { requireText } from '../read/texts.ts'

export interface VerifyArguments {
  readonly id: string
  readonly quote: string
}

/** Location of a quote in a note, if the note contains it. */
export type VerifiedQuote =
  | { readonly found: false }
  | {
      readonly found: true
      /** True if the quote matches word for word. If false, the note has a few additional words within the quote. */
      readonly exact: boolean
      readonly start_line: number
      readonly end_line: number
      /** The note's text at the location of the quote. */
      readonly text: string
    }

/**
 * Looks up a quote in the current text of a note.
 * @throws RouxError `NODE_NOT_FOUND`
 */
export function verifyQuote(
  core: GraphCore,
  { id: written, quote }: VerifyArguments,
  call: Call = {},
): Promise<Answer<VerifiedQuote>> {
  return answer<VerifiedQuote>(core, call, async (snapshot) => {
    const { id } = await requireNamed(snapshot, core, written)
    const source = await requireText({ core, snapshot, call }, id)
    if (source === undefined) throw await unknownNodeError(snapshot, written)
    const found = findQuote(quote, quotedText(source.text))
    if (found === undefined) return { value: { found: false }, warnings: [] }
    const lineAt = (at: number): number => source.text.slice(0, at).split('\n').length
    const { start, end, isExact } = found
    const value = {
      found: true,
      exact: isExact,
      start_line: lineAt(start),
      end_line: lineAt(end),
      text: source.text.slice(start, end),
    } as const
    return { value, warnings: [] }
  })
}
