import type { NodeId } from '../../core/ids.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { unreadWarnings } from '../read/texts.ts'
import { readLinkSentences } from './link-sentences.ts'

/** A sentence that links to a note. */
export interface LinkQuote {
  readonly to: NodeId
  readonly text: string
}

/**
 * Returns one sentence for each note that a given note links to: the first with such a link. Links in comments and properties do
 * not count.
 */
export function linkQuotes(
  core: GraphCore,
  ids: readonly NodeId[],
  call: Call,
): Promise<Answer<readonly (readonly LinkQuote[])[]>> {
  return answer(core, call, async (snapshot) => {
    const links = (await snapshot.linksFrom(ids)).filter(({ inComment, property }) => !inComment && property === undefined)
    const sentences = await readLinkSentences({ core, snapshot, call }, links)
    const quotes = new Map(ids.map((id) => [id, new Map<NodeId, string>()]))
    for (const link of links) {
      const ofNote = quotes.get(link.from)
      if (ofNote !== undefined && !ofNote.has(link.to)) ofNote.set(link.to, sentences.of(link))
    }
    return {
      value: ids.map((id) => [...(quotes.get(id) ?? [])].flatMap(([to, text]) => (text === '' ? [] : [{ to, text }]))),
      warnings: unreadWarnings(sentences.unread),
    }
  })
}
