import * as z from 'zod/v4'
import { addAttachment } from '../../app/write/add-attachment.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { CREATES } from './annotations.ts'
import { dryRun } from './parameters.ts'
import { OF_ATTACHMENTS } from './unredacted.ts'

export const addAttachmentTool = defineOperation({
  name: 'add_attachment',
  title: 'Add an attachment',
  description:
    'Puts a file (up to 5 MB) where the vault keeps attachments of its note; a name that is taken gets a number. No note is edited: the answer says what to write there to show it.',
  needs: 'tools.attach',
  annotations: CREATES,
  names: { id: 'note or folder' },
  unredacted: OF_ATTACHMENTS,
  input: () => ({
    id: z.string().describe('Note that it is for, or folder to put it into.'),
    filename: z.string().describe('Name with ending.'),
    content: z.string().describe('Base64.'),
    mime_type: z.string().optional().describe('Media type; checked against the bytes.'),
    title: z.string().optional().describe('Title to show.'),
    dry_run: dryRun(),
  }),
  wrap: 'object',
  operation: ({ mime_type, dry_run: _, ...args }) => defined({ kind: 'addAttachment' as const, ...args, mimeType: mime_type }),
  run: addAttachment,
})
