import type { RouxError } from '../../core/errors.ts'
import { FEATURES, TASK_STATES } from '../../core/query.ts'
import { FIELD_NAMES, type FieldName, findField, nearestOf } from './fields.ts'
import type { Term, TimeField } from './query.ts'
import { queryError, shown } from './query-error.ts'
import { readTag } from './read-tag.ts'
import { type FieldToken, readTime } from './read-time.ts'
import { plainText, QUOTE_IT, type Reading, readWords, requireText } from './read-value.ts'

/** The condition of `name:value`. @throws `INVALID_PARAMS` for an unknown field or an invalid value */
export function readField(token: FieldToken, reading: Reading): Term {
  const { value, span } = token
  const field = findField(token.name)
  if (field === undefined) throw unknownField(token, reading)
  const time = TIMES[field]
  if (time !== undefined) return readTime(token, time, reading)
  refuseOperator(token, reading)
  switch (field) {
    case 'title':
      requireText(value, reading, TITLE)
      return { kind: 'title', ...readWords(value, reading), span }
    case 'path':
      return { kind: 'path', text: plainText(requireText(value, reading, PATH), reading), span }
    case 'type':
      return { kind: 'type', value: plainText(requireText(value, reading, TYPE), reading), span }
    case 'tag':
      return { kind: 'tag', name: readTag(value, reading), span }
    case 'links':
    case 'linkedfrom':
      return { kind: field, title: plainText(requireText(value, reading, noteOf(field)), reading), span }
    case 'community':
      return { kind: 'community', id: plainText(requireText(value, reading, COMMUNITY), reading), span }
    case 'task':
      return { kind: 'task', state: readWord(token, reading, { field, words: TASK_STATES }), span }
    default:
      return { kind: 'has', feature: readWord(token, reading, { field: 'has', words: FEATURES }), span }
  }
}

const TIMES: { readonly [field in FieldName]?: TimeField } = {
  created: 'created',
  dateCreated: 'created',
  modified: 'modified',
  dateModified: 'modified',
}

const TITLE = { what: 'the text after title:', hint: 'Write it without a blank: title:word or title:"two words".' }
function noteOf(field: string) {
  return {
    what: `the note after ${field}:`,
    hint: `Write its title or its path, without a blank: ${field}:Home or ${field}:"folder/My note".`,
  }
}

const PATH = {
  what: 'the text after path:',
  hint: 'Write a part of the folder or file name, without a blank: path:journal/2024 or path:"Daily notes".',
}
const COMMUNITY = {
  what: 'the id after community:',
  hint: 'Write an id that map answers: community:c4, or community:c4.2 for a part of it.',
}
const TYPE = { what: 'the text after type:', hint: 'Write what the property "type" says, without a blank: type:person.' }

function refuseOperator({ operator, value }: FieldToken, reading: Reading): void {
  if (operator === '') return
  const hint = 'Leave it out. Compared are created: and modified:, as in modified:>2024-01-31, and properties, as in #rating>=4.'
  throw queryError(reading.text, {
    at: value.span.start - operator.length,
    problem: `only dates can be compared by ${shown(operator)}`,
    hint,
  })
}

function unknownField({ name, span }: FieldToken, reading: Reading): RouxError {
  const near = nearestOf(name, FIELD_NAMES)
  const written = shown(reading.text.slice(span.start, span.end).replace(/["“”„]/g, ''))
  return queryError(reading.text, {
    at: span.start,
    problem: `there is no field ${shown(name)}${near === undefined ? '' : `, did you mean ${near}`}`,
    hint: `There are ${FIELD_NAMES.join(', ')}. ${QUOTE_IT}: ${written}.`,
    ...(near === undefined ? {} : { candidates: [near] }),
  })
}

/** One of the words that a field knows, in any case. */
function readWord<Word extends string>(
  { value }: FieldToken,
  reading: Reading,
  { field, words }: { readonly field: string; readonly words: readonly Word[] },
): Word {
  const wanted = value.text.toLowerCase()
  const word = words.find((name) => name === wanted)
  if (word !== undefined) return word
  const near = nearestOf(wanted, words)
  const problem =
    wanted === ''
      ? `the word after ${field}: is missing`
      : `${field}: does not know ${shown(value.text)}${near === undefined ? '' : `, did you mean ${near}`}`
  const hint = `Write one of ${words.map((name) => `${field}:${name}`).join(', ')}.`
  throw queryError(reading.text, { at: value.span.start, problem, hint, ...(near === undefined ? {} : { candidates: [near] }) })
}
