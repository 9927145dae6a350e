import { placesByNumber } from '../../../core/csr.ts'
import { LANGUAGES } from '../../../core/languages.ts'
import type { AnalyzedText, NoteWords, StemOf } from '../../../core/search-writer.ts'
import { NumberList } from '../../number-list.ts'
import { ownCopy } from '../fold-word.ts'
import { ByteWriter } from './bytes.ts'
import { type Page, PageWriter, PostingWriter, type SegmentHeader } from './page.ts'

export interface WordDocument extends Pick<NoteWords, 'title' | 'body' | 'language'> {
  /** The key, an integer from 0 to 2^32 - 1. */
  readonly key: number
  /** The version of the file, an integer from 0 to 2^50. */
  readonly stamp: number
}

interface Form {
  readonly id: number
  readonly stem: string
  readonly form: string
}

interface Document {
  readonly stamp: number
  readonly title: number
  readonly body: number
  readonly language: number
}

/** The builder takes about 16 bytes per word of text, and twice as much while `pages` is running. */
export class SegmentBuilder {
  /** The language is part of the key, because the stem of a form may depend on it. */
  readonly #ids = new Map<string | undefined, Map<string, number>>([[undefined, new Map()]])
  readonly #forms: Omit<Form, 'id'>[] = []
  readonly #documents = new Map<number, Document>()
  /** Three lists with one item per word: form, twice the position (plus 1 in the body), and document. */
  readonly #words = new NumberList(4096)
  readonly #places = new NumberList(4096)
  readonly #ordinals = new NumberList(4096)
  readonly #stemOf: StemOf

  constructor(stemOf: StemOf) {
    this.#stemOf = stemOf
  }

  /** Adds a document. Throws a `RangeError` if the key is already in use. */
  add({ key, stamp, title, body, language }: WordDocument): void {
    if (this.#documents.has(key)) throw new RangeError(`document ${key} has already been added`)
    const lengths = { title: this.#read(title, 0, language), body: this.#read(body, 1, language) }
    this.#documents.set(key, { stamp, ...lengths, language: language === undefined ? 0 : LANGUAGES.indexOf(language) + 1 })
  }

  header(): SegmentHeader {
    const documents = [...this.#documents.values()]
    return {
      keys: Uint32Array.from(this.#documents.keys()),
      stamps: Float64Array.from(documents, ({ stamp }) => stamp),
      titleLengths: Uint32Array.from(documents, ({ title }) => title),
      bodyLengths: Uint32Array.from(documents, ({ body }) => body),
      languages: Uint8Array.from(documents, ({ language }) => language),
    }
  }

  *pages(): Generator<Page, void> {
    const pages: Page[] = []
    const writer = new PageWriter((page) => pages.push(page))
    const { offsets, targets } = placesByNumber(this.#words.items, this.#forms.length, this.#words.length)
    const into = { writer, entry: new EntryWriter() }
    for (const form of this.#sortedForms()) {
      this.#write(form, targets.subarray(offsets[form.id], offsets[form.id + 1]), into)
      if (pages.length > 0) yield* pages.splice(0)
    }
    writer.close()
    yield* pages
  }

  /** This is a separate method, because V8 optimizes long-running generators late. */
  #write({ stem, form }: Form, words: Uint32Array, { writer, entry }: { writer: PageWriter; entry: EntryWriter }): void {
    const ordinals = this.#ordinals.items
    const places = this.#places.items
    entry.clear()
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as number
      entry.add(ordinals[word] as number, places[word] as number)
    }
    writer.add({ stem: Buffer.from(stem), form: Buffer.from(form), ...entry.finish() })
  }

  /** Returns the length of the field in words. */
  #read(text: AnalyzedText, field: 0 | 1, language: string | undefined): number {
    const ordinal = this.#documents.size
    const ids = this.#ids.get(language) ?? new Map<string, number>()
    this.#ids.set(language, ids)
    return text((form, _kind, at) => {
      this.#words.push(ids.get(form) ?? this.#newId(form, ids, language))
      this.#places.push(at * 2 + field)
      this.#ordinals.push(ordinal)
    })
  }

  #newId(form: string, ids: Map<string, number>, language: string | undefined): number {
    const copy = ownCopy(form)
    const stem = this.#stemOf(copy, language)
    const plain = language === undefined || stem !== this.#stemOf(copy) ? ids : this.#ids.get(undefined)
    const id = plain?.get(copy) ?? this.#forms.push({ form: copy, stem }) - 1
    ids.set(copy, id)
    plain?.set(copy, id)
    return id
  }

  #sortedForms(): readonly Form[] {
    const keys = this.#forms.map((form, id) => ({ id, ...form }))
    const compare = this.#forms.some(({ form }) => SURROGATE.test(form)) ? compareUtf8 : compareUnits
    return keys.sort((a, b) => compare(a.stem, b.stem) || compare(a.form, b.form))
  }
}

/** A writer of entries. Positions must be added in the order of document, field and position. */
class EntryWriter {
  readonly #postings = new ByteWriter()
  readonly #positions = new ByteWriter()
  readonly #writer = new PostingWriter(this.#postings)
  #ordinal = -1
  #title = 0
  #body = 0
  #before = 0

  clear(): void {
    this.#postings.clear()
    this.#positions.clear()
    this.#writer.start()
    this.#ordinal = -1
  }

  add(ordinal: number, place: number): void {
    if (ordinal !== this.#ordinal) this.#next(ordinal)
    const position = place >>> 1
    if ((place & 1) === 0) this.#title++
    else if (this.#body++ === 0) this.#before = 0
    this.#positions.varint(position - this.#before)
    this.#before = position
  }

  finish(): { readonly postings: Uint8Array; readonly positions: Uint8Array } {
    this.#next(-1)
    return { postings: this.#postings.view(), positions: this.#positions.view() }
  }

  #next(ordinal: number): void {
    if (this.#ordinal >= 0) this.#writer.add(this.#ordinal, this.#title, this.#body)
    this.#ordinal = ordinal
    this.#title = 0
    this.#body = 0
    this.#before = 0
  }
}

const SURROGATE = /[\ud800-\udfff]/

function compareUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** Orders strings without surrogates by their UTF-8 bytes. */
function compareUnits(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
