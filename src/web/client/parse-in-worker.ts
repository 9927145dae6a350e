import type { PageText } from '../../app/read/page-note.ts'
import type { MarkdownTree } from './markdown-nodes.ts'
import type { WorkerMessage } from './markdown-worker.ts'

/**
 * Time limit for parsing a note, in milliseconds. It is twenty times what a long note takes, because a busy server may be slow to
 * send the parser.
 */
const TIMEOUT_MS = 5_000

const SCRIPT = '/web/markdown.js'

interface TrustedTypes {
  createPolicy(name: string, rules: Rules): Rules
}

interface Rules {
  createScriptURL(address: string): string
}

// The only policy that the page's own policy allows, created before any note is shown. It returns this URL for any name.
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
const address = trustedTypes?.createPolicy('roux', { createScriptURL: () => SCRIPT }).createScriptURL('') ?? SCRIPT

/** Waits for the next note. */
let idle: Worker | undefined

/** Parses a note's text in a worker. Returns `undefined` if it takes too long, is too much, or is no longer needed. */
export async function parseInWorker(note: PageText, signal: AbortSignal): Promise<MarkdownTree | undefined> {
  let worker: Worker | undefined
  try {
    worker = idle ?? new Worker(address, { type: 'module' })
    idle = undefined
    const tree = await parseWith(worker, note, signal)
    idle = worker
    return tree
  } catch (error) {
    worker?.terminate()
    if (!signal.aborted) console.warn('This note is shown as it is written:', error)
    return undefined
  }
}

function parseWith(worker: Worker, note: PageText, signal: AbortSignal) {
  return new Promise<MarkdownTree | undefined>((resolve, reject) => {
    const rejectOnAbort = (aborting: AbortSignal) => aborting.addEventListener('abort', () => reject(aborting.reason))
    rejectOnAbort(signal)
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if (data === 'begun') rejectOnAbort(AbortSignal.timeout(TIMEOUT_MS))
      else resolve(data)
    }
    worker.onmessageerror = () => reject(new Error('The parsed result cannot be sent.'))
    worker.onerror = ({ message }) => reject(new Error(message))
    // Copies only the fields that are needed.
    const { title, text, links, comments, formulas, breaks, left_out, lines_before } = note
    worker.postMessage({ title, text, links, comments, formulas, breaks, left_out, lines_before } satisfies PageText)
  })
}
