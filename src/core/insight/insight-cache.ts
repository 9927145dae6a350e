import type { InsightKind } from './insight.ts'

/** Caches the last insight and the data it was computed from. Entries can disappear at any time, because everything can be recomputed. */
export interface InsightCache {
  /** Returns the given hashes that have no stored record. */
  lacking(contents: readonly string[]): readonly string[]
  /** Returns a lookup of records by content hash. @throws Error on lookup, if a stored record is damaged */
  records(): (content: string) => Uint8Array | undefined
  keepRecords(records: ReadonlyMap<string, Uint8Array>): void
  /** Once there are many records, deletes all except those for the given contents. */
  keepOnly(contents: ReadonlySet<string>): void
  /** Returns the last result if it was computed from these inputs. @throws Error if the stored bytes are damaged */
  result(of: string): Uint8Array | undefined
  keepResult(of: string, kind: InsightKind, bytes: Uint8Array): void
  /** Deletes everything, including damaged data. */
  reset(): void
  close(): void
}
