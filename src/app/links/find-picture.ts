import type { GraphCore } from '../graph-core.ts'
import { findIds } from '../names/known-node.ts'
import { pictureType } from '../write/read-attachment.ts'

/** Bytes of a picture that is shown on a page. */
const LARGEST = 50 << 20

/** A picture of the vault by its id; `undefined` for what is none by its bytes, is too large, or may not be read. */
export async function findPicture(
  core: GraphCore,
  given: string,
): Promise<{ readonly mimeType: string; readonly bytes: Uint8Array } | undefined> {
  const path = await core.store.read(async (snapshot) => {
    const [id] = await findIds(snapshot, core, [given])
    const [node] = id === undefined ? [] : await snapshot.nodes([id], { links: 0 })
    return node?.kind === 'attachment' && !node.excluded ? node.path : undefined
  })
  if (path === undefined) return undefined
  const read = await core.pictures.read(path, { offset: 0, length: LARGEST })
  if (read === undefined || read.size > LARGEST) return undefined
  const mimeType = await pictureType(read.bytes)
  return mimeType === undefined ? undefined : { mimeType, bytes: read.bytes }
}
