import { base64 } from '../../core/base64.ts'
import { invalid, RouxError } from '../../core/errors.ts'
import type { NodeId, VaultPath } from '../../core/ids.ts'
import { mediaTypeOf } from '../../core/media-types.ts'
import type { OperationOf } from '../../core/operations.ts'
import { nameOf } from '../../core/paths.ts'
import type { Node, Snapshot } from '../../core/store.ts'
import { answer, type Call, listResult, type PageArguments, pageFor, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { pictureType } from '../links/find-picture.ts'
import { filesByPath, findNamed, unknownIdWarning } from '../names/known-node.ts'
import { requireFiles } from '../read/read-file.ts'
import { type WriteFacts, writeFacts } from './facts.ts'
import { operationUseCase, readBack } from './operation-runner.ts'

export interface AttachmentFacts {
  readonly id: NodeId
  readonly filename: string
  readonly mime_type: string
  /** The size in bytes. It is omitted if the file cannot be read. */
  readonly size?: number
  readonly created?: string
  readonly modified?: string
}

const ATTACHMENTS = { kinds: ['attachment', 'canvas'] } as const

export type FileNode = Node & { readonly path: VaultPath }

async function attachmentFacts(core: GraphCore, nodes: readonly FileNode[]): Promise<readonly AttachmentFacts[]> {
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

async function fileNodes(snapshot: Snapshot, ids: readonly NodeId[]): Promise<readonly FileNode[]> {
  const nodes = await snapshot.nodes(ids, { links: 0, times: true })
  return nodes.filter((node): node is FileNode => node?.path !== undefined)
}

export type AddedAttachment = Partial<AttachmentFacts> & WriteFacts

/**
 * Adds a file under an unused name.
 * @throws RouxError `INVALID_PARAMS` if the content is not Base64 or does not match the given type, `TOO_LARGE` above 5 MB
 */
export const addAttachment = operationUseCase<OperationOf<'addAttachment'>, AddedAttachment>(async ({ core, result, call }) => {
  const facts = await readBack(result.subjects[0], async (path) => {
    const nodes = await core.store.read(async (snapshot) => {
      const file = (await filesByPath(snapshot, core, [path])).at(path)
      return await fileNodes(snapshot, file === undefined ? [] : [file.id])
    })
    return plain((await attachmentFacts(core, nodes))[0])
  })
  return { value: { ...facts.value, ...writeFacts(result, call) }, warnings: facts.warnings }
})

export interface ListAttachmentsArguments extends PageArguments {
  readonly id: string
}

export interface AttachmentList {
  readonly attachments: readonly AttachmentFacts[]
  readonly total: number
}

/** Returns attachments sorted by in-degree, highest first. */
export function listAttachments(
  core: GraphCore,
  { id: argument, ...asked }: ListAttachmentsArguments,
  call: Call = {},
): Promise<Answer<AttachmentList>> {
  return answer(core, call, async (snapshot) => {
    const { ids, warnings } = await findNamed(snapshot, core, [argument])
    const [id] = ids
    if (id === undefined) return { value: { attachments: [], total: 0 }, warnings }
    const page = pageFor(asked, call)
    const { items, total } = await snapshot.neighbors(id, { direction: 'out', kinds: ['attachment'] }, page)
    const attachments = await attachmentFacts(core, await fileNodes(snapshot, items))
    return { ...listResult({ attachments, total }, { offset: page.offset, shown: items.length, total }), warnings }
  })
}

export interface ReadAttachmentArguments {
  readonly id: string
  /** The offset in bytes. */
  readonly offset: number
  /** The default is the whole file for images, and `PAGE` for other files. */
  readonly maxBytes?: number | undefined
}

export interface AttachmentContent extends AttachmentFacts {
  /** The bytes from `offset` on, in Base64. Images have no such member. */
  readonly content?: string
  readonly next_offset?: number
}

/** Maximum size of an image in an answer, in bytes. */
const MAX_PICTURE_BYTES = 5 << 20

/** The page size in bytes, which in Base64 is about 15,000 tokens. */
const PAGE = 16_384

/**
 * Returns `null` for an unknown id.
 * @throws RouxError `INVALID_PARAMS` for a note, `PERMISSION_DENIED` if the file cannot be read
 */
export function readAttachment(
  core: GraphCore,
  args: ReadAttachmentArguments,
  call: Call = {},
): Promise<Answer<AttachmentContent | null>> {
  return answer(core, call, async (snapshot) => {
    const [id] = (await findNamed(snapshot, core, [args.id])).ids
    const [node] = id === undefined ? [] : await fileNodes(snapshot, [id])
    if (node === undefined) return { value: null, warnings: [await unknownIdWarning(snapshot, args.id, ATTACHMENTS)] }
    if (node.kind === 'note') throw invalid(`${quoted(args.id)} is a note.`, 'Use get_node to read notes.')
    const [facts] = await attachmentFacts(core, [node])
    if (facts?.size === undefined) throw unreadable(args.id)
    return (await asPicture(core, node, { args, facts })) ?? (await asPage(core, node, { args, facts }))
  })
}

interface ReadRequest {
  readonly args: ReadAttachmentArguments
  readonly facts: AttachmentFacts
}

async function asPicture(
  core: GraphCore,
  { path }: FileNode,
  { args, facts }: ReadRequest,
): Promise<Answer<AttachmentContent> | undefined> {
  const { size = 0 } = facts
  if (args.maxBytes !== undefined || args.offset > 0 || size > MAX_PICTURE_BYTES || !facts.mime_type.startsWith('image/'))
    return undefined
  const bytes = (await requireFiles(core).read(path, { offset: 0, length: size }))?.bytes
  const mimeType = bytes === undefined ? undefined : await pictureType(bytes)
  if (bytes === undefined || mimeType === undefined) return undefined
  return { ...plain({ ...facts, mime_type: mimeType }), images: [{ mimeType, data: base64(bytes) }] }
}

async function asPage(core: GraphCore, { path }: FileNode, { args, facts }: ReadRequest): Promise<Answer<AttachmentContent>> {
  const { offset, maxBytes = PAGE } = args
  const page = await requireFiles(core).read(path, { offset, length: maxBytes })
  if (page === undefined) throw unreadable(args.id)
  const next = offset + page.bytes.length
  const hasMore = page.bytes.length > 0 && next < page.size
  return plain({ ...facts, size: page.size, content: base64(page.bytes), ...(hasMore ? { next_offset: next } : {}) })
}

function unreadable(id: string): RouxError {
  return new RouxError('PERMISSION_DENIED', `The file ${quoted(id)} cannot be read.`, {
    hint: 'It may have been removed, or its permissions may not allow reading it.',
  })
}
