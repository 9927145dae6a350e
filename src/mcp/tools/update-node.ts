import * as z from 'zod/v4'
import { writeNode } from '../../app/write/write-node.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { CHANGES } from './annotations.ts'
import { dryRun, expectedHash, headingPath, nodeId, properties, relations, tags } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const updateNodeTool = defineOperation({
  name: 'update_node',
  title: 'Change a note',
  description:
    'Changes a note; what is not named stays as it is. Prefer append, prepend, replace_text or section to replacing all content. title renames the file. Only to add or remove tags: manage_tags; another folder: move_node.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { id: 'note', relations: 'targets' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: nodeId('Note'),
    title: z.string().optional().describe('New title and file name.'),
    content: z.string().optional().describe('New text of the whole note without frontmatter, or of section.'),
    tags: tags().optional().describe('All tags from now on.'),
    properties: properties('Frontmatter to set; null removes.'),
    relations: relations(),
    append: z.string().optional().describe('Text to add at the end.'),
    prepend: z.string().optional().describe('Text to add at the beginning.'),
    replace_text: z
      .strictObject({
        find: z.string().min(1).describe('Exact text.'),
        replace: z.string().describe('What takes its place.'),
        count: z.int().min(1).default(1).describe('Matches there must be.'),
        line: z.int().min(1).optional().describe('Only a match that begins on this line.'),
      })
      .optional()
      .describe('Replaces find by replace, in the body.'),
    section: headingPath().optional().describe('Where content goes: headings from the outside in, or one "^block".'),
    mode: z
      .enum(['replace', 'append', 'prepend', 'insert_before', 'insert_after'])
      .default('replace')
      .describe('What content does to section.'),
    expected_hash: expectedHash(),
    replace_all: z.boolean().default(false).describe('Content also replaces what you have not read (hash partial:…).'),
    update_links: z.boolean().default(false).describe('Rewrite links when title changes; else LINK_INTEGRITY if there are any.'),
    dry_run: dryRun(),
  }),
  wrap: 'node',
  operation: ({ replace_text, expected_hash, replace_all, update_links, dry_run: _, ...args }) =>
    defined({
      kind: 'update' as const,
      ...args,
      replaceText: replace_text,
      expectedHash: expected_hash,
      replaceAll: replace_all || undefined,
      updateLinks: update_links,
    }),
  run: writeNode,
})
