import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { listChanges } from '../../app/write/list-changes.ts'
import type { OperationRequest } from '../../app/write/operation-runner.ts'
import { applyChanges, createFolder, deleteFile, moveNode, rename, undoChange, writeNode } from '../../app/write/write.ts'
import { MAX_ITEMS, type Violations } from '../calls/invalid-arguments.ts'
import { toolDisabled } from '../calls/tool-result.ts'
import {
  defined,
  defineOperation,
  defineTool,
  dryRun,
  type OperationTool,
  type SwitchedOffBy,
  UNREDACTED,
} from '../definition/define-tool.ts'
import { COUNT, FLAG, listOf, outputSchema, TEXT } from '../definition/schemas.ts'
import { addAttachmentTool, deleteAttachmentTool } from './attachments.ts'
import {
  CHANGES,
  CREATES,
  ENSURES,
  expectedHash,
  headingPath,
  maxTokens,
  nodeName,
  page,
  properties,
  relations,
  SETS,
  tags,
} from './parameters.ts'

const createNodeTool = defineOperation({
  name: 'create_node',
  title: 'Create a note',
  description:
    'Creates a note and any missing folders: "Start a note on rye." Fails with NODE_EXISTS if the note exists: then use update_node.',
  annotations: CREATES,
  names: { id: 'place', relations: 'targets' },
  input: () => ({
    id: z.string().describe('Path in the vault, ending in .md; lowercased if most paths are.'),
    content: z.string().describe('Markdown.'),
    title: z.string().optional().describe('Title, if not the file name.'),
    tags: tags().default([]).describe('Tags.'),
    properties: properties('Frontmatter: {"status": "draft"}.'),
    relations: relations(),
  }),
  wrap: 'node',
  operation: ({ ...args }) => defined({ kind: 'create' as const, ...args }),
  run: writeNode,
})

const updateNodeTool = defineOperation({
  name: 'update_node',
  title: 'Change a note',
  description:
    'Changes parts of a note and keeps the rest: "Add eggs to Shopping." Use append, prepend, replace_text or section rather than replacing all content. A new title renames the file. To change only tags, use manage_tags; to change the folder, move_node.',
  annotations: CHANGES,
  names: { id: 'note', relations: 'targets' },
  input: () => ({
    id: nodeName('Note'),
    title: z.string().optional().describe('New title and file name.'),
    content: z.string().optional().describe('New text for the whole note (without frontmatter) or the section.'),
    tags: tags().optional().describe('Replaces all its tags.'),
    properties: properties('Frontmatter to set; null removes a key.'),
    relations: relations(),
    append: z.string().optional().describe('Text to add at the end.'),
    prepend: z.string().optional().describe('Text to add at the beginning.'),
    replace_text: z
      .strictObject({
        find: z.string().min(1).describe('Exact text.'),
        replace: z.string().describe('Replacement.'),
        count: z.int().min(1).default(1).describe('Expected number of matches.'),
        line: z.int().min(1).optional().describe('Only match text that begins on this line.'),
      })
      .optional()
      .describe('Replaces text in the body.'),
    section: headingPath().optional().describe('Where content goes: headings, outermost first, or one "^block".'),
    mode: z
      .enum(['replace', 'append', 'prepend', 'insert_before', 'insert_after'])
      .default('replace')
      .describe('How content changes the section.'),
    expected_hash: expectedHash(),
    replace_all: z.boolean().default(false).describe('Let content replace text you have not read (hash partial:…).'),
    update_links: z
      .boolean()
      .default(false)
      .describe('Rewrite links when title changes; otherwise any link causes LINK_INTEGRITY.'),
  }),
  wrap: 'node',
  operation: ({ replace_text, expected_hash, replace_all, update_links, ...args }) =>
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

const deleteNodeTool = defineOperation({
  name: 'delete_node',
  title: 'Delete a note',
  description: 'Moves a note to the vault\'s trash: "Delete Old plan." Lists the links this breaks. restore_node brings it back.',
  annotations: SETS,
  names: { id: 'note' },
  input: () => ({ id: nodeName('Note'), expected_hash: expectedHash() }),
  output: outputSchema({ deleted: FLAG, change_id: TEXT }),
  operation: ({ id, expected_hash }) => defined({ kind: 'delete' as const, id, expectedHash: expected_hash }),
  run: deleteFile,
})

const moveNodeTool = defineOperation({
  name: 'move_node',
  title: 'Move or rename a file or folder',
  description:
    'Moves or renames a note, an attachment or a whole folder: "Archive Rye." Updates every link to it and returns each rewritten line.',
  annotations: CHANGES,
  names: { id: 'note or folder', to: 'place' },
  input: () => ({
    id: z.string().describe('Id or title of the note, or path of a file or folder.'),
    to: z.string().describe('New path; case is kept. To move into a folder, give an existing folder or end with "/".'),
    expected_hash: expectedHash(),
  }),
  operation: ({ id, to, expected_hash }) => defined({ kind: 'move' as const, id, to, expectedHash: expected_hash }),
  run: moveNode,
})

const restoreNodeTool = defineOperation({
  name: 'restore_node',
  title: 'Restore a deleted note',
  description: 'Restores a deleted note, byte for byte: "Bring Rye back." If several had this id, restores the latest.',
  annotations: CREATES,
  names: { id: 'place' },
  input: () => ({ id: z.string().describe('Id of the deleted note.') }),
  wrap: 'node',
  operation: ({ id }) => ({ kind: 'restore' as const, id }),
  run: writeNode,
})

const renameHeadingTool = defineOperation({
  name: 'rename_heading',
  title: 'Rename a heading',
  description: 'Renames a heading and updates every link to it: "Rename Costs to Budget."',
  annotations: CHANGES,
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    heading: headingPath('Headings, outermost first; outer ones are optional.'),
    to: z.string().describe('New text, without "#".'),
  }),
  operation: ({ id, heading, to }) => ({ kind: 'renameHeading' as const, id, heading, to }),
  run: rename,
})

