import type { NodeId } from '../../core/ids.ts'
import type { NoteChunks } from '../../core/search.ts'
import type { Node, OutgoingLink, Scope } from '../../core/store.ts'
import type { NoteText } from '../../core/texts.ts'
import type { Relevance } from '../../search/relevance.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { answerFindable, type Call } from '../answer/answer-when-ready.ts'
import { jsonBytes, TOKEN_BYTES, tokensFor } from '../answer/budget.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import { quoted } from '../answer/truncate.ts'
import { type AnsweringPlace, chunksOf, type PassageQuery, placesOf } from '../find/passages.ts'
import {
  type EmbeddedQuestion,
  embedQuestion,
  passageQuery,
  type Ranked,
  rank,
  readChunked,
  type SearchArguments,
} from '../find/search.ts'
import { placeBefore, sharedEndings } from '../find/shared-endings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { findNamed } from '../names/known-node.ts'
import { type ReadingContext, readableSource, unreadWarnings } from '../read/texts.ts'
import { toAnsweringScope, WITH_TEXT } from '../scope.ts'
import { fitPack, type PackExcerpt, type PackPassage } from './fit-pack.ts'
import { bestLinks, type LinkCandidate, linksFromPassages, linksOf, readLinked } from './follow-links.ts'
import { inOrder, lowerRepeatedNotes, type PlacedPassage, packPassage, withoutLikeness } from './pack-passages.ts'

export interface PackArguments {
  readonly query?: string | undefined
  readonly ids?: readonly string[] | undefined
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  readonly maxTokens?: number | undefined
  readonly offset?: number | undefined
}

export interface ContextPack {
  readonly excerpts: readonly PackExcerpt[]
  readonly tokens: number
  /** Number of passages after this pack. */
  readonly omitted: number
  readonly next_offset?: number
}

interface PackPart extends ContextPack {
  readonly draft: PackDraft
}

interface PackDraft {
  readonly maxTokens: number
  /** True if the answer contains hashes, which only writing needs. */
  readonly mayWrite: boolean
  readonly passages: readonly PackPassage[]
}

const PACK_TOKENS = 3_000

/** The limit does not depend on the budget, so `offset` counts the same passages in every call. */
const MAX_HITS = 24
/** Requested notes come first, because this score is higher than any search score. */
const GIVEN_SCORE = 10
const OTHER_PASSAGES_FACTOR = 0.5
const MAX_PARTS = 50
const MAX_HEADINGS = 30

/**
 * Returns passages that answer a question, and passages that the best ones link to. Without a question, the passages come from
 * `ids`.
 * @throws RouxError like `search`
 */
export async function contextPack(core: GraphCore, args: PackArguments, call: Call = {}): Promise<Answer<ContextPack>> {
  const { value: draft, warnings } = await draftPack(core, args, call)
  const value: ContextPack | PackPart =
    call.isPart === true ? { excerpts: [], tokens: 0, omitted: draft.passages.length, draft } : packOf([draft], args.offset)
  return { value, warnings }
}

export function mergePacks(packs: readonly ContextPack[], offset = 0): ContextPack {
  return packOf(
    packs.flatMap((pack) => ('draft' in pack ? [(pack as PackPart).draft] : [])),
    offset,
  )
}

async function draftPack(core: GraphCore, args: PackArguments, call: Call): Promise<Answer<PackDraft>> {
  const { value: passages, warnings } = await findPack(core, args, call)
  const maxTokens = tokensFor(args.maxTokens, PACK_TOKENS, { ...call, isUntruncated: false }) ?? PACK_TOKENS
  return { value: { maxTokens, passages, mayWrite: core.writing !== undefined }, warnings }
}

export interface PackSource extends Pick<PackArguments, 'query' | 'ids' | 'folder' | 'tag'> {
  /** If given, only this note is searched, and links are not followed. */
  readonly note?: string | undefined
  readonly relevance?: Relevance | undefined
}

