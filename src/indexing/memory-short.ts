import { RouxError } from '../core/errors.ts'

/** The indexing worker is short of memory. Committed notes remain readable. */
export class MemoryShortError extends RouxError {
  /** @param when completes the sentence "Memory ran short …" */
  constructor(when: string, consequence = 'Changes will be ignored until the next start.') {
    super('PROVIDER_ERROR', `Memory ran short ${when}. ${consequence}`, {
      hint: 'Restart Roux with more memory, for example with NODE_OPTIONS=--max-old-space-size=8000; it will continue where it stopped. Or exclude folders with vault.ignore, set embedder.kind to none, or store the index in Neo4j (store.type).',
    })
  }
}
