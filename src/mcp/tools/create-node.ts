import * as z from 'zod/v4'
import { writeNode } from '../../app/write/write-node.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { CREATES } from './annotations.ts'
import { dryRun, properties, relations, tags } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const createNodeTool = defineOperation({
  name: 'create_node',
  title: 'Create a note',
  description: 'Creates a note; folders are made as needed. NODE_EXISTS if there is one: then use update_node.',
  needs: 'tools.write',
  annotations: CREATES,
  names: { id: 'place', relations: 'targets' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: z.string().describe('Path in the vault, ending in .md; lowercased outside Obsidian, Foam and Logseq.'),
    content: z.string().describe('Markdown.'),
    title: z.string().optional().describe("Title, where it is not the file's name."),
    tags: tags().default([]).describe('Tags.'),
    properties: properties('Frontmatter.'),
    relations: relations(),
    dry_run: dryRun(),
  }),
  wrap: 'node',
  operation: ({ dry_run: _, ...args }) => defined({ kind: 'create' as const, ...args }),
  run: writeNode,
})
