import type { NodeId } from '../../core/ids.ts'
import type { NoteChunks } from '../../core/search.ts'
import type { Node, OutgoingLink, Scope } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import type { Relevance } from '../../search/relevance.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { answerFindable, type Call } from '../answer/answer-when-ready.ts'
import { jsonBytes, TOKEN_BYTES, tokensFor } from '../answer/budget.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import { quoted } from '../answer/truncate.ts'
import { type AnsweringPlace, chunksOf, type PassageQuery, placesOf } from '../find/passages.ts'
import { type Asked, ask, passageQuery, type Ranked, rank, readChunked, type SearchArguments } from '../find/search.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { readableSource } from '../read/readable-source.ts'
import { type Reading, unreadWarnings } from '../read/texts.ts'
import { toAnsweringScope, WITH_TEXT } from '../scope.ts'
import { fitPack, type PackExcerpt, type PackPassage } from './fit-pack.ts'
import { bestWays, linksOf, readLinked, type Way, waysFrom } from './follow-links.ts'
import { endingAt, inOrder, type PlacedPassage, packPassage } from './pack-passages.ts'
import { sharedEndings } from './shared-endings.ts'

export interface PackArguments {
  /** The question; without it there are ids. */
  readonly query?: string | undefined
  /** Notes that come first. */
  readonly ids?: readonly string[] | undefined
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  readonly maxTokens?: number | undefined
  /** Passages to skip: those of earlier answers to the same question. */
  readonly offset?: number | undefined
}

/** Passages that belong together for a question, in a given number of tokens. */
export interface ContextPack {
  /** The best first. */
  readonly excerpts: readonly PackExcerpt[]
  /** What this takes. */
  readonly tokens: number
  /** Passages that were found and are neither here nor before. */
  readonly omitted: number
  /** The `offset` that continues after these. */
  readonly next_offset?: number
}

/** One of several vaults: its passages are merged with the others first. */
interface PackPart extends ContextPack {
  readonly draft: PackDraft
}

/** The candidates of one vault for a pack. */
interface PackDraft {
  readonly maxTokens: number
  /** Best first. */
  readonly passages: readonly PackPassage[]
}

/** The default budget of a pack, tokens. */
const PACK_TOKENS = 4_000

/** Notes searched for passages, independent of the budget, because the next page must find the same ones again. */
const HITS = 24
/** Notes that are asked for come before what is found. */
const GIVEN = 10
/** The factor for the rest of a note's passages. */
const REST = 0.5
const MOST_PARTS = 50
/** Headings of an outline. */
const OUTLINE = 30

/**
 * The passages that answer a question, and those that links in the best of these lead to, within a budget; or about notes.
 * @throws RouxError as `search` does
 */
export async function contextPack(core: GraphCore, args: PackArguments, call: Call = {}): Promise<Answer<ContextPack>> {
  const { value: draft, warnings } = await draftPack(core, args, call)
  const value: ContextPack | PackPart =
    call.isPart === true ? { excerpts: [], tokens: 0, omitted: draft.passages.length, draft } : packOf([draft], args.offset)
  return { value, warnings }
}

/** The pack that several vaults have together. */
export function mergePacks(packs: readonly ContextPack[], offset = 0): ContextPack {
  return packOf(
    packs.flatMap((pack) => ('draft' in pack ? [(pack as PackPart).draft] : [])),
    offset,
  )
}

async function draftPack(core: GraphCore, args: PackArguments, call: Call): Promise<Answer<PackDraft>> {
  const { value: passages, warnings } = await findPack(core, args, call)
  const maxTokens = tokensFor(args.maxTokens, PACK_TOKENS, { ...call, whole: false }) ?? PACK_TOKENS
  return { value: { maxTokens, passages }, warnings }
}

export interface PackSource extends Pick<PackArguments, 'query' | 'ids' | 'folder' | 'tag'> {
  /** Only this note, and no link out of it. */
  readonly note?: string | undefined
  readonly relevance?: Relevance | undefined
}

/** All that may be in a pack, the best first. @throws RouxError as `search` does */
export function findPack(core: GraphCore, args: PackSource, given: Call = {}): Promise<Answer<readonly PlacedPassage[]>> {
  return answerFindable(core, given, 'meaning', async (read, call) => {
    const { ids: written = [], folder, tag } = args
    const mayEmbed = (path: string): boolean => core.embedding?.mayEmbed?.(path) !== false
    const notes = written.length === 0 ? NO_NOTES : await read((snapshot) => findGiven({ core, snapshot, call }, written))
    const scope = toAnsweringScope({ folder, tag, kinds: WITH_TEXT }, args.query ?? '')
    const query = args.query ?? notes.titles.join('\n')
    // Titles of notes that are kept from the embedder are compared by words.
    const isTold = args.query !== undefined || notes.paths.every((path) => path !== undefined && mayEmbed(path))
    const asked = query.trim() === '' ? NOTHING_ASKED : await ask(core, { mode: isTold ? 'hybrid' : 'keyword', query }, call)
    const found = await read((snapshot) => findPassages({ core, snapshot, call }, { args, query, asked, ids: notes.ids, scope }))
    const ways = await bestWays(found.ways, { asked, lens: found.lens, mayEmbed, signal: call.signal })
    const linked = await read((snapshot) => readLinked({ core, snapshot, call }, { ways, lens: found.lens, asked }))
    const all = inOrder([...found.passages, ...linked.passages])
    const endings = sharedEndings(all, found.lens.words)
    const passages = all.map((passage) => endingAt(passage, endings.get(passage.node.id) ?? passage.place.end))
    return {
      value: passages,
      warnings: [...notes.warnings, ...found.warnings, ...unreadWarnings([...found.unread, ...linked.unread])],
    }
  })
}