/** Returns all candidates, best first. @throws RouxError like `search` */
export function findPack(core: GraphCore, args: PackSource, initialCall: Call = {}): Promise<Answer<readonly PlacedPassage[]>> {
  return answerFindable(core, initialCall, 'meaning', async (read, call) => {
    const { ids: givenIds = [], folder, tag } = args
    const mayEmbed = (path: string): boolean => core.embedding?.mayEmbed?.(path) !== false
    const notes = givenIds.length === 0 ? NO_NOTES : await read((snapshot) => findGiven({ core, snapshot, call }, givenIds))
    const query = args.query ?? notes.titles.join('\n')
    // Notes that must not be embedded are compared by the words of their titles.
    const mayEmbedIt = args.query !== undefined || notes.paths.every((path) => path !== undefined && mayEmbed(path))
    const question =
      query.trim() === '' ? NO_QUESTION : await embedQuestion(core, { mode: mayEmbedIt ? 'hybrid' : 'keyword', query }, call)
    const isEmpty = ({ passages }: FoundPassages): boolean => passages.length === 0
    const { value: found, warnings } = await read((snapshot) =>
      inMatchingFolder({ snapshot, call, folder, isEmpty }, (inFolder) => {
        const scope = toAnsweringScope({ folder: inFolder, tag, kinds: WITH_TEXT }, args.query ?? '')
        const request = { args: { ...args, folder: inFolder }, query, embedded: question, ids: notes.ids, scope }
        return findPassages({ core, snapshot, call }, request)
      }),
    )
    const links = await bestLinks(found.linkCandidates, {
      embedded: question,
      criteria: found.criteria,
      mayEmbed,
      signal: call.signal,
    })
    const linked = await read((snapshot) =>
      readLinked({ core, snapshot, call }, { links, criteria: found.criteria, embedded: question }),
    )
    const all = withoutLikeness(inOrder(lowerRepeatedNotes(inOrder([...found.passages, ...linked.passages]))))
    const endings = sharedEndings(all, found.criteria.words)
    const passages = all.map((passage) => {
      const end = endings.get(passage.node.id)
      return end === undefined ? passage : packPassage({ ...passage, place: placeBefore(passage.source, passage.place, end) })
    })
    return {
      value: passages,
      warnings: [...notes.warnings, ...warnings, ...unreadWarnings([...found.unread, ...linked.unread])],
    }
  })
}

function packOf(drafts: readonly PackDraft[], offset = 0): ContextPack {
  const passages = drafts.flatMap((draft) => draft.passages).toSorted((a, b) => b.score - a.score)
  const room = Math.min(...drafts.map(({ maxTokens }) => maxTokens)) * TOKEN_BYTES
  const largestFrame = { excerpts: [], tokens: MAX_COUNT, omitted: MAX_COUNT, next_offset: MAX_COUNT }
  const rest = passages.slice(offset)
  const { excerpts, passed } = fitPack(rest, {
    room: room - jsonBytes(largestFrame) + '[]'.length,
    hasHashes: drafts.some(({ mayWrite }) => mayWrite),
  })
  const omitted = rest.length - excerpts.length
  const end = offset + passed
  const isMore = end < passages.length && excerpts.length > 0
  const pack = { excerpts, tokens: 0, omitted, ...(isMore ? { next_offset: end } : {}) }
  return { ...pack, tokens: tokensWith(pack) }
}

const MAX_COUNT = 99_999

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
const NO_QUESTION: EmbeddedQuestion = { question: undefined, traits: undefined, warnings: [] }

async function findGiven({ core, snapshot }: ReadingContext, names: readonly string[]): Promise<GivenNotes> {
  const namedNodes = await findNamed(snapshot, core, names)
  const ids = [...new Set(namedNodes.ids.filter((id) => id !== undefined))]
  const nodes = (await snapshot.nodes(ids, { links: 0 })).filter((node) => node !== undefined)
  const withText = nodes.filter(({ kind, excluded }) => WITH_TEXT.includes(kind) && !excluded)
  const skipped = nodes.filter((node) => !withText.includes(node))
  const warnings = skipped.map(({ id, excluded }): Warning => {
    const why = excluded ? "is hidden by the vault's own filters" : 'is neither a note nor a canvas'
    return { code: 'NOTICE', message: `${quoted(id)} is not in this answer: it ${why}.` }
  })
  return {
    ids: withText.map(({ id }) => id),
    titles: withText.map(({ title }) => title),
    paths: withText.map(({ path }) => path),
    warnings: [...namedNodes.warnings, ...warnings],
  }
}

interface PassageRequest {
  readonly args: PackSource
  readonly query: string
  readonly embedded: EmbeddedQuestion
  readonly ids: readonly NodeId[]
  readonly scope: Scope
}

export type MatchCriteria = Pick<PassageQuery, 'words' | 'meaning' | 'isNamed'>

interface FoundPassages {
  readonly passages: readonly PlacedPassage[]
  readonly linkCandidates: readonly LinkCandidate[]
  readonly criteria: MatchCriteria
  readonly unread: readonly NodeId[]
}

