import * as z from 'zod/v4'
import { createFolder } from '../../app/write/create-folder.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { outputSchema, TEXT } from '../definition/output-schema.ts'
import { ENSURES } from './annotations.ts'
import { dryRun } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const createFolderTool = defineOperation({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Makes an empty folder. Not needed before create_node or move_node.',
  needs: 'tools.write',
  annotations: ENSURES,
  names: { path: 'place' },
  unredacted: new Set([...OF_CHANGES, 'path']),
  input: () => ({ path: z.string().describe('Path in the vault.'), dry_run: dryRun() }),
  output: outputSchema({ path: TEXT, change_id: TEXT, plan_id: TEXT }),
  wrap: 'object',
  operation: ({ path }) => ({ kind: 'createFolder' as const, path }),
  run: createFolder,
})
