import type { RouxError } from '../../core/errors.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import type { Query, QueryPart } from './query.ts'
import { readTerm } from './read-term.ts'
import { findField, queryError, readToken, type SyntaxProblem, type Token } from './read-token.ts'

/**
 * Parses the syntax in `docs/query.md` in linear time.
 * @param now the reference time for `day-7`, `week` etc., in the local time zone
 * @throws RouxError `INVALID_PARAMS` with the column, the marked position and a hint
 */
export function parseQuery(text: string, now: Date): Query {
  if (text.trim() === '') return { kind: 'all' }
  return new Parser(text, now).parse()
}

/** The depth is limited, because the parser is recursive. */
const MAX_DEPTH = 50

/** The maximum number of sets. More are hard to understand, and match most of a vault. */
const MAX_SETS = 3

const SETS = ['links', 'linkedfrom'] as const

/** A recursive descent parser with one token of lookahead. */
class Parser {
  readonly #text: string
  readonly #now: Date
  #token: Token
  #previous: Token
  #depth = 0
  #sets = 0

  constructor(text: string, now: Date) {
    this.#text = text
    this.#now = now
    this.#token = readToken(text, 0)
    this.#previous = this.#token
  }

  parse(): Query {
    if (this.#token.kind === 'end')
      throw this.#error({
        at: this.#text.search(/\S/),
        problem: 'it contains no word',
        hint: 'Punctuation alone cannot be searched: write a word, a #tag or a field such as title:word.',
      })
    const query = this.#alternatives()
    if (this.#isAt('close')) throw this.#unopened(this.#token.span.start)
    return query
  }

  #alternatives(): QueryPart {
    const parts: [QueryPart, ...QueryPart[]] = [this.#conjunction()]
    while (this.#token.kind === 'or') {
      this.#advance()
      parts.push(this.#conjunction())
    }
    return join('or', parts)
  }

  #conjunction(): QueryPart {
    const parts: [QueryPart, ...QueryPart[]] = [this.#factor()]
    for (;;) {
      const { kind } = this.#token
      if (kind === 'or' || kind === 'close' || kind === 'end') return join('and', parts)
      if (kind === 'and') this.#advance()
      parts.push(this.#factor())
    }
  }

  #factor(): QueryPart {
    const token = this.#token
    if (token.kind !== 'minus' && token.kind !== 'not') return this.#primary()
    this.#advance()
    const { kind, span } = this.#token
    if (kind === 'minus' || kind === 'not')
      throw this.#error({
        at: token.span.start,
        problem: 'this is negated twice',
        hint: 'Remove one or both of them. To search for text with dashes, put it in quotes: "--verbose".',
      })
    if (token.kind === 'minus' && (span.start > token.span.end || kind === 'end' || kind === 'close'))
      throw this.#error({
        at: token.span.start,
        problem: '"-" stands alone',
        hint: 'Write it directly before a term to exclude, as in -draft or -#done, or remove it.',
      })
    const part = this.#primary()
    return { kind: 'not', part, span: { start: token.span.start, end: part.span.end } }
  }

  #primary(): QueryPart {
    const token = this.#token
    if (token.kind === 'open') return this.#group(token.span)
    if (token.kind !== 'text' && token.kind !== 'named' && token.kind !== 'field') throw this.#missing(token)
    if (token.kind === 'field' && this.#text[token.span.end] === '(') {
      const field = SETS.find((name) => name === findField(token.name))
      if (field !== undefined && token.operator === '' && token.value.text === '') return this.#set(field, token.span)
    }
    const term = readTerm(token, { text: this.#text, now: this.#now })
    this.#advance()
    return term
  }

  #set(field: (typeof SETS)[number], { start }: TextRange): QueryPart {
    if (++this.#sets > MAX_SETS)
      throw this.#error({
        at: start,
        problem: `sets are nested more than ${MAX_SETS} deep`,
        hint: `First find the notes in the inner set, then name them: ${field}:"a note".`,
      })
    this.#advance()
    const part = this.#group(this.#token.span)
    this.#sets--
    return { kind: 'set', field, part, span: { start, end: part.span.end } }
  }

  #group({ start }: TextRange): QueryPart {
    if (++this.#depth > MAX_DEPTH)
      throw this.#error({
        at: start,
        problem: `groups are nested more than ${MAX_DEPTH} deep`,
        hint: 'Remove redundant parentheses: (a (b c)) is a b c.',
      })
    this.#advance()
    if (this.#token.kind === 'close')
      throw this.#error({
        at: start,
        problem: 'there is nothing between the parentheses',
        hint: 'Write the conditions of the group, as in (cat OR dog), or put the text in quotes.',
      })
    const inner = this.#token.kind === 'end' ? undefined : this.#alternatives()
    if (inner === undefined || !this.#isAt('close'))
      throw this.#error({
        at: start,
        problem: '"(" is not closed',
        hint: 'Close the group with ")", or put the text in quotes.',
      })
    const span = { start, end: this.#token.span.end }
    this.#depth--
    this.#advance()
    return { ...inner, span }
  }

  #missing(token: Token): RouxError {
    const { kind, span } = token.kind === 'or' || token.kind === 'and' ? token : this.#previous
    if (kind !== 'or' && kind !== 'and' && kind !== 'not') return this.#unopened(token.span.start)
    const word = kind.toUpperCase()
    const problem = kind === 'not' ? 'nothing follows NOT' : `${word} needs a condition on both sides`
    const example = kind === 'not' ? 'cat NOT dog' : `cat ${word} dog`
    return this.#error({
      at: span.start,
      problem,
      hint: `Write ${example}; to search for the word, put it in quotes: "${word}".`,
    })
  }

  #unopened(at: number): RouxError {
    return this.#error({
      at,
      problem: '")" has no matching "("',
      hint: 'Remove it, or put the text in quotes.',
    })
  }

  #error(flaw: SyntaxProblem): RouxError {
    return queryError(this.#text, flaw)
  }

  #isAt(kind: Token['kind']): boolean {
    return this.#token.kind === kind
  }

  #advance(): void {
    this.#previous = this.#token
    this.#token = readToken(this.#text, this.#token.span.end)
  }
}

/** Joins parts and flattens those of the same kind: `(a b) c` becomes `a b c`. */
function join(kind: 'and' | 'or', parts: readonly [QueryPart, ...QueryPart[]]): QueryPart {
  const [first] = parts
  const last = parts.at(-1) ?? first
  if (parts.length === 1) return first
  const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  return { kind, parts: flat, span: { start: first.span.start, end: last.span.end } }
}
