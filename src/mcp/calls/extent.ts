import type { Answer, ListFacts, Omitted } from '../../app/graph-core.ts'

type Extent = Pick<Answer<unknown>, 'list' | 'omitted'>

/** How long a list is and where it goes on, and what a budget left out, as an answer's structured content tells them. */
export function extentOf({ list, omitted }: Extent): Readonly<Record<string, unknown>> {
  return {
    ...(list?.counted === 'all' ? { total: list.count } : {}),
    ...(list?.counted === 'relevant' ? { relevant: list.count } : {}),
    ...(list !== undefined && isMore(list) ? { next_offset: endOf(list) } : {}),
    ...(omitted === undefined ? {} : { omitted: omitted.counts }),
  }
}

/** The same in words, for clients that show a model only texts; nothing where the list is whole. */
export function extentSentences({ list, omitted }: Extent): readonly string[] {
  return [...(list === undefined ? [] : listSentences(list)), ...(omitted === undefined ? [] : [omittedSentence(omitted)])]
}

/** Where a list goes on, if it does; `offset` is how that is asked for. */
export function listSentences(list: ListFacts, offsetBy = 'offset '): readonly string[] {
  const { offset, shown } = list
  if (isMore(list)) {
    const which = offset === 0 ? `${shown}` : `${offset + 1}–${endOf(list)}`
    return [`More: ${which} of ${countOf(list)}; go on with ${offsetBy}${endOf(list)}.`]
  }
  return offset > 0 && shown === 0 ? [`Nothing at offset ${offset}: there are ${countOf(list)}.`] : []
}

function countOf({ count, counted }: ListFacts): string {
  if (counted === 'all') return `${count}`
  return counted === 'relevant' ? `${count} relevant enough` : `at least ${count}`
}

function isMore(list: ListFacts): boolean {
  return endOf(list) < list.count
}

function endOf({ offset, shown }: ListFacts): number {
  return offset + shown
}

function omittedSentence({ maxTokens, counts }: Omitted): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  return `Left out for max_tokens ${maxTokens}: ${parts.join(', ')}.`
}
