import * as z from 'zod/v4'
import { readAttachment } from '../../app/write/read-attachment.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { attachmentId } from './parameters.ts'
import { OF_ATTACHMENTS } from './unredacted.ts'

export const readAttachmentTool = defineTool({
  name: 'read_attachment',
  title: 'Read an attachment',
  description:
    'Shows a picture (up to 5 MB); of any other file the bytes as base64, page by page: go on with offset = next_offset. null if there is none.',
  needs: 'tools.attach',
  annotations: READS,
  names: { id: 'note' },
  unredacted: OF_ATTACHMENTS,
  input: () => ({
    id: attachmentId(),
    offset: z.int().min(0).default(0).describe('Bytes to skip.'),
    max_bytes: z
      .int()
      .min(1)
      .max(5_242_880)
      .optional()
      .describe('Maximum bytes, 16384 if absent; with it pictures are base64, too.'),
  }),
  wrap: 'object',
  run: (core, { max_bytes, ...args }, call) => readAttachment(core, { ...args, maxBytes: max_bytes }, call),
})
