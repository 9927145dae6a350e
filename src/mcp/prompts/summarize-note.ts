import { getNode } from '../../app/read/get-node.ts'
import { type Prompt, paragraphs, quoteFacts } from './define-prompt.ts'
import { requireNote } from './require-note.ts'

/** Characters of the note that are quoted; the rest is to be asked for. */
const QUOTED = 10_000

export const summarizeNotePrompt: Prompt = {
  definition: {
    name: 'summarize_note',
    title: 'Summarise a note with its sources',
    description: 'What a note says, every statement with the lines or notes that it comes from.',
    arguments: [{ name: 'note', description: 'A note: id, title or alias.', required: true }],
  },
  source: { name: 'get_node' },
  noteArguments: ['note'],
  async text(request) {
    const id = await requireNote(request, 'note')
    const { value: node } = await getNode(request.core, { id, depth: 1, offset: 0, maxChars: QUOTED }, request.call)
    const { content = '', next_offset: next, outline = [], incomingNeighbors = [], outgoingNeighbors = [] } = node ?? {}
    const around = [...incomingNeighbors, ...outgoingNeighbors].map((one) => ({ id: one.id, title: one.title }))
    return paragraphs(
      `Summarise my note ${JSON.stringify(id)} in a few sentences, then in points.`,
      quoteFacts('The note', content),
      next === undefined ? '' : `That is its beginning: get_node with offset ${next} goes on.`,
      quoteFacts('Its headings, with lines', outline),
      quoteFacts('Notes that it links to or that link to it', around),
      'Put behind every point where it comes from: the heading or line in this note, or the id of another. Keep apart what the note says and what you conclude.',
    )
  },
}
