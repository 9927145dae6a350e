import * as z from 'zod/v4'
import { mergeRanked } from '../../app/find/merge.ts'
import { type SearchResult, search } from '../../app/find/search.ts'
import { getNode, type NodeDetails } from '../../app/read/get-node.ts'
import { RouxError } from '../../core/errors.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, SEARCH_NOTES, type Tool } from '../definition/define-tool.ts'
import { listOf, outputSchema, TEXT } from '../definition/schemas.ts'
import { resourceUri } from '../resources/resource-uri.ts'
import { SEARCH } from './find.ts'

export interface NamedNote {
  readonly id: string
  /** The path as spelled on disk. It is omitted if it equals the id without the vault's name. */
  readonly path?: string | undefined
  readonly title: string
}

export type AddressOf = (note: NamedNote) => string

const MAX_RESULTS = 20

/** The length in characters, which corresponds to about 10,000 tokens. */
const PART_LENGTH = 40_000

/** Matches the suffix of an id that requests a later part of a note. */
const LATER_PART = /\?offset=(\d{1,9})$/

/**
 * Adds `search` and `fetch` for ChatGPT connectors, and renames the full search.
 * @param addressOf returns the address of a note; by default, its resource URI
 */
export function withConnectorTools(
  tools: readonly Tool[],
  addressOf: AddressOf = ({ id, path }) => resourceUri('node', path ?? id),
): readonly Tool[] {
  const rest = tools.filter(({ name }) => name !== 'search')
  return [
    connectorSearch(addressOf),
    connectorFetch(addressOf),
    defineTool({ ...SEARCH, name: SEARCH_NOTES, settingFrom: 'search' }),
    ...rest,
  ]
}

function connectorSearch(addressOf: AddressOf): Tool {
  return defineTool({
    name: 'search',
    title: 'Search',
    description: 'Finds notes that answer a question, best first: "How do I keep dough warm?" Use fetch to read one.',
    input: () => ({ query: z.string().min(1).max(10_000).describe('The question.') }),
    output: outputSchema({ results: listOf({ id: TEXT, title: TEXT, url: TEXT }) }),
    searchReadiness: () => 'meaning',
    reach: {
      kind: 'all',
      merge: (answers: readonly VaultAnswer<readonly SearchResult[]>[]) => mergeRanked(valuesOf(answers)).slice(0, MAX_RESULTS),
    },
    run: (core, { query }, call) => {
      const mode = core.embedding === undefined ? 'keyword' : 'hybrid'
      const page = { limit: MAX_RESULTS, offset: 0 }
      return search(core, { query, mode, relevance: 'normal', includeContent: false, explain: false, links: 0, ...page }, call)
    },
    present: (results) => ({ results: results.map((note) => ({ id: note.id, title: note.title, url: addressOf(note) })) }),
  })
}

function connectorFetch(addressOf: AddressOf): Tool {
  return defineTool({
    name: 'fetch',
    settingFrom: 'get_node',
    title: 'Read a note',
    description: 'Returns the text of a note, given an id from search. The end of a long note says how to fetch the rest.',
    names: { id: 'note' },
    input: () => ({ id: z.string().describe('An id from search.') }),
    output: outputSchema({
      id: TEXT,
      title: TEXT,
      text: TEXT,
      url: TEXT,
      metadata: { type: 'object', additionalProperties: TEXT },
    }),
    run: async (core, { id }, call) => {
      const part = LATER_PART.exec(id)
      const read = (name: string, offset: number) => getNode(core, { id: name, depth: 0, offset, maxChars: PART_LENGTH }, call)
      // The name of a file may end with such a suffix, so try the whole id first.
      const whole = await read(id, 0)
      const { value, ...answer } =
        whole.value === null && part !== null ? await read(id.slice(0, part.index), Number(part[1])) : whole
      if (value !== null) return { ...answer, value }
      const message = answer.warnings.map((warning) => warning.message).join(' ')
      throw new RouxError('NODE_NOT_FOUND', message, { hint: 'Use an id from the search results.' })
    },
    present: (note) => ({
      id: note.id,
      title: note.title,
      text: textOf(note),
      url: addressOf(note),
      metadata: metadataOf(note),
    }),
  })
}

function textOf({ id, path, kind, content = '', next_offset: next }: NodeDetails): string {
  if (kind === 'attachment') return `${path ?? id} is an attachment, not a note. Its content cannot be fetched.`
  if (next === undefined) return content
  return `${content}\n\n[The note continues. To read the rest, call fetch with the id "${id}?offset=${next}".]`
}

function metadataOf({ id, path = id, tags, modified }: NodeDetails): Readonly<Record<string, string>> {
  return {
    path,
    ...(tags.length === 0 ? {} : { tags: tags.join(', ') }),
    ...(modified === undefined ? {} : { modified }),
  }
}
