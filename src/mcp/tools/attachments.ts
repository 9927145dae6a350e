import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-members.ts'
import { addAttachment, listAttachments, readAttachment } from '../../app/write/attachments.ts'
import { deleteFile } from '../../app/write/write.ts'
import { defined, defineOperation, defineTool } from '../definition/define-tool.ts'
import { attachmentId, CREATES, expectedHash, maxTokens, nodeName, offset, page, SETS } from './parameters.ts'

export const addAttachmentTool = defineOperation({
  name: 'add_attachment',
  title: 'Add an attachment',
  description:
    'Stores a file (up to 5 MB) in the vault\'s attachment folder: "Keep this photo." Adds a number if the name is taken. Edits no notes; returns the embed to insert.',
  needs: 'tools.attach',
  annotations: CREATES,
  names: { id: 'note or folder' },
  input: () => ({
    id: z.string().describe('Note the file belongs to, or folder to store it in.'),
    filename: z.string().describe('Name with extension.'),
    content: z.string().describe('File content in base64.'),
    mime_type: z.string().optional().describe('Media type, checked against the content.'),
    title: z.string().optional().describe('Display title.'),
  }),
  operation: ({ mime_type, ...args }) => defined({ kind: 'addAttachment' as const, ...args, mimeType: mime_type }),
  run: addAttachment,
})

export const deleteAttachmentTool = defineOperation({
  name: 'delete_attachment',
  title: 'Delete an attachment',
  description: 'Moves an attachment to the vault\'s trash: "Delete photo.png." Lists the links this breaks.',
  needs: 'tools.attach',
  annotations: SETS,
  names: { id: 'note' },
  input: () => ({ id: attachmentId(), expected_hash: expectedHash() }),
  operation: ({ id, expected_hash }) => defined({ kind: 'deleteAttachment' as const, id, expectedHash: expected_hash }),
  run: deleteFile,
})

export const listAttachmentsTool = defineTool({
  name: 'list_attachments',
  title: 'Attachments of a note',
  description:
    'Lists images, PDFs and other files that a note embeds or links to, with type and size: "Which photos are in Rye?" For the whole vault, use list_nodes with kinds ["attachment"].',
  needs: 'tools.attach',
  names: { id: 'note' },
  input: () => ({ id: nodeName('Note'), ...page(100, 50), max_tokens: maxTokens() }),
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('attachments') },
  run: listAttachments,
})

export const readAttachmentTool = defineTool({
  name: 'read_attachment',
  title: 'Read an attachment',
  description:
    'Shows an image (up to 5 MB): "Look at photo.png." Other files are returned as base64, in parts; continue with offset = next_offset until it is null.',
  needs: 'tools.attach',
  names: { id: 'note' },
  input: () => ({
    id: attachmentId(),
    offset: offset('Bytes to skip.'),
    max_bytes: z.int().min(1).max(5_242_880).optional().describe('Default 16384. If set, images are returned as base64, too.'),
  }),
  run: (core, { max_bytes, ...args }, call) => readAttachment(core, { ...args, maxBytes: max_bytes }, call),
})
