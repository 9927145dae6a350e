import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { GraphCore } from '../app/graph-core.ts'
import { findPicture, LARGEST_PICTURE } from '../app/links/find-picture.ts'
import { refusal, sendRefusal } from '../http/refusal.ts'

const ELSEWHERE = { hint: 'Open it in another program.' }

/** Writes the bytes of a picture as fast as they are taken; of anything else nothing: a drawing (SVG) may hold a script. */
export async function sendPicture(response: ServerResponse, core: GraphCore, id: string): Promise<void> {
  const picture = await findPicture(core, id)
  if (picture === undefined)
    return sendRefusal(response, refusal(404, 'Only pictures are shown here: PNG, JPEG, GIF and WebP.', ELSEWHERE))
  if (picture === 'too large') {
    const most = `Pictures of more than ${LARGEST_PICTURE >> 20} MB are not shown here.`
    return sendRefusal(response, refusal(413, most, ELSEWHERE))
  }
  // Nothing in it may run, even if it is opened as a page.
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'").setHeader('Content-Disposition', 'attachment')
  response.writeHead(200, { 'Content-Type': picture.mimeType, 'Content-Length': picture.size })
  // The page went away, or the file became shorter: the answer ends where it is, and the browser sees that it is not whole.
  await pipeline(Readable.from(picture.parts(), { objectMode: true, highWaterMark: 1 }), response).catch(() => {})
}
