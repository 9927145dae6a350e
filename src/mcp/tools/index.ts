import type { Tool } from '../definition/define-tool.ts'
import { applyChangesTool } from './apply-changes.ts'
import { askTool } from './ask.ts'
import { changesSinceTool } from './changes-since.ts'
import { compareTool } from './compare.ts'
import { contextPackTool } from './context-pack.ts'
import { findNodesTool } from './find-nodes.ts'
import { findPathTool } from './find-path.ts'
import { gapsTool } from './gaps.ts'
import { getHubsTool } from './get-hubs.ts'
import { getNeighborsTool } from './get-neighbors.ts'
import { getNodeTool } from './get-node.ts'
import { getProblemsTool } from './get-problems.ts'
import { getTreeTool } from './get-tree.ts'
import { impactTool } from './impact.ts'
import { listAttachmentsTool } from './list-attachments.ts'
import { listChangesTool } from './list-changes.ts'
import { listNodesTool } from './list-nodes.ts'
import { listPropertiesTool } from './list-properties.ts'
import { listTagsTool } from './list-tags.ts'
import { mapTool } from './map.ts'
import { nodesExistTool } from './nodes-exist.ts'
import { OPERATION_TOOLS } from './operation-tools.ts'
import { randomNodeTool } from './random-node.ts'
import { readAttachmentTool } from './read-attachment.ts'
import { resolveNodesTool } from './resolve-nodes.ts'
import { searchTool } from './search.ts'
import { searchByTagsTool } from './search-by-tags.ts'
import { similarNodesTool } from './similar-nodes.ts'
import { suggestLinksTool } from './suggest-links.ts'
import { suggestTagsTool } from './suggest-tags.ts'
import { undoTool } from './undo.ts'

/** Every tool there is, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  findNodesTool,
  getNodeTool,
  getNeighborsTool,
  findPathTool,
  getHubsTool,
  resolveNodesTool,
  similarNodesTool,
  suggestTagsTool,
  contextPackTool,
  impactTool,
  compareTool,
  searchByTagsTool,
  listNodesTool,
  listTagsTool,
  listPropertiesTool,
  getTreeTool,
  randomNodeTool,
  nodesExistTool,
  getProblemsTool,
  askTool,
  changesSinceTool,
  suggestLinksTool,
  mapTool,
  gapsTool,
  ...OPERATION_TOOLS,
  applyChangesTool,
  listChangesTool,
  undoTool,
  listAttachmentsTool,
  readAttachmentTool,
]
