import * as z from 'zod/v4'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, nodeId, relevance, tag } from './parameters.ts'

export const askTool = defineTool({
  name: 'ask',
  title: 'Ask a model about the notes',
  description:
    "Another model, the user's own, answers from the notes, with verified citations (they prove where, not that it follows). Slower than search, which lets you answer yourself.",
  annotations: { ...READS, idempotentHint: false, openWorldHint: true },
  names: { note_id: 'note', folder: 'place' },
  byModel: true,
  searchReadiness: () => 'meaning',
  input: () => ({
    question: z.string().min(1).max(4_000).describe('The question.'),
    note_id: nodeId('Only this note').optional(),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    history: z
      .array(z.strictObject({ question: z.string().max(4_000), answer: z.string().max(20_000) }))
      .max(6)
      .default([])
      .describe('What was asked before.'),
  }),
  wrap: 'object',
  run: async (core, { note_id, ...args }, call) => {
    // Where it is off nothing of it is evaluated.
    const { ask } = await import('../../app/ask/ask.ts')
    return await ask(core, { ...args, noteId: note_id }, call)
  },
})
