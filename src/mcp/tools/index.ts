import type { Tool } from '../definition/define-tool.ts'
import { listAttachmentsTool, readAttachmentTool } from './attachments.ts'
import type { AddressOf } from './connectors.ts'
import {
  askTool,
  findNodesTool,
  resolveNodesTool,
  searchByTagsTool,
  searchTool,
  similarNodesTool,
  suggestTagsTool,
} from './find.ts'
import { changesSinceTool, compareTool, contextPackTool, gapsTool, impactTool, mapTool, suggestLinksTool } from './insight.ts'
import { findPathTool, getHubsTool, getNeighborsTool, getProblemsTool } from './links.ts'
import {
  getNodeTool,
  getTreeTool,
  listNodesTool,
  listPropertiesTool,
  listTagsTool,
  nodesExistTool,
  randomNodeTool,
  verifyQuoteTool,
} from './read.ts'
import { applyChangesTool, listChangesTool, OPERATION_TOOLS, undoTool } from './write.ts'

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
  verifyQuoteTool,
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

export async function toolsFor({ connector_tools }: { readonly connector_tools: boolean }, addressOf?: AddressOf) {
  return connector_tools ? (await import('./connectors.ts')).withConnectorTools(TOOLS, addressOf) : TOOLS
}
