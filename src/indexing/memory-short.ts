import { RouxError } from '../core/errors.ts'

/** The vault is too large for the memory of the indexing worker. Committed notes stay readable. */
export class MemoryShortError extends RouxError {
  /** @param when completes the sentence "Memory ran short …" */
  constructor(when: string, consequence = 'Changes are not followed until the next start.') {
    super('PROVIDER_ERROR', `Memory ran short ${when}. ${consequence}`, {
      hint: 'Restart Roux with more memory, for example with NODE_OPTIONS=--max-old-space-size=8000; it continues where it stopped. Or exclude folders with vault.ignore, use embedder.kind: none, or store the index in Neo4j (store.type).',
    })
  }
}
