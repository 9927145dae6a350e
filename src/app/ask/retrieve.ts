import type { Passage } from '../../ai/passage.ts'
import { RouxError } from '../../core/errors.ts'
import { estimateTokens } from '../../core/estimate-tokens.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Relevance } from '../../search/relevance.ts'
import { answer, type Call } from '../answer-when-ready.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { findIds } from '../known-node.ts'
import { search } from '../search.ts'
import { readTexts, requireText, unreadWarnings } from '../texts.ts'

/** What a model may be shown for a question. */
export interface FoundPassage extends Passage {
  readonly id: NodeId
  readonly path: string
  /** Of the file's bytes when it was read. */
  readonly hash: string
}

export interface RetrieveArguments {
  /** What is looked for: the question, and the one before it. */
  readonly query: string
  readonly noteId?: string | undefined
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  readonly relevance: Relevance
  /** Tokens of text that there is room for. */
  readonly room: number
}

/** Finds the passages for a question, the best first, as they are in the files. */
export type Retrieve = (core: GraphCore, args: RetrieveArguments, call: Call) => Promise<Answer<readonly FoundPassage[]>>

/** Notes that are looked at. */
const NOTES = 10
/** What search shows of them, tokens. */
const MOST_SHOWN = 12_000

/** By `search`; of one note all of it, where there is room. @throws RouxError `NODE_NOT_FOUND` for a note that there is not */
export const retrieveBySearch: Retrieve = async (core, args, call) => {
  const whole = args.noteId === undefined ? undefined : await wholeNote(core, args.noteId, call)
  if (whole !== undefined && estimateTokens(whole.text) <= args.room) return { value: [whole], warnings: [] }
  const { query, folder, tag, relevance, room } = args
  const found = await search(
    core,
    {
      query,
      folder,
      tag,
      relevance,
      limit: NOTES,
      includeContent: false,
      mode: 'hybrid',
      explain: false,
      links: 0,
      maxTokens: Math.min(MOST_SHOWN, Math.max(1_000, 2 * room)),
      ...(whole === undefined ? {} : { note: whole.id, relevance: 'loose' }),
    },
    call,
  )
  const places = byTurns(found.value.map((row) => row.passages.map((passage) => ({ ...passage, id: row.id, title: row.title }))))
  const read = await answer(core, call, async (snapshot) => {
    const ids = [...new Set(places.map(({ id }) => id))]
    const [{ texts, unread }, versions] = await Promise.all([readTexts({ core, snapshot, call }, ids), snapshot.versions(ids)])
    const paths = new Map(versions.flatMap((version) => (version === undefined ? [] : [[version.id, version.path] as const])))
    const value = places.flatMap(({ id, title, heading, start_line: startLine, end_line: endLine }): readonly FoundPassage[] => {
      const [source, path] = [texts.get(id), paths.get(id)]
      if (source === undefined || path === undefined) return []
      const text = source.text
        .split('\n')
        .slice(startLine - 1, endLine)
        .join('\n')
      return text.trim() === '' ? [] : [{ id, path, title, heading, startLine, endLine, text, hash: source.hash }]
    })
    return { value, warnings: unreadWarnings(unread) }
  })
  return { value: read.value, warnings: [...found.warnings, ...read.warnings] }
}

async function wholeNote(core: GraphCore, noteId: string, call: Call): Promise<FoundPassage> {
  const { value } = await answer(core, call, async (snapshot) => {
    const [id] = await findIds(snapshot, core, [noteId])
    const [[node], [version]] =
      id === undefined ? [[], []] : await Promise.all([snapshot.nodes([id], { links: 0 }), snapshot.versions([id])])
    const source = id === undefined ? undefined : await requireText({ core, snapshot, call }, id)
    // What the vault's own filters hide is not shown to a model, either.
    if (id === undefined || node === undefined || node.excluded || version === undefined || source === undefined) {
      throw new RouxError('NODE_NOT_FOUND', `There is no note ${JSON.stringify(noteId)} to ask about.`, {
        hint: 'resolve_nodes finds the ids of notes by their titles.',
      })
    }
    const { text, hash } = source
    const endLine = text.split('\n').length
    return { value: { id, path: version.path, title: node.title, heading: [], startLine: 1, endLine, text, hash }, warnings: [] }
  })
  return value
}

/** The first of each list, then the second of each. */
function byTurns<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat()
}
