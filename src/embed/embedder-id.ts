import { createHash } from 'node:crypto'

/** What an embedder's vectors depend on. */
export interface Provenance {
  readonly kind: string
  readonly model: string
  readonly dimensions: number
  /** Everything else that changes vectors: prefixes, pooling, limits, weights. */
  readonly recipe: Readonly<Record<string, unknown>>
}

/** `kind:model:dimensions:recipe`, the last as 8 hex digits of its hash: another prefix makes other vectors. */
export function embedderId({ kind, model, dimensions, recipe }: Provenance): string {
  const digest = createHash('sha256').update(JSON.stringify(recipe)).digest('hex').slice(0, 8)
  return `${kind}:${model}:${dimensions}:${digest}`
}
