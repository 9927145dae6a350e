import { answer, type Call, listed, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type AttachmentFacts, attachmentFacts, fileNodes } from './attachment.ts'

export interface ListAttachmentsArguments extends PageArguments {
  /** The note. */
  readonly id: string
}

export interface AttachmentList {
  readonly attachments: readonly AttachmentFacts[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
}

/** The attachments that a note links to or embeds, best linked first. */
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
    return { ...listed({ attachments, total }, { offset: page.offset, shown: items.length, total }), warnings }
  })
}
