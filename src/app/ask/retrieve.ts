import { findHidden, type Passage, spansWithin, visibleText } from '../../ai/prompt.ts'
import { lineBreaks } from '../../ai/source.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Heading } from '../../core/note.ts'
import { estimateTokens } from '../../core/text/estimate-tokens.ts'
import type { NoteText } from '../../core/texts.ts'
import { headingPathAt } from '../../search/chunks.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import type { SearchArguments } from '../find/search.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findPack } from '../insight/context-pack.ts'
import type { PlacedPassage } from '../insight/pack-passages.ts'
import { requireNamed, unknownNodeError } from '../names/known-node.ts'
import { readableSource, requireText, shownText } from '../read/texts.ts'

export interface FoundPassage extends Passage {
  readonly id: NodeId
  readonly path: string
  readonly hash: string
  /** All headings of the passage, including later ones, because a passage may span several sections. */
  readonly headings: readonly Heading[]
}

export interface RetrieveArguments extends Pick<SearchArguments, 'query' | 'folder' | 'tag' | 'relevance'> {
  readonly noteId?: string | undefined
  readonly room: number
}

/**
 * Returns passages for a question, best first. If the question is about one note that fits, the whole note is returned.
 * @throws RouxError `NODE_NOT_FOUND`
 */
export async function retrieve(core: GraphCore, args: RetrieveArguments, call: Call): Promise<Answer<readonly FoundPassage[]>> {
  const { room, noteId, ...where } = args
  const whole = noteId === undefined ? undefined : await wholeNote(core, noteId, call)
  if (whole !== undefined && estimateTokens(whole.text) <= room) return plain([whole])
  const pack = await findPack(core, whole === undefined ? where : { ...where, note: whole.id, relevance: 'loose' }, call)
  const hiddenIn = commentsBySource()
  return { value: pack.value.flatMap((passage) => toFound(passage, hiddenIn)), warnings: pack.warnings }
}

interface ReadPassage extends Pick<PlacedPassage, 'node' | 'source'> {
  readonly place: Pick<PlacedPassage['place'], 'start' | 'end' | 'startLine'>
}

type HiddenIn = (source: NoteText, text: string) => ReturnType<typeof findHidden>

function commentsBySource(): HiddenIn {
  const hiddenByNote = new Map<NoteText, ReturnType<typeof findHidden>>()
  return (source, text) => {
    const hidden = hiddenByNote.get(source) ?? findHidden(text)
    hiddenByNote.set(source, hidden)
    return hidden
  }
}

function toFound({ node, source, place }: ReadPassage, hiddenIn: HiddenIn): readonly FoundPassage[] {
  const { id, title, path } = node
  // `ai.deny` cannot be checked for a note without a path, so no text is returned.
  if (path === undefined) return []
  const whole = readableSource(node, source).text
  const part = whole.slice(place.start, place.end)
  const blankLines = /^(?:[ \t]*\n)*/.exec(part)?.[0] ?? ''
  const start = place.start + blankLines.length
  const text = shownText(node, part.slice(blankLines.length).trimEnd())
  const hidden =
    node.kind === 'canvas' ? findHidden(text) : spansWithin(hiddenIn(source, whole), { start, end: start + text.length })
  if (visibleText({ text, hidden }).trim() === '') return []
  const startLine = place.startLine + lineBreaks(blankLines)
  const endLine = startLine + lineBreaks(part.slice(blankLines.length).trimEnd())
  const heading = headingPathAt(node.headings, startLine)
  return [{ id, path, title, heading, startLine, endLine, text, hidden, hash: source.hash, headings: node.headings }]
}

async function wholeNote(core: GraphCore, noteId: string, call: Call): Promise<FoundPassage> {
  const { value } = await answer(core, call, async (snapshot) => {
    const { id } = await requireNamed(snapshot, core, noteId)
    const [[node], [version]] = await Promise.all([snapshot.nodes([id], { links: 0 }), snapshot.versions([id])])
    const source = await requireText({ core, snapshot, call }, id)
    // A note that the vault hides must not be sent to a model.
    if (node === undefined || node.excluded || version === undefined || source === undefined)
      throw await unknownNodeError(snapshot, noteId)
    const place = { start: 0, end: source.text.length, startLine: 1 }
    const [cards] = node.kind === 'canvas' ? toFound({ node, source, place }, commentsBySource()) : []
    if (cards !== undefined) return plain(cards)
    const { text, hash } = source
    const endLine = text.split('\n').length
    const { title, headings } = node
    const hidden = findHidden(text)
    return plain({ id, path: version.path, title, heading: [], startLine: 1, endLine, text, hidden, hash, headings })
  })
  return value
}