async function findPassages(
  reading: ReadingContext,
  { args, query, embedded, ids, scope }: PassageRequest,
): Promise<Answer<FoundPassages>> {
  const { snapshot } = reading
  const { folder, tag, note, relevance } = args
  const ranked =
    args.query === undefined
      ? undefined
      : await rankSurely(reading, { ...SEARCH, query, folder, tag, note }, { embedded, relevance })
  const hits = ranked?.hits.filter(({ key }) => !ids.includes(key)) ?? []
  const criteria = ranked === undefined ? keywordCriteria(query, reading.core.languages) : rankedCriteria(ranked)
  const all = [...ids, ...hits.map(({ key }) => key)]
  const [{ notes, stored, unread }, links] = await Promise.all([
    readChunked(reading, all, { links: 0, question: embedded.question }),
    note === undefined ? linksOf(snapshot, all, scope) : NO_LINKS,
  ])
  const given: PlacedPassage[] = []
  const foundNotes: AnsweringNote[] = []
  for (const [at, { node, source } = {}] of notes.entries()) {
    if (node === undefined || source === undefined) continue
    const read: ReadNote = { node, source, stored: stored[at] }
    const score = hits[at - ids.length]?.score ?? 0
    if (at < ids.length) {
      given.push(...givenPassages(read, criteria, at / all.length))
      continue
    }
    foundNotes.push({
      ...read,
      score,
      places: placesOf(node, readableSource(node, source), { ...criteria, stored: read.stored }),
    })
  }
  const best = inOrder([...given, ...foundPassages(foundNotes, criteria)])
  return {
    value: { passages: best, linkCandidates: linksFromPassages(inOrder(lowerRepeatedNotes(best)), links), criteria, unread },
    warnings: [
      ...(ranked?.warnings ?? embedded.warnings),
      ...(best.length === 0 ? await scopeWarnings(snapshot, { folder, tag }, reading.call) : []),
    ],
  }
}

const NO_LINKS: ReadonlyMap<NodeId, readonly OutgoingLink[]> = new Map()

/**
 * Ranks notes by relevance. If the caller gives no relevance, notes that score nearly as high as the relevant ones are included,
 * or the closest notes if none is relevant.
 */
async function rankSurely(
  reading: ReadingContext,
  args: Omit<SearchArguments, 'relevance'>,
  { embedded, relevance }: { readonly embedded: EmbeddedQuestion; readonly relevance: Relevance | undefined },
): Promise<Ranked> {
  const ranked = await rank(reading, { ...args, relevance: relevance ?? 'loose' }, embedded)
  if (relevance !== undefined || ranked.hits.length === 0) return ranked
  if (!ranked.isSure) return { ...ranked, warnings: [...ranked.warnings, UNSURE_WARNING] }
  const minScore = Math.min(ranked.sureFrom, (ranked.hits[0]?.score ?? 0) * NEAR_SHARE)
  return { ...ranked, hits: ranked.hits.filter(({ score }) => score >= minScore) }
}

/** Minimum share of the best score for notes below the relevance threshold. */
const NEAR_SHARE = 0.4

const UNSURE_WARNING: Warning = {
  code: 'NOTICE',
  message: 'No passage clearly answers the question; these passages come closest.',
}

const SEARCH = { limit: MAX_HITS, includeContent: false, mode: 'hybrid', explain: false } as const

/** A title is not a question, so only its words are compared. */
function keywordCriteria(query: string, languages: readonly string[]): MatchCriteria {
  const terms = queryTerms(query, languages).map((term) => ({ term, weight: 1 }))
  return { words: { terms, phrases: [], languages }, meaning: undefined }
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

/** The weight of a passage's own score. The rest is the score of its note. */
const OWN_SHARE = 0.25

/** Combines the scores of each passage and its note. A passage with a matching heading gets the score of the best note. */
function foundPassages(notes: readonly AnsweringNote[], { words }: MatchCriteria): readonly PlacedPassage[] {
  const highest = Math.max(...notes.map(({ score }) => score))
  const best = Math.max(...notes.map(({ places }) => places[0]?.score ?? 0)) || 1
  return notes.flatMap(({ node, source, score: worth, places }) =>
    places.map(({ place, score: coverage, isAsked }) => {
      if (isAsked) return packPassage({ node, source, place, words, score: highest })
      const ofNote = worth * (places[0]?.score ? coverage / places[0].score : 1)
      return packPassage({
        node,
        source,
        place,
        words,
        score: (1 - OWN_SHARE) * ofNote + OWN_SHARE * highest * (coverage / best),
      })
    }),
  )
}

function rankedCriteria(ranking: Ranked): MatchCriteria {
  const { words, meaning } = passageQuery(ranking)
  const high = Math.max(0, ...ranking.hits.map(({ semantic }) => semantic?.score ?? 0))
  return {
    words,
    meaning: meaning === undefined || high === 0 ? undefined : { ...meaning, certainty: { low: 0, high } },
    isNamed: true,
  }
}

function givenPassages({ node, source, stored }: ReadNote, criteria: MatchCriteria, after: number): readonly PlacedPassage[] {
  const outline = node.headings.slice(0, MAX_HEADINGS).map(({ level, text }) => `${'#'.repeat(level)} ${text}`)
  const parts = chunksOf(node, readableSource(node, source), stored).slice(0, MAX_PARTS)
  return parts.map((place, at) =>
    at === 0
      ? packPassage({
          node,
          source,
          place,
          words: NO_WORDS,
          score: GIVEN_SCORE - after,
          ...(outline.length === 0 ? {} : { outline }),
        })
      : packPassage({ node, source, place, words: criteria.words, score: OTHER_PASSAGES_FACTOR / (at + after) }),
  )
}

const NO_WORDS: MatchCriteria['words'] = { terms: [], phrases: [] }
