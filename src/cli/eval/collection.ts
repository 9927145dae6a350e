import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Collection, JudgedQuery } from '../../app/eval/collection.ts'
import { errorCode } from '../../core/error-code.ts'
import { RouxError } from '../../core/errors.ts'

/** A collection as it is on disk, read and checked. */
export interface CollectionFolder {
  readonly name: string
  readonly documents: readonly Document[]
  readonly queries: readonly JudgedQuery[]
}

interface Document {
  readonly id: string
  readonly title: string
  readonly text: string
}

/** What a collection's folder must hold, for messages. */
const FORMAT =
  'A collection is a folder with corpus.jsonl ({"id", "title", "text"} a line), queries.jsonl ({"id", "text"}) and qrels.tsv (query, document, judgement).'

/**
 * Reads a folder of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. Queries without a judgement above 0 are left out.
 * @throws RouxError `INVALID_PARAMS` that names file and line.
 */
export function readCollection(folder: string): CollectionFolder {
  const documents = readRecords(join(folder, 'corpus.jsonl')).map(({ id, title, text }) => ({ id, title, text }))
  const gains = readJudgements(join(folder, 'qrels.tsv'))
  const queries = readRecords(join(folder, 'queries.jsonl')).flatMap(({ id, text }): readonly JudgedQuery[] => {
    const judged = gains.get(id)
    return judged !== undefined && [...judged.values()].some((gain) => gain > 0) ? [{ id, text, gains: judged }] : []
  })
  if (queries.length > 0 && documents.length > 0) return { name: basename(folder), documents, queries }
  throw new RouxError('INVALID_PARAMS', `${folder} has ${documents.length} documents and no query that is judged.`, {
    hint: FORMAT,
  })
}

/** Documents a folder of the vault. */
const FOLDER_SIZE = 100

/** Writes each document as a note, its title a property, into an empty folder. */
export function writeVault(folder: string, { documents, queries }: CollectionFolder): Collection {
  const documentOf = new Map<string, string>()
  documents.forEach(({ id, title, text }, at) => {
    const inner = String(Math.floor(at / FOLDER_SIZE))
    if (at % FOLDER_SIZE === 0) mkdirSync(join(folder, inner), { recursive: true })
    const head = title === '' ? '' : `---\ntitle: ${JSON.stringify(title)}\n---\n`
    writeFileSync(join(folder, inner, `document-${at}.md`), `${head}${text}\n`)
    documentOf.set(`${inner}/document-${at}.md`, id)
  })
  return { queries, documentOf: (note) => documentOf.get(note) ?? note }
}

function readRecords(path: string): readonly Document[] {
  return readLines(path).map(([line, number]) => {
    const record = parse(line, `${path}:${number}`)
    const text = (name: string): string => (typeof record[name] === 'string' ? record[name] : '')
    const id = record.id ?? record._id
    if (typeof id !== 'string' && typeof id !== 'number') throw wrong(`${path}:${number} has no "id".`)
    return { id: String(id), title: text('title').replace(/\s+/g, ' ').trim(), text: text('text') }
  })
}

function parse(line: string, where: string): Readonly<Record<string, unknown>> {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record === 'object' && record !== null) return record as Readonly<Record<string, unknown>>
  } catch {
    // Said below.
  }
  throw wrong(`${where} is no JSON object.`)
}

function readJudgements(path: string): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const gains = new Map<string, Map<string, number>>()
  for (const [line, number] of readLines(path)) {
    const [query = '', ...rest] = line.trim().split(/\s+/)
    // The format of TREC has a column more, of which no one knows what it means.
    const [document, judgement] = rest.length === 3 ? rest.slice(1) : rest
    const gain = Number(judgement)
    if (document === undefined || Number.isNaN(gain)) {
      if (number === 1) continue
      throw wrong(`${path}:${number} is no judgement.`)
    }
    const judged = gains.get(query) ?? new Map<string, number>()
    gains.set(query, judged.set(document, gain))
  }
  return gains
}

function readLines(path: string): readonly (readonly [line: string, number: number])[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw new RouxError('INVALID_PARAMS', `${path} cannot be read (${errorCode(cause)}).`, {
      hint: FORMAT,
      cause,
    })
  }
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [[line, at + 1] as const]))
}

function wrong(message: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, { hint: FORMAT })
}
