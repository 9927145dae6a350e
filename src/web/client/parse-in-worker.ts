import type { PageText } from '../../app/read/page-note.ts'
import type { MarkdownNode } from './markdown.ts'
import type { WorkerMessage } from './markdown-worker.ts'

/** Twenty times what a long note takes, because a busy server may send the parser slowly. */
const TIMEOUT_MS = 5_000

const SCRIPT = '/web/markdown.js'
const RULES = { createScriptURL: (_: string) => SCRIPT }

// The content security policy allows only this policy, and this policy allows only one URL.
const { trustedTypes } = globalThis as { readonly trustedTypes?: { createPolicy(name: string, rules: object): typeof RULES } }
const address = trustedTypes?.createPolicy('roux', RULES).createScriptURL('') ?? SCRIPT

let idle: Worker | undefined

/** @returns undefined if the text is too large, takes too long, or is no longer needed */
export async function parseInWorker(note: PageText, signal: AbortSignal): Promise<readonly MarkdownNode[] | undefined> {
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
  return new Promise<readonly MarkdownNode[] | undefined>((resolve, reject) => {
    const rejectOnAbort = (aborting: AbortSignal) => aborting.addEventListener('abort', () => reject(aborting.reason))
    rejectOnAbort(signal)
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if (data === 'begun') rejectOnAbort(AbortSignal.timeout(TIMEOUT_MS))
      else resolve(data)
    }
    worker.onmessageerror = () => reject(new Error('The parsed result cannot be sent.'))
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.postMessage(note)
  })
}
