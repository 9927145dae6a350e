import type { PhraseWord, WordField, WordTerm } from '../../core/query.ts'
import { DEFAULT_SCORING } from '../../search/words/rank.ts'
import { stemsOf } from '../../search/words/stem.ts'

export interface WordLookup extends Pick<WordTerm, 'form' | 'match'> {
  readonly languages: readonly string[]
}

function quote(word: string): string {
  return `"${word.replace(/["\\]/g, '\\$&')}"`
}

function escaped(word: string): string {
  return word.replace(/[^\p{L}\p{N}\p{M}]/gu, '\\$&')
}

function inField(field: 'title' | 'body', { form, match, languages }: WordLookup): string {
  if (match === 'stem') return `${field}Stems:(${stemsOf(form, languages).map(quote).join(' ')})`
  return match === 'form' ? `${field}Forms:${quote(form)}` : `${field}Forms:${escaped(form)}*`
}

export function wordQuery(word: WordLookup, count = 1): string {
  const title = `${inField('title', word)}^${DEFAULT_SCORING.title.weight * count}`
  const body = `${inField('body', word)}^${DEFAULT_SCORING.body.weight * count}`
  return `${title} ${body}`
}

export function nearQuery(word: string): string {
  return `titleForms:${escaped(word)}~1 bodyForms:${escaped(word)}~1`
}

export function fieldQuery(field: WordField, word: WordLookup): string {
  const fields = field === 'title' ? [inField('title', word)] : [inField('title', word), inField('body', word)]
  return fields.join(' ')
}

/** Returns a query that matches the words in any order; `phrasePattern` checks their positions. */
export function phraseQuery(words: readonly PhraseWord[]): string {
  const clauses = words.map(({ form, isPrefix }) => {
    const lookup = { form, match: isPrefix ? 'prefix' : 'form', languages: [] } as const
    return `+(${inField('title', lookup)} ${inField('body', lookup)})`
  })
  return clauses.join(' ')
}

/** Returns a pattern for output of `wordTexts` that contains the words in sequence. */
export function phrasePattern(words: readonly PhraseWord[]): string {
  const others = '(?:[^/ ][^ ]* )*?'
  let at = 0
  let pattern = '(?s).*'
  for (const { form, offset, isPrefix } of words) {
    for (; at < offset; at++) pattern += `/ ${others}`
    pattern += `/ ${others}${patternOf(form)}${isPrefix ? '[^ ]*' : ''} ${others}`
    at = offset + 1
  }
  return `${pattern}/.*`
}

function patternOf(form: string): string {
  return form.replace(/[^\p{L}\p{N}]/gu, (character) => `\\x{${character.codePointAt(0)?.toString(16)}}`)
}
