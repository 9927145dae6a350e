import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { listChanges } from '../../app/write/list-changes.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { COUNT, listOf, outputSchema, TEXT } from '../definition/output-schema.ts'
import { maxTokens, page } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const listChangesTool = defineTool({
  name: 'list_changes',
  title: 'What was changed',
  description: 'What was written through these tools, newest first, with files and the change_id for undo.',
  needs: 'tools.write',
  annotations: READS,
  names: { id: 'note or folder' },
  unredacted: OF_CHANGES,
  input: () => ({
    ...page(100, 20),
    id: z.string().optional().describe('Only changes of this note, file or folder.'),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({
    results: listOf({
      change_id: TEXT,
      time: TEXT,
      title: TEXT,
      state: TEXT,
      undoes: TEXT,
      files: listOf({ kind: TEXT, path: TEXT, to: TEXT }),
      omitted_files: COUNT,
    }),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: listChanges,
})