function packOf(drafts: readonly PackDraft[], offset = 0): ContextPack {
  const passages = drafts.flatMap((draft) => draft.passages).toSorted((a, b) => b.score - a.score)
  const room = Math.min(...drafts.map(({ maxTokens }) => maxTokens)) * TOKEN_BYTES
  const around = { excerpts: [], tokens: MOST_COUNTED, omitted: MOST_COUNTED, next_offset: MOST_COUNTED }
  const rest = passages.slice(offset)
  const { excerpts, passed } = fitPack(rest, room - jsonBytes(around) + '[]'.length)
  const omitted = rest.length - excerpts.length
  const end = offset + passed
  const isMore = end < passages.length && excerpts.length > 0
  const pack = { excerpts, tokens: 0, omitted, ...(isMore ? { next_offset: end } : {}) }
  return { ...pack, tokens: tokensWith(pack) }
}

/** A number that no count has more digits than. */
const MOST_COUNTED = 99_999

/** The size of a pack, including its own count. */
function tokensWith(pack: ContextPack): number {
  const without = jsonBytes(pack) - 1
  let tokens = 0
  for (let before = -1; tokens !== before; ) {
    before = tokens
    tokens = Math.ceil((without + String(tokens).length) / TOKEN_BYTES)
  }
  return tokens
}

interface GivenNotes {
  readonly ids: readonly NodeId[]
  readonly titles: readonly string[]
  readonly paths: readonly (string | undefined)[]
  readonly warnings: readonly Warning[]
}

const NO_NOTES: GivenNotes = { ids: [], titles: [], paths: [], warnings: [] }
const NOTHING_ASKED: Asked = { question: undefined, traits: undefined, warnings: [] }

/** The notes behind ids, without duplicates. Excluded notes are left out. */
async function findGiven({ core, snapshot }: Reading, written: readonly string[]): Promise<GivenNotes> {
  const meant = await findNamed(snapshot, core, written)
  const ids = [...new Set(meant.ids.filter((id) => id !== undefined))]
  const nodes = (await snapshot.nodes(ids, { links: 0 })).filter((node) => node !== undefined)
  const shown = nodes.filter(({ kind, excluded }) => WITH_TEXT.includes(kind) && !excluded)
  const left = nodes.filter((node) => !shown.includes(node))
  const warnings = left.map(({ id, excluded }): Warning => {
    const why = excluded ? "is hidden by the vault's own filters" : 'is no note and no canvas'
    return { code: 'NOTICE', message: `${quoted(id)} is not in this answer: it ${why}.` }
  })
  return {
    ids: shown.map(({ id }) => id),
    titles: shown.map(({ title }) => title),
    paths: shown.map(({ path }) => path),
    warnings: [...meant.warnings, ...warnings],
  }
}

interface Wanted {
  readonly args: PackSource
  readonly query: string
  readonly asked: Asked
  /** Notes that come first. */
  readonly ids: readonly NodeId[]
  readonly scope: Scope
}

/** How passages are compared with the question. */
export type Lens = Pick<PassageQuery, 'words' | 'meaning' | 'isNamed'>

interface FoundPassages {
  readonly passages: readonly PlacedPassage[]
  /** Links that stand in the best of them. */
  readonly ways: readonly Way[]
  readonly lens: Lens
  readonly unread: readonly NodeId[]
  readonly warnings: readonly Warning[]
}

