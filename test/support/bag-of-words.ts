import type { Embedder } from '../../src/core/embedder.ts'

/** An embedder based on word counts only: equal texts have equal vectors, and shared words make texts similar. */
export class BagOfWords implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch = 8
  /** Every text embedded as a passage, in order. */
  readonly passages: string[] = []
  isClosed = false

  constructor(name = 'bag', dimensions = 16) {
    this.id = `test:${name}:${dimensions}`
    this.dimensions = dimensions
  }

  async embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<readonly Float32Array[]> {
    signal?.throwIfAborted()
    if (kind === 'passage') this.passages.push(...texts)
    return texts.map((text) => bagOf(text, this.dimensions))
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}

/** A text's words as a unit vector; all zeros without words. */
export function bagOf(text: string, dimensions = 16): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const hash = hashOf(word)
    const at = hash % dimensions
    vector[at] = (vector[at] as number) + (hash & 0x10000 ? 1 : -1)
  }
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** FNV-1a, mixed once more so that its low bits are usable. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(word)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> 0
  return (hash ^ (hash >>> 13)) >>> 0
}
