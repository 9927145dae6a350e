import * as z from 'zod/v4'
import { listTags } from '../../app/list-tags.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { COUNT, listOf, outputSchema, TEXT } from '../definition/output-schema.ts'

export const listTagsTool = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'All tags with how many notes carry them or a tag nested in them, most used first.',
  annotations: READS,
  input: () => ({
    prefix: z.string().optional().describe('Only tags that begin with this, in any case.'),
  }),
  output: outputSchema({ results: listOf({ tag: TEXT, count: COUNT }) }),
  wrap: 'results',
  run: (core, { prefix }, call) => listTags(core, prefix, call),
})
