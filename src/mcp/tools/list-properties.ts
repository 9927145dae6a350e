import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-list.ts'
import { listProperties, type PropertyPage, type ValuePage } from '../../app/read/list-properties.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, page } from './parameters.ts'

const fitKeys = fitMember<'properties', PropertyPage['properties'][number], PropertyPage>('properties')
const fitValues = fitMember<'values', ValuePage['values'][number], ValuePage>('values')

export const listPropertiesTool = defineTool({
  name: 'list_properties',
  title: 'List properties',
  description: 'Property keys with how many notes have them and kinds of values; with key, its values.',
  annotations: READS,
  input: () => ({
    key: z.string().optional().describe('Values of this.'),
    prefix: z.string().optional().describe('Only what begins with this.'),
    ...page(1000, 50),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: {
    tokens: DEFAULT_TOKENS.list,
    fit: (value, room) => ('values' in value ? fitValues(value, room) : fitKeys(value, room)),
  },
  run: listProperties,
})
