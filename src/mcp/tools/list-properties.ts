import * as z from 'zod/v4'
import { listProperties } from '../../app/list-properties.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { limit, offset } from './parameters.ts'

export const listPropertiesTool = defineTool({
  name: 'list_properties',
  title: 'List properties',
  description: 'Property keys with how many notes have them and kinds of values; with key its values.',
  annotations: READS,
  input: () => ({
    key: z.string().optional().describe('Values of this.'),
    prefix: z.string().optional().describe('Only what begins with this.'),
    limit: limit(1000, 50),
    offset: offset(),
  }),
  wrap: 'object',
  run: listProperties,
})
