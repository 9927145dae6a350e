import { completeNode } from '../../app/names/complete-node.ts'
import { readNoteFile } from '../../app/read/read-file.ts'
import type { TemplateResource } from './define-resource.ts'
import { MAX_VALUES } from './max-values.ts'

const KINDS = ['note', 'canvas'] as const

export const nodeResource: TemplateResource = {
  kind: 'node',
  kinds: KINDS,
  title: 'A note',
  description: 'The text of a note as it is in its file, frontmatter included; id is its path in the vault.',
  variable: 'id',
  source: { name: 'get_node' },
  mimeType: 'text/markdown',
  read: readNoteFile,
  complete: async (core, typed, call) => (await completeNode(core, typed, { limit: MAX_VALUES, kinds: KINDS }, call)).value,
}