async function findPassages(reading: Reading, { args, query, asked, ids, scope }: Wanted): Promise<FoundPassages> {
  const { snapshot } = reading
  const { folder, tag, note, relevance } = args
  const ranked =
    args.query === undefined
      ? undefined
      : await rankSurely(reading, { ...SEARCH, query, folder, tag, note }, { asked, relevance })
  const hits = ranked?.hits.filter(({ key }) => !ids.includes(key)) ?? []
  const lens = ranked === undefined ? ownLens(query) : packLens(query, ranked)
  const all = [...ids, ...hits.map(({ key }) => key)]
  const [{ notes, stored, unread }, links] = await Promise.all([
    readChunked(reading, all, { links: 0, question: asked.question }),
    note === undefined ? linksOf(snapshot, all, scope) : NO_LINKS,
  ])
  const given: PlacedPassage[] = []
  const found: AnsweringNote[] = []
  for (const [at, { node, source } = {}] of notes.entries()) {
    if (node === undefined || source === undefined) continue
    const read: ReadNote = { node, source, stored: stored[at] }
    const score = hits[at - ids.length]?.score ?? 0
    if (at < ids.length) {
      given.push(...givenPassages(read, lens, at / all.length))
      continue
    }
    found.push({ ...read, score, places: placesOf(node, readableSource(node, source), { ...lens, stored: read.stored }) })
  }
  const best = inOrder([...given, ...foundPassages(found, lens)])
  return {
    passages: best,
    ways: waysFrom(best, links),
    lens,
    unread,
    warnings: [
      ...(ranked?.warnings ?? asked.warnings),
      ...(best.length === 0 ? await scopeWarnings(snapshot, { folder, tag }) : []),
    ],
  }
}

const NO_LINKS: ReadonlyMap<NodeId, readonly OutgoingLink[]> = new Map()

/**
 * Relevant notes as requested; by default the relevant ones with those nearly as close, or the closest if none is
 * relevant.
 */
async function rankSurely(
  reading: Reading,
  args: Omit<SearchArguments, 'relevance'>,
  { asked, relevance }: { readonly asked: Asked; readonly relevance: Relevance | undefined },
): Promise<Ranked> {
  const ranked = await rank(reading, { ...args, relevance: relevance ?? 'loose' }, asked)
  if (relevance !== undefined || ranked.hits.length === 0) return ranked
  if (!ranked.isSure) return { ...ranked, warnings: [...ranked.warnings, NOT_SURE] }
  const least = Math.min(ranked.sureFrom, (ranked.hits[0]?.score ?? 0) * NEAR_SHARE)
  return { ...ranked, hits: ranked.hits.filter(({ score }) => score >= least) }
}

/** Notes that are worth less of the best one are left out, unless they are surely about the question. */
const NEAR_SHARE = 0.4

const NOT_SURE: Warning = {
  code: 'NOTICE',
  message: 'No passage clearly answers the question; these come closest.',
}

const SEARCH = { limit: HITS, includeContent: false, mode: 'hybrid', explain: false } as const

/** Titles are compared by their words only: they say where a note is, not what is asked. */
function ownLens(query: string): Lens {
  return { words: { terms: queryTerms(query).map((term) => ({ term, weight: 1 })), phrases: [] }, meaning: undefined }
}

interface ReadNote {
  readonly node: Node
  readonly source: NoteText
  readonly stored: NoteChunks | undefined
}

interface AnsweringNote extends ReadNote {
  readonly score: number
  readonly places: readonly AnsweringPlace[]
}

/** The passage's share of its worth; its note gives the rest. */
const OWN_SHARE = 0.25

/**
 * The passages of found notes: three quarters of a passage's worth come from its note, one quarter from itself compared
 * with the best.
 */
function foundPassages(notes: readonly AnsweringNote[], { words }: Lens): readonly PlacedPassage[] {
  const highest = Math.max(...notes.map(({ score }) => score))
  const best = Math.max(...notes.map(({ places }) => places[0]?.score ?? 0)) || 1
  return notes.flatMap(({ node, source, score: worth, places }) =>
    places.map(({ place, score: says }) => {
      const ofNote = worth * (places[0]?.score ? says / places[0].score : 1)
      return packPassage({ node, source, place, words, score: (1 - OWN_SHARE) * ofNote + OWN_SHARE * highest * (says / best) })
    }),
  )
}

/** Everything known of the question's vector counts here, because passages are only compared with each other. */
function packLens(query: string, ranked: Ranked): Lens {
  const { words, meaning } = passageQuery(query, ranked)
  const high = Math.max(0, ...ranked.hits.map(({ semantic }) => semantic?.score ?? 0))
  return {
    words,
    meaning: meaning === undefined || high === 0 ? undefined : { ...meaning, certainty: { low: 0, high } },
    isNamed: true,
  }
}

/** The beginning of a note that was asked for, with its outline, and later what else it says. */
function givenPassages({ node, source, stored }: ReadNote, lens: Lens, after: number): readonly PlacedPassage[] {
  const outline = node.headings.slice(0, OUTLINE).map(({ level, text }) => `${'#'.repeat(level)} ${text}`)
  const parts = chunksOf(node, readableSource(node, source), stored).slice(0, MOST_PARTS)
  return parts.map((place, at) =>
    at === 0
      ? packPassage({ node, source, place, words: NO_WORDS, score: GIVEN - after, ...(outline.length === 0 ? {} : { outline }) })
      : packPassage({ node, source, place, words: lens.words, score: REST / (at + after) }),
  )
}

/** A beginning is shown from its beginning. */
const NO_WORDS: Lens['words'] = { terms: [], phrases: [] }
