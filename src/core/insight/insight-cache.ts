import type { InsightKind } from './insight.ts'

/** Keeps what insights are made of, and the last one. It may forget anything at any time: all of it can be made again. */
export interface InsightCache {
  /** The hashes for which there is no record. */
  lacking(contents: readonly string[]): readonly string[]
  /** Looks records up by their contents. @throws Error, when asked, for one that is not what was kept */
  records(): (content: string) => Uint8Array | undefined
  keepRecords(records: ReadonlyMap<string, Uint8Array>): void
  /** Forgets the records of other contents, when they are many. */
  keepOnly(contents: ReadonlySet<string>): void
  /** The last result, if it was computed from these inputs. @throws Error when the stored bytes are damaged */
  result(of: string): Uint8Array | undefined
  /** In place of the last one of its kind. */
  keepResult(of: string, kind: InsightKind, bytes: Uint8Array): void
  /** Forgets everything, damage too. */
  reset(): void
  close(): void
}
