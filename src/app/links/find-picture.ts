import type { VaultPath } from '../../core/ids.ts'
import type { GraphCore } from '../graph-core.ts'
import { findIds } from '../names/known-node.ts'

export const MAX_PICTURE_BYTES = 50 << 20

const PART_BYTES = 256 << 10

export interface FoundPicture {
  readonly mimeType: string
  readonly size: number
  /** Yields the file's bytes, which are read lazily. @throws Error if the file has been truncated in the meantime */
  parts(): AsyncGenerator<Uint8Array>
}

/**
 * Returns an image by path or id, `undefined` if the file is not a readable image, or `'too large'` above `MAX_PICTURE_BYTES`.
 * @throws RouxError `TIMEOUT` if the file does not respond
 */
export async function findPicture(core: GraphCore, name: string): Promise<FoundPicture | 'too large' | undefined> {
  const path = await core.store.read(async (snapshot) => {
    const [id] = await findIds(snapshot, core, [name])
    const [node] = id === undefined ? [] : await snapshot.nodes([id], { links: 0 })
    return node?.kind === 'attachment' && !node.excluded ? node.path : undefined
  })
  if (path === undefined) return undefined
  const first = await core.pictures.read(path, { offset: 0, length: PART_BYTES })
  if (first === undefined) return undefined
  const mimeType = await pictureType(first.bytes)
  if (mimeType === undefined) return undefined
  const { size, bytes } = first
  if (size > MAX_PICTURE_BYTES) return 'too large'
  return { mimeType, size, parts: () => partsOf(core, path, { size, first: bytes }) }
}

async function* partsOf(
  core: GraphCore,
  path: VaultPath,
  { size, first }: { readonly size: number; readonly first: Uint8Array },
): AsyncGenerator<Uint8Array> {
  yield first.subarray(0, size)
  for (let offset = first.length; offset < size; ) {
    const read = await core.pictures.read(path, { offset, length: Math.min(PART_BYTES, size - offset) })
    if (read === undefined || read.bytes.length === 0) throw new Error(`"${path}" became shorter while it was being read.`)
    yield read.bytes
    offset += read.bytes.length
  }
}

/** Assistants can display these formats. Most show only the first frame of an animated PNG. */
const PICTURES: Readonly<Record<string, string>> = {
  'image/png': 'image/png',
  'image/apng': 'image/png',
  'image/jpeg': 'image/jpeg',
  'image/gif': 'image/gif',
  'image/webp': 'image/webp',
}

/** Returns the media type of an image by its bytes, or `undefined` for types that clients would reject. */
export async function pictureType(bytes: Uint8Array): Promise<string | undefined> {
  const { fileTypeFromBuffer } = await import('file-type/core')
  const fileType = await fileTypeFromBuffer(bytes)
  return fileType === undefined ? undefined : PICTURES[fileType.mime]
}
