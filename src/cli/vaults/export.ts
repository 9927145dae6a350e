import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { communitiesOf, latestOf } from '../../app/find/communities.ts'
import { type SimilarPair, similarPairs } from '../../app/find/similar-nodes.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { linkQuotes } from '../../app/links/link-sentences.ts'
import { vaultPicture } from '../../app/links/picture.ts'
import { type PageText, pageNote } from '../../app/read/page-note.ts'
import { providerError, RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Insight } from '../../core/insight/insight.ts'
import type { ExportRow } from '../../core/store.ts'
import { once } from '../../core/waiting.ts'
import { UsageError } from '../host.ts'
import { write } from '../output/printer.ts'
import { bytesText } from '../output/text.ts'
import { type Invocation, requireSettings, withCore } from '../session.ts'
import { EXPORT_FORMATS, type ExportFormat, formatExport } from './export-formats.ts'

export async function run(invocation: Invocation): Promise<number> {
  const { host, options, positionals } = invocation
  const format = (options.get('format') as ExportFormat | 'html' | undefined) ?? EXPORT_FORMATS[0]
  const included = { texts: options.get('texts') === true, quotes: options.get('quotes') === true }
  for (const [name, isIncluded] of Object.entries(included))
    if (isIncluded && format !== 'html')
      throw new UsageError(
        `--${name} needs --format html: other formats contain only the graph.`,
        `roux export --format html --${name} -o notes.html`,
      )
  if (format === 'html' && options.get('semantic') === true)
    throw new UsageError('--semantic does not work with --format html: a map only shows links.', 'roux export --semantic')
  const output = (options.get('output') as string | undefined) ?? '-'
  const loaded = await requireSettings(invocation, positionals[0])
  let isBegun = false
  await withCore(invocation, loaded, async (core) => {
    const pieces = format === 'html' ? await pagePieces(invocation, core, included) : graphPieces(core, format, options)
    if (output !== '-') {
      const size = await writeFile(resolve(host.cwd, output), pieces)
      const subject =
        format === 'html'
          ? `the map${included.texts ? ' with the texts of the notes' : ''} as a page`
          : `the graph as ${FORMAT_NAMES[format]}`
      return invocation.printer.note(`Wrote ${subject} to ${output} (${bytesText(size)}).`)
    }
    if (isBegun) throw incompleteFileError()
    for await (const piece of pieces) {
      isBegun = true
      await write(host.stdout, piece)
    }
  })
  return 0
}

const FORMAT_NAMES: Readonly<Record<ExportFormat, string>> = {
  json: 'JSON',
  graphml: 'GraphML',
  gexf: 'GEXF',
  dot: 'DOT',
  csv: 'CSV',
}

/** Yields pairs of similar notes. The graph may have changed since the nodes were exported. */
async function* allSimilar(insight: () => Promise<Insight | undefined>, nodes: ReadonlySet<NodeId>): AsyncGenerator<SimilarPair> {
  const result = await insight()
  if (result === undefined) return
  for (const pair of similarPairs(result)) if (nodes.has(pair.source) && nodes.has(pair.target)) yield pair
}

function withIds(rows: AsyncIterable<ExportRow>): {
  readonly rows: AsyncIterable<ExportRow>
  readonly ids: ReadonlySet<NodeId>
} {
  const ids = new Set<NodeId>()
  async function* read() {
    for await (const row of rows) {
      if (row.kind === 'node') ids.add(row.id)
      yield row
    }
  }
  return { rows: read(), ids }
}

function graphPieces(core: GraphCore, format: ExportFormat, options: Invocation['options']): AsyncIterable<string> {
  const insight = once(async () => (await latestOf(core.insights, { isUntruncated: true })).insight)
  const { rows, ids } = withIds(core.store.export())
  return formatExport(
    options.get('communities') === true ? withCommunities(insight, rows) : rows,
    format,
    options.get('semantic') === true ? allSimilar(insight, ids) : undefined,
  )
}

