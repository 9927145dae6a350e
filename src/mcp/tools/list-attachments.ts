import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-list.ts'
import { listAttachments } from '../../app/write/list-attachments.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, nodeId, page } from './parameters.ts'
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
  input: () => ({ id: nodeId('Note'), ...page(100, 50), max_tokens: maxTokens() }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('attachments') },
  run: listAttachments,
})
