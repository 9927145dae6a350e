import type { Adjacency } from '../../core/csr.ts'

/** An index has more incoming or more outgoing links than this number, and than this share of the number of notes. */
const MAX_LINKS = { notes: 40, share: 0.02 }

/** Returns 1 for each index note. It has so many incoming or outgoing links that a link does not suggest a common topic. */
export function indexNotes({ offsets, targets }: Adjacency): Uint8Array {
  const count = offsets.length - 1
  const incoming = new Uint32Array(count)
  for (const target of targets) incoming[target]!++
  const maxLinks = Math.max(MAX_LINKS.notes, MAX_LINKS.share * count)
  return Uint8Array.from(incoming, (links, note) =>
    Math.max(links, (offsets[note + 1] as number) - (offsets[note] as number)) > maxLinks ? 1 : 0,
  )
}