const renameTagTool = defineOperation({
  name: 'rename_tag',
  title: 'Rename a tag everywhere',
  description:
    'Renames a tag and its nested tags in the frontmatter and text of all notes: "Rename #todo to #task." For one note, use manage_tags.',
  annotations: CHANGES,
  input: () => ({
    tag: z.string().describe('Tag, with or without "#".'),
    to: z.string().describe('New name.'),
  }),
  operation: ({ tag, to }) => ({ kind: 'renameTag' as const, tag, to }),
  run: rename,
})

const manageTagsTool = defineOperation({
  name: 'manage_tags',
  title: 'Add and remove tags',
  description:
    'Adds or removes tags in a note\'s frontmatter, keeping the others: "Tag Rye as done." To rename a tag everywhere, use rename_tag.',
  annotations: SETS,
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    add: tags().default([]).describe('Tags to add.'),
    remove: tags().default([]).describe('Tags to remove.'),
  }),
  wrap: 'node',
  operation: ({ id, add, remove }) => ({ kind: 'manageTags' as const, id, add, remove }),
  run: writeNode,
})

const createFolderTool = defineOperation({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Creates an empty folder: "Projects/2026". Not needed before create_node or move_node.',
  annotations: ENSURES,
  names: { path: 'place' },
  unredacted: new Set([...UNREDACTED['tools.write'], 'path']),
  input: () => ({ path: z.string().describe('Path in the vault.') }),
  output: outputSchema({ path: TEXT, change_id: TEXT, plan_id: TEXT }),
  operation: ({ path }) => ({ kind: 'createFolder' as const, path }),
  run: createFolder,
})

const cloneNodeTool = defineOperation({
  name: 'clone_node',
  title: 'Show a note in a second folder',
  description: 'Creates a note in another folder that embeds the given note: "Show Rye in Recipes, too."',
  annotations: CREATES,
  names: { id: 'note', folder: 'place' },
  input: () => ({
    id: nodeName('Note'),
    folder: z.string().describe('Folder of the new note; empty for the root.'),
  }),
  wrap: 'node',
  operation: ({ id, folder }) => ({ kind: 'clone' as const, id, folder }),
  run: writeNode,
})

