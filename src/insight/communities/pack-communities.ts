import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KeptCommunities } from './community-names.ts'

/** Increment it when the packed format changes. */
const VERSION = 1

export function packCommunities({ notes, of, names, next, successors }: KeptCommunities): Uint8Array {
  const plain = {
    version: VERSION,
    notes,
    of: of.map((level) => [...level]),
    names,
    next: [...next],
    successors: [...successors],
  }
  return Uint8Array.from(deflateRawSync(JSON.stringify(plain), { level: 1 }))
}

/** Unpacks communities. Returns `undefined` if they are corrupt or have another version; communities are then detected from scratch. */
export function unpackCommunities(bytes: Uint8Array): KeptCommunities | undefined {
  try {
    const plain = JSON.parse(inflateRawSync(bytes).toString('utf8')) as Packed
    if (plain.version !== VERSION) return undefined
    const [top = [], parts = []] = plain.of
    return {
      notes: plain.notes,
      of: [Uint32Array.from(top), Uint32Array.from(parts)],
      names: plain.names,
      next: new Map(plain.next),
      successors: new Map(plain.successors),
    }
  } catch {
    return undefined
  }
}

interface Packed extends Pick<KeptCommunities, 'notes' | 'names'> {
  readonly version: number
  readonly of: readonly (readonly number[])[]
  readonly next: readonly (readonly [string, number])[]
  readonly successors: readonly (readonly [string, readonly string[]])[]
}
