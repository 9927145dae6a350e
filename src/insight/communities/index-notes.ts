import type { Adjacency } from '../../core/csr.ts'

/** Links or in-links above which a note is a list of others: at least so many, and at least this share of all notes. */
const MOST_LINKS = { notes: 40, share: 0.02 }

/** Which notes are index notes: they link to, or are linked from, so many that a link says nothing about what the two have in common. */
export function indexNotes({ offsets, targets }: Adjacency): Uint8Array {
  const count = offsets.length - 1
  const incoming = new Uint32Array(count)
  for (const target of targets) incoming[target]!++
  const most = Math.max(MOST_LINKS.notes, MOST_LINKS.share * count)
  return Uint8Array.from(incoming, (links, note) =>
    Math.max(links, (offsets[note + 1] as number) - (offsets[note] as number)) > most ? 1 : 0,
  )
}
