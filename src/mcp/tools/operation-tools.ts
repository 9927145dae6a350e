import type { OperationTool } from '../definition/define-operation.ts'
import { addAttachmentTool } from './add-attachment.ts'
import { cloneNodeTool } from './clone-node.ts'
import { createFolderTool } from './create-folder.ts'
import { createNodeTool } from './create-node.ts'
import { deleteAttachmentTool } from './delete-attachment.ts'
import { deleteNodeTool } from './delete-node.ts'
import { manageTagsTool } from './manage-tags.ts'
import { moveNodeTool } from './move-node.ts'
import { renameHeadingTool } from './rename-heading.ts'
import { renameTagTool } from './rename-tag.ts'
import { restoreNodeTool } from './restore-node.ts'
import { updateNodeTool } from './update-node.ts'

/** The tools that `apply_changes` takes together, in the order in which they are listed. */
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
