import * as z from 'zod/v4'
import { mergeResolved } from '../../app/answer/merge.ts'
import { resolveNodes } from '../../app/names/resolve-nodes.ts'
import { valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { path, tag } from './parameters.ts'

export const resolveNodesTool = defineTool({
  name: 'resolve_nodes',
  title: 'Names to ids',
  description: 'Ids of notes by title or alias, many at once, typos allowed.',
  annotations: READS,
  names: { path: 'place' },
  searchReadiness: ({ strategy }) => (strategy === 'semantic' ? 'meaning' : undefined),
  input: () => ({
    names: z.array(z.string()).describe('Up to 1,000.'),
    strategy: z
      .enum(['exact', 'fuzzy', 'semantic'])
      .default('fuzzy')
      .describe('fuzzy: also similar spelling; semantic: by meaning.'),
    threshold: z.number().min(0).max(1).default(0.7).describe('Least similarity.'),
    tag: tag(),
    path: path(),
  }),
  wrap: 'results',
  reach: { kind: 'all', merge: (answers) => mergeResolved(valuesOf(answers)) },
  run: resolveNodes,
})
