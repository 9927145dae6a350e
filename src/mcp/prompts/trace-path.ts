import { findPath } from '../../app/links/find-path.ts'
import { type Prompt, paragraphs, quoteFacts } from './define-prompt.ts'
import { requireNote } from './require-note.ts'

export const tracePathPrompt: Prompt = {
  definition: {
    name: 'trace_path',
    title: 'Trace a path between two notes',
    description: 'How two notes are connected, and through which sentences.',
    arguments: [
      { name: 'from', description: 'A note: id, title or alias.', required: true },
      { name: 'to', description: 'Another note: id, title or alias.', required: true },
    ],
  },
  source: { name: 'find_path' },
  noteArguments: ['from', 'to'],
  async text(request) {
    const [source, target] = [await requireNote(request, 'from'), await requireNote(request, 'to')]
    const asked = { source, target, direction: 'any', count: 3, avoidHubs: false } as const
    const { value: found } = await findPath(request.core, asked, request.call)
    return paragraphs(
      `Explain how my notes ${JSON.stringify(source)} and ${JSON.stringify(target)} are connected.`,
      found === null
        ? 'No links lead from one to the other.'
        : quoteFacts('The shortest ways over links, each hop with its sentence', found),
      found === null
        ? 'Find out with search and similar_nodes what they have in common all the same, and say between which two notes a link would be worth making.'
        : 'Follow the hops one by one: quote the sentence that makes each link and say what it means for the next. Say which of the ways tells most, and cite notes by id.',
    )
  },
}