async function pagePieces(
  { host, printer }: Invocation,
  core: GraphCore,
  included: MapPageOptions['included'],
): Promise<AsyncIterable<string>> {
  const template = await readFile(join(dirname(host.program.script), '..', 'app', 'file.html'), 'utf8')
  // Wait for communities, because the page would have no colors without them.
  await latestOf(core.insights, { isUntruncated: true })
  return mapPage(core, { template, included, onUnread: (message) => printer.warn(message) })
}

async function* withCommunities(
  insight: () => Promise<Insight | undefined>,
  rows: AsyncIterable<ExportRow>,
): AsyncGenerator<ExportRow> {
  const result = await insight()
  const communities = result === undefined ? new Map<NodeId, readonly string[]>() : communitiesOf(result)
  for await (const row of rows) {
    const ids = row.kind === 'node' ? communities.get(row.id) : undefined
    yield row.kind === 'node' && ids !== undefined ? { ...row, communities: ids } : row
  }
}

function incompleteFileError(): RouxError {
  return providerError('The index was damaged and has been rebuilt.', 'Run the command again; the output so far is incomplete.')
}

/** Writes a file atomically. @returns the number of bytes */
async function writeFile(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    // The file is opened first, because a stream that is destroyed while opening may still create it.
    const file = await open(temporary, 'wx')
    try {
      await pipeline(pieces, file.createWriteStream())
    } finally {
      await file.close()
    }
    const { size } = await stat(temporary)
    await rename(temporary, path)
    return size
  } catch (cause) {
    await rm(temporary, { force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new RouxError('PERMISSION_DENIED', `${path} cannot be written: ${cause.message.split(',', 1)[0]}.`, {
      hint: 'Choose a file in an existing, writable folder.',
      cause,
    })
  }
}

export interface MapPageOptions {
  readonly template: string
  readonly included: { readonly texts: boolean; readonly quotes: boolean }
  /** A callback for unreadable notes, which are exported without text. */
  onUnread(message: string): void
}

const MAP_HERE = '"MAP-HERE"'

const NOTES = 50

export async function* mapPage(core: GraphCore, { template, included, onUnread }: MapPageOptions): AsyncGenerator<string> {
  const [before = '', after = ''] = template.split(MAP_HERE)
  const { value: picture } = await vaultPicture(core, { mayMove: 'once' }, { isUntruncated: true })
  yield `${before}{"name":${json(core.name ?? basename(core.root))},"picture":${json(picture)}`
  if (included.texts) yield* textsOf(core, picture.ids, onUnread)
  if (included.quotes) yield* quotesOf(core, picture.ids, onUnread)
  yield `}${after}`
}

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

async function* quotesOf(core: GraphCore, ids: readonly NodeId[], onUnread: MapPageOptions['onUnread']): AsyncGenerator<string> {
  const numbers = new Map(ids.map((id, number) => [id, number]))
  yield ',"quotes":['
  for (let from = 0; from < ids.length; from += NOTES) {
    const { value, warnings } = await linkQuotes(core, ids.slice(from, from + NOTES), { isUntruncated: true })
    for (const { message } of warnings) onUnread(message)
    const quotes = value.map((ofNote) => ofNote.flatMap(({ to, text }) => (numbers.has(to) ? [[numbers.get(to), text]] : [])))
    yield `${from === 0 ? '' : ','}${quotes.map(json).join(',')}`
  }
  yield ']'
}

async function textOf(core: GraphCore, id: NodeId): Promise<PageText | undefined> {
  try {
    const { value } = await pageNote(core, { id }, { isUntruncated: true })
    if (value === null) return undefined
    const { title, text, left_out, lines_before, links, comments, formulas, breaks } = value
    return { title, text, left_out, lines_before, links, comments, formulas, breaks }
  } catch (error) {
    // A note whose file cannot be read in time is exported without quotes.
    if (error instanceof RouxError && error.code === 'TIMEOUT') return undefined
    throw error
  }
}

function json(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c')
}
