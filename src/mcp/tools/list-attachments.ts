import { listAttachments } from '../../app/write/list-attachments.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { limit, nodeId, offset } from './parameters.ts'
import { OF_ATTACHMENTS } from './unredacted.ts'

export const listAttachmentsTool = defineTool({
  name: 'list_attachments',
  title: 'Attachments of a note',
  description:
    'Images, PDFs and other files that a note embeds or links to, with type and size. For all in the vault: list_nodes with kinds ["attachment"].',
  needs: 'tools.attach',
  annotations: READS,
  names: { id: 'note' },
  unredacted: OF_ATTACHMENTS,
  input: () => ({ id: nodeId('Note'), limit: limit(100, 50), offset: offset() }),
  wrap: 'object',
  run: listAttachments,
})
