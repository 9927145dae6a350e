import type { Term } from './query.ts'
import { readComparison } from './read-comparison.ts'
import { readField } from './read-field.ts'
import { readTag } from './read-tag.ts'
import type { Token } from './read-token.ts'
import { plainText, type Reading, readName, readWords, requireText } from './read-value.ts'

type TermToken = Extract<Token, { kind: 'text' | 'named' | 'field' }>

/** The condition of a token. @throws `INVALID_PARAMS` when nothing can be looked up for it */
export function readTerm(token: TermToken, reading: Reading): Term {
  switch (token.kind) {
    case 'text':
      return { kind: 'text', ...readWords(token.piece, reading), span: token.span }
    case 'named':
      return token.sigil === '~' ? readRelation(token, reading) : readTagOrProperty(token, reading)
    default:
      return readField(token, reading)
  }
}

type NamedToken = Extract<Token, { kind: 'named' }>

function readTagOrProperty({ name, operator, value, span }: NamedToken, reading: Reading): Term {
  if (operator === undefined || value === undefined) return { kind: 'tag', name: readTag(name, reading), span }
  if (operator !== '=') return { ...readComparison({ name, operator, value }, reading), span }
  // A quoted text is literal: an empty one is a value.
  const text = value.isQuoted ? value.text : plainText(value, reading) || undefined
  return { kind: 'property', name: readName(name, reading), value: text, span }
}

function readRelation({ name, value, span }: NamedToken, reading: Reading): Term {
  const relation = { kind: 'relation', name: readName(name, reading), span } as const
  if (value === undefined) return { ...relation, title: undefined }
  return { ...relation, title: plainText(requireText(value, reading, TITLE), reading) }
}

const TITLE = {
  what: 'the title after "="',
  hint: 'Write the title of the note that the link leads to, ~up="Home", or leave "=" out to find every note with such a link.',
}
