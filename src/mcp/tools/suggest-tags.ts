import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitTags } from '../../app/answer/fit-tags.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { limit, nodeId, relevance } from './parameters.ts'

export const suggestTagsTool = defineTool({
  name: 'suggest_tags',
  title: 'Tags and folders for a note',
  description: 'Tags in use and folders that suit a note, by those nearest to it. operation: for apply_changes.',
  annotations: READS,
  names: { id: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ id: nodeId('The note'), limit: limit(10, 5), relevance: relevance() }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitTags },
  run: async (core, args, call) => {
    // It compares words as citations are checked: what does that is evaluated when it is asked for.
    const { suggestTags } = await import('../../app/find/suggest-tags.ts')
    return await suggestTags(core, args, call)
  },
})
