import { hash as digest } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { FileContent, FileRecord, NoteDescription } from '../core/index-writer.ts'
import type { Flavor, Mode } from '../core/note.ts'
import { fileStemOf } from '../core/paths.ts'
import type { NoteWords } from '../core/search-writer.ts'
import { blankData } from '../core/text/inline-data.ts'
import { canvasProse } from '../markdown/json-canvas/canvas-json.ts'
import { parseCanvas } from '../markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../markdown/parse-note.ts'
import { type Chunk, chunkNote, plainText } from '../search/chunks.ts'
import { languageOf } from '../search/languages/language-of.ts'
import { analyzeNote, type NoteFields } from '../search/words/scan.ts'
import { describeNote } from './describe-file.ts'

export interface ReadNote {
  readonly words: NoteWords
  readonly fields: NoteFields
  readonly content: string
  chunks(): readonly Chunk[]
}

export type SearchedFile = Pick<FileRecord, 'key' | 'path' | 'kind'>

/** Increment when the same file yields different words, so stores read all notes again. */
const RULES = 4

/** Returns a 48-bit hash of content, path and mode. The path is part of it, because it determines the title. */
export function versionOf({ path, hash }: Pick<FileContent, 'path' | 'hash'>, mode: Mode): number {
  return (Number.parseInt(hash.slice(0, 12), 16) + crc32(`${RULES}:${mode}:${path}`)) % 2 ** 48
}

export interface NoteSource extends SearchedFile {
  readonly hash?: string | undefined
  readonly known?: NoteDescription | undefined
}

/** Parses a note or canvas only if the index has no current description. */
export function readNote({ key, path, kind, known, hash: knownHash }: NoteSource, bytes: Uint8Array, flavor: Flavor): ReadNote {
  const fileText = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const hash = knownHash ?? digest('sha256', bytes, 'hex')
  const text = kind === 'canvas' ? canvasProse(fileText) : fileText
  const { title, aliases, tags, headings, properties, bodyStart } =
    kind === 'note' && known?.hash === hash ? known : describe({ path, kind }, { written: fileText, text, hash }, flavor)
  const names = namesOf(path, title, aliases)
  const fields: NoteFields = {
    title: names.every(isMeaningless) ? [...names, ...firstLine(text, bodyStart)] : names,
    headings: headings.map((heading) => heading.text),
    body: blankData(text.slice(bodyStart)),
    tags,
    properties: propertyTexts(properties),
  }
  return {
    words: {
      key,
      path,
      version: versionOf({ path, hash }, flavor.mode),
      language: languageOfNote(fields, flavor),
      ...analyzeNote(fields),
    },
    fields,
    content: hash,
    chunks: () => chunkNote({ title, text, bodyStart, headings }),
  }
}

/** Titles and headings count only in short notes, because many are in another language than the text. */
function languageOfNote({ title, headings, body }: NoteFields, { languages }: Flavor): string | undefined {
  return languageOf(body.length > SHORT_NOTE ? body : [body, ...headings, ...title].join('\n'), languages)?.code
}

const SHORT_NOTE = 500

function describe(
  { path, kind }: Pick<SearchedFile, 'path' | 'kind'>,
  { written, text, hash }: { readonly written: string; readonly text: string; readonly hash: string },
  flavor: Flavor,
): NoteDescription {
  const note = kind === 'canvas' ? parseCanvas(written, flavor) : parseNote(written, flavor)
  const file = { path, stat: NO_STAT, excluded: false }
  const facts = describeNote(file, { kind, conflict: false, mode: flavor.mode }, { note, text, hash })
  const { aliases, tags } = facts
  const title = kind === 'canvas' ? fileStemOf(path) : facts.title
  const { headings, properties, bodyStart } = note
  return { hash, title, aliases, tags, headings, properties, bodyStart }
}

function namesOf(path: string, title: string, aliases: readonly string[]): readonly string[] {
  const stem = fileStemOf(path)
  return [title, ...aliases, ...(stem === title || aliases.includes(stem) ? [] : [stem])]
}

/** Matches two consecutive letters, which a name needs. Dates do not describe a note. */
const WORD = /[\p{L}\p{M}]{2,}/u
const DIGIT = /\p{N}/u

function isMeaningless(name: string): boolean {
  return DIGIT.test(name) && !WORD.test(name)
}

const MAX_TITLE_LENGTH = 200

const NO_TITLE = /^\s*(?:[-+*>|`~<%!]|\d+[.)]\s)/

/** Returns a heading, or a first line that is followed by an empty one. */
function firstLine(text: string, bodyStart: number): readonly string[] {
  const [line = '', next = ''] = text
    .slice(bodyStart, bodyStart + FIRST_LINES_LENGTH)
    .trimStart()
    .split('\n', 2)
  const isHeading = line.startsWith('#')
  const isTitle = line.length <= MAX_TITLE_LENGTH && !NO_TITLE.test(line) && (isHeading || next.trim() === '')
  const title = isTitle ? plainText(line).trim() : ''
  return WORD.test(title) ? [title] : []
}

const FIRST_LINES_LENGTH = 2_000

const NO_STAT = { mtime: 0, ctime: 0, birthtime: 0, size: 0 }
const OWN_FIELDS = new Set(['title', 'alias', 'aliases', 'tag', 'tags'])
const MAX_DEPTH = 8

function propertyTexts(properties: Readonly<Record<string, unknown>>): readonly string[] {
  const texts: string[] = []
  const collect = (value: unknown, depth: number): void => {
    if (typeof value === 'string') texts.push(value)
    else if (typeof value === 'number' && Number.isFinite(value)) texts.push(String(value))
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
      for (const inner of Object.values(value)) collect(inner, depth + 1)
    }
  }
  for (const [name, value] of Object.entries(properties)) {
    if (!OWN_FIELDS.has(name.toLowerCase())) collect(value, 0)
  }
  return texts
}

/** The size in bytes, which is enough for an edit or a small vault. 16 MB would add 25 MB to the peak of a first build. */
const MAX_BYTES = 1 << 20

/** Bytes of notes that were just indexed, so search need not read them again. `keep` does nothing when full. */
export class RecentBytes {
  readonly #byHash = new Map<string, Uint8Array>()
  #size = 0

  keep(hash: string, bytes: Uint8Array): void {
    if (this.#size + bytes.length > MAX_BYTES || this.#byHash.has(hash)) return
    this.#byHash.set(hash, bytes)
    this.#size += bytes.length
  }

  take(hash: string): Uint8Array | undefined {
    const bytes = this.#byHash.get(hash)
    if (bytes === undefined) return undefined
    this.#byHash.delete(hash)
    this.#size -= bytes.length
    return bytes
  }

  clear(): void {
    this.#byHash.clear()
    this.#size = 0
  }
}
