import type { GraphCore } from '../app/graph-core.ts'

/** Opens at the first call and shares the result; a failure is tried again by the next. */
export function openOnce(open: () => Promise<GraphCore>): () => Promise<GraphCore> {
  let opened: Promise<GraphCore> | undefined
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
}
