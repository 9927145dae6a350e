import type { NodeId } from '../../core/ids.ts'
import type { Occurrence } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import { type CanvasText, readCanvasNodes, sourceOffsets } from '../../markdown/json-canvas/canvas-json.ts'
import { paragraphAt, sentenceAt } from '../../markdown/prose/sentences.ts'
import { answer, type Call } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { type ReadingContext, readTexts, unreadWarnings } from '../read/texts.ts'

export interface LinkSentences {
  of(occurrence: Occurrence): string
  /** Returns the paragraph if it is short, and otherwise the sentence. The offset is `undefined` if the text is not available. */
  around(occurrence: Occurrence): LinkText
  readonly unread: readonly NodeId[]
  readonly paths: ReadonlyMap<NodeId, string>
}

interface OtherNotes {
  readonly named?: readonly NodeId[]
  readonly placed?: readonly NodeId[]
}

export interface LinkText {
  readonly text: string
  readonly start: number | undefined
}

const NO_TEXT: LinkText = { text: '', start: undefined }

export async function readLinkSentences(
  reading: ReadingContext,
  occurrences: readonly Occurrence[],
  { named = [], placed = [] }: OtherNotes = {},
): Promise<LinkSentences> {
  const sources = occurrences.map(({ from }) => from)
  const { texts, unread, changed, paths } = await readTexts(reading, [...new Set([...sources, ...named])], placed)
  const sourceOf = ({ from }: Occurrence): NoteText | undefined => {
    // The offsets are only valid for one version of the text.
    const isOther = reading.snapshot.isMixed || changed.has(from)
    return isOther ? undefined : texts.get(from)
  }
  const canvases = new Map<NodeId, readonly CanvasText[]>()
  const stringsOf = (id: NodeId, file: string): readonly CanvasText[] => {
    const canvasTexts = canvases.get(id) ?? canvasStrings(file)
    canvases.set(id, canvasTexts)
    return canvasTexts
  }
  const textAt = (occurrence: Occurrence, find: typeof paragraphAt): LinkText => {
    const source = sourceOf(occurrence)
    if (source === undefined) return NO_TEXT
    if (!CANVAS.test(occurrence.from)) return textAround(source, occurrence, find)
    return cardTextAt(source.text, stringsOf(occurrence.from, source.text), { occurrence, find })
  }
  return {
    of: (occurrence) => textAt(occurrence, (...place) => ({ text: sentenceAt(...place), start: 0 })).text,
    around: (occurrence) => textAt(occurrence, paragraphAt),
    unread,
    paths,
  }
}

export function sentenceOf(source: NoteText, place: Pick<Occurrence, 'start' | 'end'>): string {
  return textAround(source, place, (...at) => ({ text: sentenceAt(...at), start: 0 })).text
}

/** Returns the text around a link. For a link in the body, frontmatter is left out. */
function textAround(
  { text, bodyStart }: NoteText,
  { start, end }: Pick<Occurrence, 'start' | 'end'>,
  find: typeof paragraphAt,
): LinkText {
  if (start < bodyStart) return find(text, start, end)
  const paragraph = find(text.slice(bodyStart), start - bodyStart, end - bodyStart)
  return { text: paragraph.text, start: bodyStart + paragraph.start }
}

const CANVAS = /\.canvas$/i

function canvasStrings(file: string): readonly CanvasText[] {
  const read = readCanvasNodes(file)
  return 'malformed' in read ? [] : read.nodes.flatMap((node) => [node.text ?? [], node.file ?? []].flat())
}

/** Returns the file name for a card that shows a file. */
function cardTextAt(
  file: string,
  strings: readonly CanvasText[],
  { occurrence: { start, end }, find }: { readonly occurrence: Occurrence; readonly find: typeof paragraphAt },
): LinkText {
  const card = strings.find((string) => string.start <= start && end <= string.end)
  if (card === undefined) return NO_TEXT
  const { value } = card
  const sourceOf = sourceOffsets(file, card)
  let from = 0
  while (from < value.length && sourceOf(from) < start) from++
  let to = from
  while (to < value.length && sourceOf(to) < end) to++
  const paragraph = find(value, from, to)
  return { text: paragraph.text, start: card.start + paragraph.start }
}

export interface LinkQuote {
  readonly to: NodeId
  readonly text: string
}

/** Returns the first linking sentence for each linked note. Links in comments and properties are skipped. */
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
