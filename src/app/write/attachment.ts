import { RouxError } from '../../core/errors.ts'
import type { NodeId, VaultPath } from '../../core/ids.ts'
import { mediaTypeOf } from '../../core/media-types.ts'
import { nameOf } from '../../core/paths.ts'
import type { Node, Snapshot } from '../../core/store.ts'
import type { VaultFiles } from '../../core/texts.ts'
import type { GraphCore } from '../graph-core.ts'

/** Facts about an attachment without its content. */
export interface AttachmentFacts {
  readonly id: NodeId
  readonly filename: string
  readonly mime_type: string
  /** Bytes; absent when the file cannot be read. */
  readonly size?: number
  readonly created?: string
  readonly modified?: string
}

/** The scope of the attachment tools. */
export const ATTACHMENTS = { kinds: ['attachment', 'canvas'] } as const

/** A node that is a file. */
export type FileNode = Node & { readonly path: VaultPath }

/** The facts of attachments, in order. */
export async function attachmentFacts(core: GraphCore, nodes: readonly FileNode[]): Promise<readonly AttachmentFacts[]> {
  const files = requireFiles(core)
  return await Promise.all(
    nodes.map(async ({ id, path, created, modified }) => {
      const size = (await files.read(path, { offset: 0, length: 0 }))?.size
      const filename = nameOf(path)
      return {
        id,
        filename,
        mime_type: (await mediaTypeOf(filename)) ?? 'application/octet-stream',
        ...(size === undefined ? {} : { size }),
        ...(created === undefined ? {} : { created }),
        ...(modified === undefined ? {} : { modified }),
      }
    }),
  )
}

/** The files among the nodes of these ids. */
export async function fileNodes(snapshot: Snapshot, ids: readonly NodeId[]): Promise<readonly FileNode[]> {
  const nodes = await snapshot.nodes(ids, { links: 0, times: true })
  return nodes.filter((node): node is FileNode => node?.path !== undefined)
}

/** @throws RouxError `TOOL_DISABLED` where attachments are not offered */
export function requireFiles({ files }: GraphCore): VaultFiles {
  if (files !== undefined) return files
  throw new RouxError('TOOL_DISABLED', 'Attachments are not offered here.', {
    hint: 'The setting tools.attach: true, or --write, offers them.',
  })
}
