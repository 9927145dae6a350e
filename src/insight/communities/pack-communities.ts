import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KeptCommunities } from './community-names.ts'

/** Grows when what is packed changes its form. */
const VERSION = 1

/** Communities as they are kept with the user's state. */
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

/** What was packed; `undefined` where it is damaged or of a newer version: then communities are found as if for the first time. */
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
