import { RouxError } from '../../core/errors.ts'
import { isTextual, mediaTypeOf } from '../../core/media-types.ts'
import { nameOf } from '../../core/paths.ts'
import type { Node, Snapshot } from '../../core/store.ts'
import type { VaultFiles } from '../../core/texts.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { lookUp } from '../names/known-node.ts'
import { requireText } from './texts.ts'

export interface WholeFile {
  readonly id: string
  readonly title: string
  readonly mimeType: string
  /** The text as on disk. Invalid UTF-8 is replaced. */
  readonly text?: string
  /** The file's bytes in Base64. Only binary files have this member. */
  readonly blob?: string
  /** The time in ISO 8601, from the note or the file system. */
  readonly modified?: string
  /** SHA-256 in hex. Only notes have a hash. */
  readonly hash?: string
}

const MAX_BYTES = 5 << 20

/** Returns a note's text with its frontmatter, or `null` for an unknown id. @throws RouxError `TOO_LARGE` above 5 MB */
export function readNoteFile(core: GraphCore, id: string, call: Call = {}): Promise<Answer<WholeFile | null>> {
  return answer(core, call, async (snapshot) => {
    const node = await findFile(snapshot, core, id)
    if (node === undefined || node.kind === 'attachment') return plain(null)
    const source = await requireText({ core, snapshot, call }, node.id)
    if (source === undefined) return plain(null)
    if (source.text.length > MAX_BYTES) throw tooLarge(node.id)
    const mimeType = node.kind === 'note' ? 'text/markdown' : 'application/json'
    return plain({ ...factsOf(node), mimeType, text: source.text, hash: source.hash })
  })
}

/** Returns `null` for an unknown id. @throws RouxError `TOOL_DISABLED` if attachments are off, `TOO_LARGE` above 5 MB */
export function readAttachmentFile(core: GraphCore, id: string, call: Call = {}): Promise<Answer<WholeFile | null>> {
  return answer(core, call, async (snapshot) => {
    const node = await findFile(snapshot, core, id)
    if (node?.path === undefined || node.kind === 'note') return plain(null)
    const read = await requireFiles(core).read(node.path, { offset: 0, length: MAX_BYTES + 1 })
    if (read === undefined) return plain(null)
    if (read.size > MAX_BYTES) throw tooLarge(node.id)
    const mimeType = (await mediaTypeOf(nameOf(node.path))) ?? 'application/octet-stream'
    const bytes = Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.byteLength)
    const content = isTextual(mimeType) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
    return plain({ ...factsOf(node), mimeType, ...content })
  })
}

async function findFile(snapshot: Snapshot, core: GraphCore, argument: string): Promise<Node | undefined> {
  const [id] = await lookUp(snapshot, core, [argument])
  const [node] = id === undefined ? [] : await snapshot.nodes([id], { links: 0, times: true })
  return node?.path === undefined ? undefined : node
}

function factsOf({ id, title, modified }: Node): Pick<WholeFile, 'id' | 'title' | 'modified'> {
  return { id, title, ...(modified === undefined ? {} : { modified }) }
}

function tooLarge(id: string): RouxError {
  return new RouxError('TOO_LARGE', `${quoted(id)} is larger than ${MAX_BYTES >> 20} MB.`, {
    hint: 'get_node and read_attachment return it in parts.',
  })
}

/** Returns the files of the vault. @throws RouxError `TOOL_DISABLED` if attachments are off */
export function requireFiles({ files }: GraphCore): VaultFiles {
  if (files !== undefined) return files
  throw new RouxError('TOOL_DISABLED', 'Attachments are switched off.', {
    hint: 'Set tools.attach to true, or start with --write.',
  })
}
