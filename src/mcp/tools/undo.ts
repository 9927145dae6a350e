import * as z from 'zod/v4'
import { undoChange } from '../../app/write/undo-change.ts'
import { defineTool } from '../definition/define-tool.ts'
import { CHANGES } from './annotations.ts'
import { OF_CHANGES } from './unredacted.ts'

export const undoTool = defineTool({
  name: 'undo',
  title: 'Undo a change',
  description: 'Takes a whole change back, itself a change. CONFLICT with the difference if a file was edited since.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { change_id: 'place' },
  unredacted: OF_CHANGES,
  input: () => ({ change_id: z.string().describe('From the answer of a change, or list_changes.') }),
  wrap: 'object',
  run: (core, { change_id }, call) => undoChange(core, change_id, call),
})
