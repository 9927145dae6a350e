import type { PageText } from '../../app/read/page-note.ts'
import type { MarkdownTree } from './markdown-nodes.ts'
import type { Told } from './markdown-worker.ts'

/** How long a note is parsed, ms: twenty times what a long one takes. A server that has much to do may take longer to send what parses it. */
const LONGEST = 5_000

const SCRIPT = '/web/markdown.js'

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(): string },
  ): {
    createScriptURL(address: string): string
  }
}

// The one policy that the page's own policy allows, taken before any note is shown; it gives this address for any name.
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
const address = trustedTypes?.createPolicy('roux', { createScriptURL: () => SCRIPT }).createScriptURL('') ?? SCRIPT

/** Waits for the next note. */
let idle: Worker | undefined

/**
 * A note's text as a tree, parsed in a thread of its own; `undefined` if it takes too long, is too much, or is no
 * longer wanted.
 */
export async function parseAside(note: PageText, signal: AbortSignal): Promise<MarkdownTree | undefined> {
  let worker: Worker | undefined
  try {
    worker = idle ?? new Worker(address, { type: 'module' })
    idle = undefined
    const tree = await answerOf(worker, note, signal)
    idle = worker
    return tree
  } catch (error) {
    worker?.terminate()
    if (!signal.aborted) console.warn('This note is shown as it is written:', error)
    return undefined
  }
}

function answerOf(worker: Worker, note: PageText, signal: AbortSignal) {
  return new Promise<MarkdownTree | undefined>((resolve, reject) => {
    const rejectWhen = (ended: AbortSignal) => ended.addEventListener('abort', () => reject(ended.reason))
    rejectWhen(signal)
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data === 'begun') rejectWhen(AbortSignal.timeout(LONGEST))
      else resolve(data)
    }
    worker.onmessageerror = () => reject(new Error('What was parsed cannot be sent.'))
    worker.onerror = ({ message }) => reject(new Error(message))
    // Copies only the needed facts of the note.
    const { title, text, links, comments, formulas, breaks, left_out, lines_before } = note
    worker.postMessage({ title, text, links, comments, formulas, breaks, left_out, lines_before } satisfies PageText)
  })
}
