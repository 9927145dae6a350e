import * as z from 'zod/v4'
import { rename } from '../../app/write/rename.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { CHANGES } from './annotations.ts'
import { dryRun, headingPath, nodeId } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const renameHeadingTool = defineOperation({
  name: 'rename_heading',
  title: 'Rename a heading',
  description: 'Gives a heading another text; every link to it follows.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { id: 'note' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: nodeId('Note'),
    heading: headingPath('Headings from the outside in, as far as needed.'),
    to: z.string().describe('New text, without "#".'),
    dry_run: dryRun(),
  }),
  wrap: 'object',
  operation: ({ id, heading, to }) => ({ kind: 'renameHeading' as const, id, heading, to }),
  run: rename,
})