export const OPERATION_TOOLS: readonly OperationTool[] = [
  createNodeTool,
  updateNodeTool,
  deleteNodeTool,
  moveNodeTool,
  restoreNodeTool,
  renameHeadingTool,
  renameTagTool,
  manageTagsTool,
  createFolderTool,
  cloneNodeTool,
  addAttachmentTool,
  deleteAttachmentTool,
]

export interface GivenOperation {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
}

export function violationsIn(operations: readonly GivenOperation[]): Violations {
  return join(readAll(operations).map(({ violations }) => violations))
}

export function operationsOf(operations: readonly GivenOperation[]): readonly Pick<OperationRequest, 'tool' | 'operation'>[] {
  return readAll(operations).flatMap(({ tool, operation }) => (operation === undefined ? [] : [{ tool, operation }]))
}

/** Checks the tools of operations. @throws RouxError `TOOL_DISABLED` if any of them is disabled */
function requireOn(operations: readonly GivenOperation[], switchedOffBy: SwitchedOffBy): void {
  const toolNames = new Set(operations.map(({ tool }) => tool))
  for (const tool of OPERATION_TOOLS.filter(({ name }) => toolNames.has(name))) {
    const setting = switchedOffBy(tool)
    if (setting !== undefined) throw toolDisabled(tool.name, setting)
  }
}

function readAll(operations: readonly GivenOperation[]) {
  let problemCount = 0
  return operations.flatMap(({ tool: name, arguments: args }, at) => {
    const tool = OPERATION_TOOLS.find((operationTool) => operationTool.name === name)
    if (tool === undefined) return []
    const read = tool.read(args, `operations[${at}].arguments`, problemCount)
    problemCount += read.violations.messages.length
    return [{ tool: name, ...read }]
  })
}

function join(all: readonly Violations[]): Violations {
  return {
    messages: all.flatMap(({ messages }) => messages),
    candidates: [...new Set(all.flatMap(({ candidates }) => candidates))],
  }
}

export const applyChangesTool = defineTool({
  name: 'apply_changes',
  title: 'Several changes at once',
  description:
    'Runs several write operations in order, as one atomic change that can be undone: "Tag and move these ten." dry_run shows the diff first. Its plan_id then applies exactly that change, or fails with CONFLICT if a note has changed since.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { plan_id: 'place', operations: (tool) => OPERATION_TOOLS.find(({ name }) => name === tool)?.names },
  input: () => ({
    operations: z
      .array(
        z.strictObject({
          tool: z.enum(OPERATION_TOOLS.map(({ name }) => name)).describe('Name of the tool.'),
          arguments: z.record(z.string(), z.unknown()).describe('Its arguments.'),
        }),
      )
      .min(1)
      .max(MAX_ITEMS)
      .optional()
      .describe('Operations, in order.'),
    dry_run: dryRun(),
    plan_id: z.string().optional().describe('From a dry run; used instead of operations.'),
  }),
  check: ({ operations = [] }, switchedOffBy) => {
    requireOn(operations, switchedOffBy)
    return violationsIn(operations)
  },
  run: (core, { operations = [], dry_run, plan_id }, call) => {
    const requested = operationsOf(operations)
    return applyChanges(core, { operations: requested, dryRun: dry_run, planId: plan_id }, call)
  },
})

export const listChangesTool = defineTool({
  name: 'list_changes',
  title: 'Change history',
  description:
    'Lists changes made with these tools, newest first, with their files and the change_id for undo: "What did you change?"',
  needs: 'tools.write',
  names: { id: 'note or folder' },
  input: () => ({
    ...page(100, 20),
    id: z.string().optional().describe('Only changes to this note, file or folder.'),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({
    results: listOf({
      change_id: TEXT,
      time: TEXT,
      title: TEXT,
      state: TEXT,
      undoes: TEXT,
      files: listOf({ kind: TEXT, path: TEXT, to: TEXT }),
      omitted_files: COUNT,
    }),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: listChanges,
})

export const undoTool = defineTool({
  name: 'undo',
  title: 'Undo a change',
  description:
    'Undoes a whole change: "Take that back." An undo can itself be undone. If a file has changed since, fails with CONFLICT and shows the diff.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { change_id: 'place' },
  input: () => ({ change_id: z.string().describe('From the answer to a change, or list_changes.') }),
  run: (core, { change_id }, call) => undoChange(core, change_id, call),
})
