import * as z from 'zod/v4'
import { rename } from '../../app/write/rename.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { CHANGES } from './annotations.ts'
import { dryRun } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const renameTagTool = defineOperation({
  name: 'rename_tag',
  title: 'Rename a tag everywhere',
  description: 'Renames a tag and those nested in it in all notes, frontmatter and text. For one note use manage_tags.',
  needs: 'tools.write',
  annotations: CHANGES,
  unredacted: OF_CHANGES,
  input: () => ({
    tag: z.string().describe('Tag, with or without "#".'),
    to: z.string().describe('New name.'),
    dry_run: dryRun(),
  }),
  wrap: 'object',
  operation: ({ tag, to }) => ({ kind: 'renameTag' as const, tag, to }),
  run: rename,
})
