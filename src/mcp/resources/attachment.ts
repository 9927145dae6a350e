import { completeNode } from '../../app/names/complete-node.ts'
import { readAttachmentFile } from '../../app/read/read-file.ts'
import type { TemplateResource } from './define-resource.ts'
import { MAX_VALUES } from './max-values.ts'

const KINDS = ['attachment', 'canvas'] as const

export const attachmentResource: TemplateResource = {
  kind: 'attachment',
  kinds: KINDS,
  title: 'An attachment',
  description: 'A file of the vault that is no note, up to 5 MB: text as text, anything else as bytes.',
  variable: 'path',
  source: { name: 'read_attachment', needs: 'tools.attach' },
  read: readAttachmentFile,
  complete: async (core, typed, call) => (await completeNode(core, typed, { limit: MAX_VALUES, kinds: KINDS }, call)).value,
}
