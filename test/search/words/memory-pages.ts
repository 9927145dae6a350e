import { SegmentBuilder } from '../../../src/search/words/index/builder.ts'
import { compareBytes } from '../../../src/search/words/index/bytes.ts'
import type { Page } from '../../../src/search/words/index/page.ts'
import type { PageSource } from '../../../src/search/words/index/segment.ts'
import type { StoredSegment } from '../../../src/search/words/index/word-index.ts'
import { analyzeNote, type NoteFields } from '../../../src/search/words/scan.ts'
import { stemOf } from '../../../src/search/words/stem.ts'

/** A document before it is analyzed. */
export interface WordDocument {
  readonly key: number
  readonly stamp: number
  readonly language?: string | undefined
  readonly fields: NoteFields
}

/** Pages in memory, found by a linear search. */
export class MemoryPages implements PageSource {
  readonly #segments = new Map<number, readonly Page[]>()

  put(segment: number, pages: readonly Page[]): void {
    this.#segments.set(segment, pages)
  }

  all(segment: number): readonly Page[] {
    return this.#segments.get(segment) ?? []
  }

  page(segment: number, stem: Uint8Array): Uint8Array | undefined {
    return this.all(segment).findLast(({ first }) => compareBytes(first, stem) <= 0)?.data
  }

  *pages(segment: number, from: Uint8Array, to: Uint8Array): Iterable<Uint8Array> {
    const start = this.page(segment, from)
    if (start !== undefined) yield start
    for (const { first, data } of this.all(segment)) {
      if (compareBytes(first, from) > 0 && compareBytes(first, to) < 0) yield data
    }
  }
}

/** Builds a segment of these documents and keeps its pages. */
export function store(pages: MemoryPages, id: number, documents: readonly WordDocument[]): StoredSegment {
  const builder = new SegmentBuilder(stemOf)
  for (const { key, stamp, language, fields } of documents) builder.add({ key, stamp, language, ...analyzeNote(fields) })
  pages.put(id, [...builder.pages()])
  return { id, header: builder.header() }
}

/** A document with a title and a body. */
export function note(key: number, title: string, body = '', stamp = 1): WordDocument {
  return { key, stamp, fields: { title: [title], headings: [], body, tags: [], properties: [] } }
}
