import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Entry } from '../entry.ts'

/** An entry as its row. */
export interface EntryRow {
  readonly kind: string
  readonly path: string
  readonly target: string | null
  readonly before: string | null
  readonly after: string | null
  readonly mode: number | null
}

/** Bytes as their row. */
export interface ContentRow {
  readonly deflated: number
  readonly bytes: Uint8Array
}

export function rowOf(entry: Entry): EntryRow {
  return {
    kind: entry.kind,
    path: entry.path,
    target: 'to' in entry ? entry.to : null,
    before: 'before' in entry ? entry.before : null,
    after: 'after' in entry ? entry.after : null,
    mode: 'mode' in entry ? (entry.mode ?? null) : null,
  }
}

export function entryOf(row: EntryRow): Entry {
  const { path } = row
  const before = row.before ?? ''
  const after = row.after ?? ''
  switch (row.kind) {
    case 'makeFolder':
    case 'removeFolder':
      return { kind: row.kind, path }
    case 'moveFolder':
      return { kind: row.kind, path, to: row.target ?? '' }
    case 'move':
      return { kind: row.kind, path, to: row.target ?? '', before }
    case 'create':
      return { kind: row.kind, path, after, mode: row.mode ?? undefined }
    case 'replace':
      return { kind: row.kind, path, before, after, mode: row.mode ?? 0o600 }
    case 'remove':
      return { kind: row.kind, path, before, mode: row.mode ?? 0o600 }
    default:
      throw new Error(`unknown kind of entry: ${row.kind}`)
  }
}

/** Below this the call costs more than the bytes: a page of the database is 4 KB. */
const DEFLATE_ABOVE = 4096
/** Level 1 takes a third of the time of 6 and leaves some 15 % more. */
const LEVEL = 1

export function packContent(bytes: Uint8Array): ContentRow {
  if (bytes.length > DEFLATE_ABOVE) {
    const deflated = deflateRawSync(bytes, { level: LEVEL })
    if (deflated.length < bytes.length * 0.9) return { deflated: 1, bytes: deflated }
  }
  // Copied, because not every version of the binding accepts a view into the middle of a buffer.
  return { deflated: 0, bytes: Uint8Array.from(bytes) }
}

export function unpackContent({ deflated, bytes }: ContentRow): Uint8Array {
  return deflated === 0 ? bytes : inflateRawSync(bytes)
}
