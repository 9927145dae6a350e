import { writeNode } from '../../app/write/write-node.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { SETS } from './annotations.ts'
import { dryRun, nodeId, tags } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const manageTagsTool = defineOperation({
  name: 'manage_tags',
  title: 'Add and remove tags',
  description: "Adds and removes tags in a note's frontmatter, the others stay. For all notes use rename_tag.",
  needs: 'tools.write',
  annotations: SETS,
  names: { id: 'note' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: nodeId('Note'),
    add: tags().default([]).describe('Tags to add.'),
    remove: tags().default([]).describe('Tags to remove.'),
    dry_run: dryRun(),
  }),
  wrap: 'node',
  operation: ({ id, add, remove }) => ({ kind: 'manageTags' as const, id, add, remove }),
  run: writeNode,
})
