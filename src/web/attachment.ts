import type { ServerResponse } from 'node:http'
import type { GraphCore } from '../app/graph-core.ts'
import { findPicture } from '../app/links/find-picture.ts'
import { refusal, sendRefusal } from '../http/refusal.ts'

/** Writes the bytes of a picture; of anything else nothing: a drawing (SVG) may hold a script. */
export async function sendPicture(response: ServerResponse, core: GraphCore, id: string): Promise<void> {
  const picture = await findPicture(core, id)
  if (picture === undefined) return sendRefusal(response, refusal(404, 'There is no such picture.'))
  // Whatever took it for a page would find that nothing in it may run.
  response.setHeader('Content-Security-Policy', "sandbox; default-src 'none'").setHeader('Content-Disposition', 'attachment')
  response.writeHead(200, { 'Content-Type': picture.mimeType, 'Content-Length': picture.bytes.length })
  response.end(picture.bytes)
}
