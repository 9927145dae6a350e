import { basename } from 'node:path'
import type { GraphCore } from '../../app/graph-core.ts'
import { linkQuotes } from '../../app/links/link-quotes.ts'
import { vaultPicture } from '../../app/links/picture.ts'
import { type PageText, pageNote } from '../../app/read/page-note.ts'
import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'

export interface MapPageOptions {
  readonly template: string
  /** Optional parts of the page: the texts of the notes, and the sentences that contain links. */
  readonly included: { readonly texts: boolean; readonly quotes: boolean }
  /** Called if notes could not be read. The text of these notes is left out. */
  onUnread(message: string): void
}

/** Placeholder for the data in the template. */
const MAP_HERE = '"MAP-HERE"'

/** Number of notes to read concurrently. */
const NOTES = 50

/** Renders the map of a vault as a self-contained page, in chunks. Only listed notes are included. */
export async function* mapPage(core: GraphCore, { template, included, onUnread }: MapPageOptions): AsyncGenerator<string> {
  const [before = '', after = ''] = template.split(MAP_HERE)
  const { value: picture } = await vaultPicture(core, { mayMove: 'once' }, { whole: true })
  yield `${before}{"name":${json(core.name ?? basename(core.root))},"picture":${json(picture)}`
  if (included.texts) yield* textsOf(core, picture.ids, onUnread)
  if (included.quotes) yield* quotesOf(core, picture.ids, onUnread)
  yield `}${after}`
}

/** Yields the rendered text of each note, or `null` if the note could not be read. */
async function* textsOf(core: GraphCore, ids: readonly NodeId[], onUnread: MapPageOptions['onUnread']): AsyncGenerator<string> {
  yield ',"texts":['
  let missing = 0
  for (let from = 0; from < ids.length; from += NOTES) {
    const pages = await Promise.all(ids.slice(from, from + NOTES).map((id) => textOf(core, id)))
    missing += pages.filter((page) => page === undefined).length
    yield `${from === 0 ? '' : ','}${pages.map((page) => json(page ?? null)).join(',')}`
  }
  yield ']'
  if (missing > 0) onUnread(`${missing} of ${ids.length} notes could not be read; the page has only their titles.`)
}

/** Yields, for each note, the numbers of the notes that it links to, each with the sentence that contains the link. */
async function* quotesOf(core: GraphCore, ids: readonly NodeId[], onUnread: MapPageOptions['onUnread']): AsyncGenerator<string> {
  const numbers = new Map(ids.map((id, number) => [id, number]))
  yield ',"quotes":['
  for (let from = 0; from < ids.length; from += NOTES) {
    const { value, warnings } = await linkQuotes(core, ids.slice(from, from + NOTES), { whole: true })
    for (const { message } of warnings) onUnread(message)
    const quotes = value.map((ofNote) => ofNote.flatMap(({ to, text }) => (numbers.has(to) ? [[numbers.get(to), text]] : [])))
    yield `${from === 0 ? '' : ','}${quotes.map(json).join(',')}`
  }
  yield ']'
}

async function textOf(core: GraphCore, id: NodeId): Promise<PageText | undefined> {
  try {
    const { value } = await pageNote(core, { id }, { whole: true })
    if (value === null) return undefined
    const { title, text, left_out, lines_before, links, comments, formulas, breaks } = value
    return { title, text, left_out, lines_before, links, comments, formulas, breaks }
  } catch (error) {
    // The page is still useful if one file cannot be read in time.
    if (error instanceof RouxError && error.code === 'TIMEOUT') return undefined
    throw error
  }
}

/** Escapes JSON for embedding in an HTML element. */
function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
