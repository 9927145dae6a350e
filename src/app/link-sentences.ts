import type { NodeId } from '../core/ids.ts'
import type { Occurrence } from '../core/store.ts'
import type { NoteText } from '../core/texts.ts'
import { sentenceAt } from '../markdown/sentences.ts'
import { type Reading, readTexts } from './texts.ts'

/** What stands around links. */
export interface LinkSentences {
  /** The sentence that holds the link; empty where the text is not at hand, or is of another version. */
  of(occurrence: Occurrence): string
  /** Notes whose files do not answer. */
  readonly unread: readonly NodeId[]
}

/** Reads the sentences of links of one snapshot, and compares these other notes with it, too. */
export async function readLinkSentences(
  reading: Reading,
  occurrences: readonly Occurrence[],
  others: readonly NodeId[] = [],
): Promise<LinkSentences> {
  const sources = occurrences.map(({ from }) => from)
  const { texts, unread, changed } = await readTexts(reading, [...new Set([...sources, ...others])])
  return {
    of(occurrence) {
      // Places of one generation are not looked up in texts of another, nor those of one version in another.
      const isOther = reading.snapshot.isMixed || changed.has(occurrence.from)
      const source = isOther ? undefined : texts.get(occurrence.from)
      return source === undefined ? '' : sentenceOf(source, occurrence)
    },
    unread,
  }
}

/** The sentence that holds a link. A sentence of the body never reaches up into the frontmatter. */
export function sentenceOf({ text, bodyStart }: NoteText, { start, end }: Pick<Occurrence, 'start' | 'end'>): string {
  return start < bodyStart ? sentenceAt(text, start, end) : sentenceAt(text.slice(bodyStart), start - bodyStart, end - bodyStart)
}
