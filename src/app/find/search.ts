import type { Embedder } from '../../core/embedder.ts'
import { RouxError } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { WordTerm } from '../../core/query.ts'
import type { ChunkHit, NoteChunks, WordHits } from '../../core/search.ts'
import type { NameHit, Scope, Snapshot } from '../../core/store.ts'
import { amount } from '../../core/text/format.ts'
import { dotProduct } from '../../core/vectors.ts'
import {
  type FusedHit,
  fuse,
  type KeywordHit,
  type NearByLanguage,
  nearestNotes,
  type RetrieverScore,
  type SemanticHit,
  SUPPORT_CANDIDATES,
  supported,
  supportShare,
} from '../../search/fusion.ts'
import { isSameLanguage, type Language, languageOf, languagesInUse } from '../../search/languages/language-of.ts'
import { type Literal, literalsIn } from '../../search/literals.ts'
import { hasWord } from '../../search/query/read-token.ts'
import {
  COMPARED_RESULTS,
  isOnTopic,
  keepRelevant,
  knowsLanguage,
  knowsLanguageOf,
  leastScore,
  type MeaningTraits,
  queryKind,
  type Relevance,
  traitsIn,
  traitsOf,
} from '../../search/relevance.ts'
import type { SnippetQuery } from '../../search/words/matches.ts'
import { queryTerms, toTerm } from '../../search/words/query-terms.ts'
import { stemOf } from '../../search/words/stem.ts'
import { answerFindable, type Call, type PageArguments, pageFor } from '../answer/answer-when-ready.ts'
import { DEFAULT_TOKENS, tokensFor } from '../answer/budget.ts'
import { type ListedNode, linksShown, listResponse, roundScore } from '../answer/node-response.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { closeTitles } from '../names/close-titles.ts'
import { type NamedExactly, namedExactly, requireNamed, unknownNodeError } from '../names/known-node.ts'
import { type NoteWithText, type ReadingContext, readableSource, readNotes, shownText, unreadWarnings } from '../read/texts.ts'
import { toAnsweringScope, WITH_TEXT } from '../scope.ts'
import { type CorrectedQuestion, correctionWarning, correctQuestion } from './corrected-question.ts'
import { traitsFor } from './embedder-traits.ts'
import { withLinkTexts } from './link-texts.ts'
import { byLiterals, literalNotes, withinLimit } from './literal-notes.ts'
import {
  type AnsweringPlace,
  type Meaning,
  mostPassages,
  type Passage,
  type PassageQuery,
  passageLengths,
  placesOf,
  toPassage,
} from './passages.ts'
import { noEmbedder, type QuestionVector, tryQuestion, unknownWarning } from './question-vector.ts'
import { type NotePlace, placeBefore, sharedEndings } from './shared-endings.ts'

export interface SearchArguments extends PageArguments {
  readonly query: string
  readonly includeContent: boolean
  readonly folder?: string | undefined
  readonly tag?: string | undefined
  /** The note as an id, a unique title or a unique alias. */
  readonly note?: string | undefined
  readonly relevance: Relevance
  readonly mode: 'hybrid' | 'keyword' | 'semantic'
  readonly explain: boolean
  readonly links?: number | undefined
  readonly maxTokens?: number | undefined
}

export interface SearchResult extends ListedNode {
  /** A score from 0 to 1 that can be compared between questions to the same embedder. */
  readonly score: number
  readonly passages: readonly Passage[]
  readonly explain?: Explanation
}

export interface Explanation {
  readonly keyword: RetrieverScore | null
  readonly semantic: RetrieverScore | null
  /** The note's rank among notes in other languages than the question. Other notes have no such rank. */
  readonly across?: RetrieverScore
  /** The weight of the semantic score for this language, 0–1. */
  readonly weight: number
  /** The language in ISO 639-1. It is omitted if it is unclear. */
  readonly language?: string
  /** True if a title or alias equals the question. */
  readonly exact: boolean
  readonly close_title?: string
}

const MAX_CANDIDATES = 1_000
/** Number of passages to fetch. Notes are ranked by their best passage. */
export const PASSAGES = 200
export const MAX_PASSAGES = 16 * PASSAGES
const MIN_NOTES = 50
const MAX_NAMES = 50
/** This factor makes cosines across languages comparable with those within a language. */
const ACROSS_SHARE = 0.9
/** The semantic weight if all near notes are in other languages than the question. */
const FOREIGN_WEIGHT = 0.7
const WELL_MATCHED = 0.6

/**
 * Searches by words and by meaning.
 * @throws RouxError `PROVIDER_ERROR` for mode `semantic` without an embedder, `NODE_NOT_FOUND` for a scope that is not a note
 */
export function search(core: GraphCore, args: SearchArguments, initialCall: Call = {}): Promise<Answer<readonly SearchResult[]>> {
  return answerFindable(core, initialCall, args.mode === 'keyword' ? 'words' : 'meaning', async (read, call) => {
    const question = await embedQuestion(core, args, call)
    const searchIn = async (snapshot: Snapshot, inFolder: SearchArguments): Promise<Answer<readonly SearchResult[]>> => {
      const reading = { core, snapshot, call }
      const { hits, warnings, relevant, ...found } = await rank(reading, inFolder, question)
      const description = await describe(reading, hits, { args, ...found })
      const empty = relevant === 0 ? await scopeWarnings(snapshot, inFolder, call) : []
      const { offset } = pageFor(args, call)
      return {
        value: description.value,
        warnings: [...empty, ...warnings, ...description.warnings],
        list: { offset, shown: hits.length, count: relevant, counted: 'relevant' },
        paths: description.paths,
        ...(description.omitted === undefined ? {} : { omitted: description.omitted }),
      }
    }
    const isEmpty = (value: readonly SearchResult[]): boolean => value.length === 0
    return await read((snapshot) =>
      inMatchingFolder({ snapshot, call, folder: args.folder, isEmpty }, (folder) => searchIn(snapshot, { ...args, folder })),
    )
  })
}

export interface EmbeddedQuestion {
  /** The embedded question. It is `undefined` without a model, or if the model does not support the language. */
  readonly question: QuestionVector | undefined
  readonly traits: MeaningTraits | undefined
  readonly warnings: readonly Warning[]
}

/** Embeds the question. @throws RouxError `PROVIDER_ERROR` for mode `semantic` without an embedder */
export async function embedQuestion(
  core: GraphCore,
  { mode, query }: Pick<SearchArguments, 'mode' | 'query'>,
  call: Call,
): Promise<EmbeddedQuestion> {
  if (mode === 'semantic' && core.embedding === undefined) throw noEmbedder()
  const embedded = mode === 'keyword' ? undefined : await tryQuestion(core, query, call)
  const warnings = embedded !== undefined && 'warning' in embedded ? [embedded.warning] : []
  if (mode === 'semantic' && warnings[0] !== undefined) throw new RouxError('PROVIDER_ERROR', warnings[0].message)
  if (embedded === undefined || 'warning' in embedded) return { question: undefined, traits: undefined, warnings }
  if (!knowsLanguageOf(embedded.embedder.languages, embedded.language))
    return { question: undefined, traits: undefined, warnings }
  return { question: embedded, traits: traitsIn(await traitsFor(core, embedded.embedder), embedded.language), warnings }
}

export interface Ranked extends Omit<Description, 'args'> {
  readonly hits: readonly RankedHit[]
  readonly relevant: number
  /** True if at least one note reaches `sureFrom`, the threshold of `normal`. */
  readonly isSure: boolean
  readonly sureFrom: number
  readonly warnings: readonly Warning[]
}

/** Ranks the notes of the scope. @throws RouxError `NODE_NOT_FOUND` if the scope is not a note */
export async function rank(reading: ReadingContext, args: SearchArguments, embedded: EmbeddedQuestion): Promise<Ranked> {
  const { core, snapshot } = reading
  const { mode, query, relevance } = args
  const { question, traits } = embedded
  const scope = await scopeOf(reading, args)
  const literals = mode === 'semantic' ? [] : literalsIn(query)
  const [{ fused, words, asTyped, corrected, foreign }, literalCounts] = await Promise.all([
    retrieve(reading, args, { ...embedded, scope }),
    literalNotes(reading, literals, { question: query, scope }),
  ])
  const isAnswered = mode === 'semantic' || fused[0]?.exact === true || literalCounts.size > 0
  const [hits, close] = await Promise.all([
    question === undefined || core.searchWeight === 0 ? fused : supportedHits(snapshot, fused, { question, words }),
    isAnswered ? [] : closeTitles(snapshot, query, scope),
  ])
  const certainty = traits === undefined ? 0 : 1
  const { holding, others } = literals.length === 0 ? { holding: [], others: hits } : byLiterals(hits, literalCounts, literals)
  const isOffTopic =
    relevance === 'strict' &&
    !isAnswered &&
    close.length === 0 &&
    traits !== undefined &&
    !isAbout(others.slice(0, COMPARED_RESULTS), { words, traits, foreign })
  const isNoteChosen = args.note !== undefined && relevance !== 'strict'
  const relevantOthers = isNoteChosen ? others : keepRelevant(others, relevance, certainty)
  const relevantHits = [...holding, ...(isOffTopic ? [] : relevantOthers)]
  const titled = withCloseTitles(relevantHits, shownTitles(close, relevantHits, relevance), {
    after: answeredByWords(relevantHits, asTyped),
  })
  const ordered = literals.length === 0 || holding.length > 0 ? titled : titled.map(withinLimit)
  const isUnknown = mode === 'semantic' && query.trim() !== '' && question === undefined
  const unknown = isUnknown ? [unknownWarning('the question')] : []
  const wordless = ordered.length === 0 && !hasWord(query) ? [WORDLESS] : []
  // If this is a part of a merged answer, another vault may contain the words.
  const isByWords = isAnswered || words.hits.length > 0 || close.length > 0 || reading.call.isPart === true
  const wordUnknown = ordered.length > 0 && !isByWords ? [ONLY_NEAR] : []
  const { offset, limit } = pageFor(args, reading.call)
  const isBarely = ordered.length === 0 && relevance === 'normal' && reading.call.isPart !== true
  const barely = isBarely ? keepRelevant(others, 'loose', certainty).length : 0
  return {
    hits: ordered.slice(offset, offset + limit),
    relevant: ordered.length,
    isSure: holding.length + close.length > 0 || keepRelevant(others.slice(0, 1), 'normal', certainty).length > 0,
    sureFrom: leastScore('normal', certainty),
    text: corrected?.text ?? query,
    languages: core.languages,
    words,
    traits,
    question,
    warnings: [
      ...embedded.warnings,
      ...unknown,
      ...spellingWarning(close, corrected),
      ...wordless,
      ...wordUnknown,
      ...barelyWarning(barely),
    ],
  }
}

const WORDLESS: Warning = {
  code: 'FALLBACK',
  message: 'The query contains no word. Punctuation and emoji are not searched, except in names of notes.',
}

const ONLY_NEAR: Warning = {
  code: 'FALLBACK',
  message: 'No searched note contains a word of the query. The notes shown are only near in meaning.',
}

function barelyWarning(notes: number): readonly Warning[] {
  if (notes === 0) return []
  const count = `there ${notes === 1 ? 'is' : 'are'} ${amount(notes, 'barely relevant note')}`
  return [{ code: 'NOTICE', message: `No note is relevant enough. With relevance "loose", ${count}.` }]
}

/** Checks whether notes are about the question. A note in another language always passes, because its words cannot match. */
function isAbout(
  first: readonly FusedHit<NodeId>[],
  { words, traits, foreign }: Pick<Retrieval, 'words' | 'foreign'> & { readonly traits: MeaningTraits },
): boolean {
  const matchedBy = (id: NodeId): number => words.hits.find((hit) => hit.id === id)?.matched ?? 0
  const shared = first.map(({ key, semantic }) => ({ matched: matchedBy(key), cosine: semantic?.score ?? 0 }))
  return first.some(({ key }) => foreign.some((hit) => hit.key === key)) || isOnTopic(shared, traits)
}

interface Retrieval {
  readonly fused: readonly FusedHit<NodeId>[]
  readonly words: WordHits
  readonly asTyped: WordHits
  readonly corrected: CorrectedQuestion | undefined
  readonly foreign: readonly SemanticHit<NodeId>[]
}

async function retrieve(
  reading: ReadingContext,
  { query, mode }: SearchArguments,
  { scope, question, traits }: EmbeddedQuestion & { readonly scope: Scope },
): Promise<Retrieval> {
  const { core, snapshot, call } = reading
  const isByWords = mode !== 'semantic'
  const [asTyped, exactNames] = await Promise.all([
    isByWords ? snapshot.words(queryTerms(query, core.languages), scope, MAX_CANDIDATES) : NO_WORDS,
    isByWords ? namedExactly(snapshot, core, query, scope) : NOT_NAMED,
  ])
  // If this is a part of a merged answer, another vault may contain the word, so it counts as spelled correctly.
  const isSpelled = call.isPart === true || exactNames.ownVault.length > 0
  const corrected = isSpelled
    ? undefined
    : await correctQuestion(snapshot, query, { hits: asTyped, embedder: question?.embedder })
  const terms = queryTerms(corrected?.text ?? query, core.languages)
  const spelled = corrected === undefined ? asTyped : await snapshot.words(terms, scope, MAX_CANDIDATES)
  const [words, semantic] = await Promise.all([
    isByWords ? withLinkTexts(reading, spelled, { terms, scope }) : spelled,
    question === undefined ? NONE_NEAR : nearest(snapshot, question, scope),
  ])
  const exact = new Set(exactNames.ownVault)
  const keyword = words.hits.map(({ id, score, matched }) => ({ key: id, score, matched }))
  const { hits, byLanguage } = semantic
  const usual = areAllForeign(keyword, byLanguage) ? FOREIGN_WEIGHT : (traits?.weight ?? 0)
  const weight = core.searchWeight === 'auto' ? usual : core.searchWeight
  const grouped = weight === 0 ? undefined : byLanguage
  return {
    fused: fuse(keyword, hits, { weight, exact, byLanguage: grouped, certainty: traits?.certainty }),
    words,
    asTyped,
    corrected,
    foreign: byLanguage?.other ?? [],
  }
}

interface NearNotes {
  readonly hits: readonly SemanticHit<NodeId>[]
  readonly byLanguage: NearByLanguage<NodeId> | undefined
}

const NONE_NEAR: NearNotes = { hits: [], byLanguage: undefined }

/**
 * Returns true if all near notes are in other languages, and no note matches the words well. If one does, the detected language
 * is probably wrong.
 */
function areAllForeign(keyword: readonly KeywordHit<NodeId>[], byLanguage: NearByLanguage<NodeId> | undefined): boolean {
  if (byLanguage === undefined || byLanguage.own.length > 0 || byLanguage.other.length === 0) return false
  return keyword.every(({ matched }) => matched < WELL_MATCHED)
}

/**
 * Raises the scores of notes that are similar to the top results. Only English questions benefit, so others keep their scores.
 */
async function supportedHits(
  snapshot: Snapshot,
  hits: readonly FusedHit<NodeId>[],
  { question: { embedder, vector, language }, words }: { readonly question: QuestionVector; readonly words: WordHits },
): Promise<readonly FusedHit<NodeId>[]> {
  const share = supportShare(words.hits.reduce((max, { matched }) => Math.max(max, matched), 0))
  // Without a matching word, scores stay unchanged, because an exact title match could lose its first place.
  if (queryKind(language) !== 'query' || words.hits.length === 0 || share === 0) return hits
  const stored = await snapshot.vectors(
    embedder.id,
    hits.slice(0, SUPPORT_CANDIDATES).map(({ key }) => key),
  )
  const vectors = stored.map((note) => nearestTo(vector, note?.chunks.map((chunk) => chunk.vector) ?? []))
  return supported(hits, vectors, share)
}

function nearestTo(question: Float32Array, vectors: readonly Float32Array[]): Float32Array | undefined {
  let highest = Number.NEGATIVE_INFINITY
  let nearest: Float32Array | undefined
  for (const vector of vectors) {
    const cosine = dotProduct(question, vector)
    if (cosine <= highest) continue
    highest = cosine
    nearest = vector
  }
  return nearest
}

const NOT_NAMED: NamedExactly = { ownVault: [], all: [] }
const NO_WORDS: WordHits = { hits: [], coverage: 0, terms: [] }

/**
 * Finds the nearest notes. Only notes in other languages are compared by the cross-language vector, because it is less accurate
 * within a language.
 */
async function nearest(snapshot: Snapshot, question: QuestionVector, scope: Scope): Promise<NearNotes> {
  const { embedder, vector, across, language } = question
  const isGrouped = traitsOf(embedder.id)?.across !== undefined && language !== undefined
  const [native, inVault] = await Promise.all([
    nearestBy(snapshot, { embedder, vector, scope }),
    isGrouped ? snapshot.languages([]) : undefined,
  ])
  const hits = nearestNotes(native.passages, native.names)
  if (!isGrouped || inVault === undefined) return { hits, byLanguage: undefined }
  const spoken = groupLanguages(inVault.notes, { embedder, language })
  if (spoken.other.size === 0) return { hits, byLanguage: undefined }
  if (across === undefined) return { hits, byLanguage: await groupedByLanguage(snapshot, hits, spoken) }
  const others = await nearestBy(snapshot, { embedder, vector: across, scope })
  const byLanguage = await groupedByLanguage(snapshot, nearestNotes(others.passages, others.names), spoken)
  const isOwn = new Set(byLanguage.own.map(({ key }) => key))
  const comparable = (near: readonly SemanticHit<NodeId>[]) =>
    near.flatMap(({ key, score }) => (isOwn.has(key) ? [] : [{ key, score: ACROSS_SHARE * score }]))
  return {
    hits: nearestNotes([...native.passages, ...comparable(others.passages)], [...native.names, ...comparable(others.names)]),
    byLanguage,
  }
}

interface LanguageGroups {
  readonly ownLanguages: ReadonlySet<string | undefined>
  readonly other: ReadonlySet<string | undefined>
}

/** Groups the languages of the notes, without rare and unsupported ones. `notes` contains the number of notes by language. */
function groupLanguages(
  notes: ReadonlyMap<string, number>,
  { embedder, language }: { readonly embedder: Embedder; readonly language: Language },
): LanguageGroups {
  const inUse = languagesInUse(notes)
  const ownLanguages = new Set<string | undefined>(inUse.filter((code) => isSameLanguage(language, code)))
  return {
    ownLanguages,
    other: new Set(inUse.filter((code) => !ownLanguages.has(code) && knowsLanguage(embedder.languages, code))),
  }
}

async function groupedByLanguage(
  snapshot: Snapshot,
  hits: readonly SemanticHit<NodeId>[],
  { ownLanguages, other }: LanguageGroups,
): Promise<NearByLanguage<NodeId>> {
  const { codes } = await snapshot.languages(hits.map(({ key }) => key))
  return { own: hits.filter((_, at) => ownLanguages.has(codes[at])), other: hits.filter((_, at) => other.has(codes[at])) }
}

interface NearestQuery extends Pick<QuestionVector, 'embedder' | 'vector'> {
  readonly scope: Scope
}

async function nearestBy(snapshot: Snapshot, { embedder, vector, scope }: NearestQuery) {
  const [passages, [names = []]] = await Promise.all([
    nearestPassages(async (limit) => (await snapshot.nearest(embedder.id, [vector], scope, limit))[0] ?? []),
    snapshot.nearestNames(embedder.id, [vector], scope, { limit: MAX_NAMES, minimum: 0 }),
  ])
  const toHit = ({ id, score }: { readonly id: NodeId; readonly score: number }) => ({ key: id, score })
  return { passages: passages.map(toHit), names: names.map(toHit) }
}

/** Returns the nearest passages. If most of them come from one long note, more are fetched. */
async function nearestPassages(nearest: (limit: number) => Promise<readonly ChunkHit[]>): Promise<readonly ChunkHit[]> {
  for (let limit = PASSAGES; ; limit *= 4) {
    const hits = await nearest(limit)
    if (hits.length < limit || limit >= MAX_PASSAGES || new Set(hits.map(({ id }) => id)).size >= MIN_NOTES) return hits
  }
}

async function scopeOf({ core, snapshot }: ReadingContext, { query, folder, tag, note }: SearchArguments): Promise<Scope> {
  const scope = toAnsweringScope({ folder, tag, kinds: WITH_TEXT }, query)
  if (note === undefined) return scope
  const { id } = await requireNamed(snapshot, core, note)
  const [node] = await snapshot.nodes([id], { links: 0 })
  if (node?.kind !== 'note') throw await unknownNodeError(snapshot, note)
  return { ...scope, note: node.id, withoutArchived: false, withoutConflicts: false }
}

export interface RankedHit extends FusedHit<NodeId> {
  readonly closeTitle?: string
}

/** The threshold is below 1, because of rounding errors. */
const ALL_WORDS_COVERAGE = 0.999
/** A question with at most this many words is probably spelled correctly if notes contain all of them. */
const FEW_WORDS = 2
const KEPT_AHEAD = 2

/** Returns how many hits stay ahead of similar titles, because they contain every word. */
function answeredByWords(hits: readonly FusedHit<NodeId>[], { hits: wordHits, terms }: WordHits): number {
  if (terms.length <= FEW_WORDS) return terms.length > 0 && terms.every(({ notes }) => notes > 0) ? KEPT_AHEAD : 0
  const full = new Set(wordHits.filter(({ matched }) => matched >= ALL_WORDS_COVERAGE).map(({ id }) => id))
  if (full.size === 0) return 0
  return hits.findLastIndex(({ key }) => full.has(key)) + 1
}

function shownTitles(close: readonly NameHit[], shown: readonly FusedHit<NodeId>[], relevance: Relevance): readonly NameHit[] {
  if (relevance !== 'strict' || close.length === 0) return close
  const keys = new Set(shown.map(({ key }) => key))
  return close.filter(({ id }) => keys.has(id))
}

/** Inserts notes with similar titles after the first `after` hits, and raises their scores to keep the order. */
function withCloseTitles(
  hits: readonly FusedHit<NodeId>[],
  close: readonly NameHit[],
  { after }: { readonly after: number },
): readonly RankedHit[] {
  if (close.length === 0) return hits
  const names = new Map(close.map(({ id, name }) => [id, name]))
  const toTitled = (hit: FusedHit<NodeId>): RankedHit => {
    const closeTitle = names.get(hit.key)
    return closeTitle === undefined ? hit : { ...hit, closeTitle }
  }
  const first = hits.slice(0, after)
  const others = hits.slice(after)
  const isFirst = new Set(first.map(({ key }) => key))
  const rest = others.filter(({ key }) => !names.has(key))
  const highest = first.at(-1)?.score ?? 1
  const hitsByKey = new Map(others.map((hit) => [hit.key, hit]))
  let minScore = rest[0]?.score ?? 0
  const titled = close
    .filter(({ id }) => !isFirst.has(id))
    .toReversed()
    .map(({ id, score }): RankedHit => {
      const hit = hitsByKey.get(id) ?? { key: id, score: 0, exact: false, keyword: undefined, semantic: undefined, weight: 0 }
      minScore = Math.min(highest, Math.max(minScore, hit.score, score))
      return toTitled({ ...hit, score: minScore })
    })
  return [...first.map(toTitled), ...titled.toReversed(), ...rest]
}

function spellingWarning(close: readonly NameHit[], corrected: CorrectedQuestion | undefined): readonly Warning[] {
  const [best] = close
  if (best === undefined) return corrected === undefined ? [] : [correctionWarning(corrected)]
  return [{ code: 'FALLBACK', message: `No title matches exactly. Did you mean ${JSON.stringify(best.name)} (${best.id})?` }]
}

interface Description {
  readonly args: SearchArguments
  readonly text: string
  readonly languages: readonly string[]
  readonly words: WordHits
  readonly question: QuestionVector | undefined
  readonly traits: MeaningTraits | undefined
}

async function describe(
  reading: ReadingContext,
  hits: readonly RankedHit[],
  { args, ...ranked }: Description,
): Promise<Answer<readonly SearchResult[]> & { readonly paths: ReadonlyMap<NodeId, string> }> {
  const { snapshot, call } = reading
  const { question } = ranked
  const maxTokens = tokensFor(args.maxTokens, DEFAULT_TOKENS.list, call)
  const ids = hits.map(({ key }) => key)
  const links = linksShown(args.links, call)
  // Passages that cannot fit the budget are not read. With several vaults, the budget of each vault is unknown.
  const quoted = maxTokens === undefined || call.isPart === true ? ids : ids.slice(0, mostPassages(maxTokens))
  const lengthAt = passageLengths(maxTokens, hits.length)
  const [{ notes, unread, stored }, others, { codes }] = await Promise.all([
    readChunked(reading, quoted, { links, question }),
    quoted.length === ids.length ? [] : snapshot.nodes(ids.slice(quoted.length), { links }),
    snapshot.languages(quoted),
  ])
  const { words, meaning } = passageQuery(ranked)
  const marksIn = marksByLanguage(words)
  const language = args.explain ? languageOf(args.query, ranked.languages)?.code : undefined
  const places = notes.map((note, at) => answeringPlaces(note, { words: marksIn(codes[at]), stored: stored[at], meaning }))
  const endings = sharedEndings(places.flat(), words)
  const value = hits.flatMap((hit, at): readonly SearchResult[] => {
    const node = at < quoted.length ? notes[at]?.node : others[at - quoted.length]
    if (node === undefined) return []
    const end = endings.get(node.id)
    const found = places[at]?.map((each) => shownPassage(each, { words: marksIn(codes[at]), length: lengthAt(at), end })) ?? []
    const passages = found.filter(({ text }) => text !== '')
    const response = listResponse(node, args.includeContent ? 'excerpt' : 'metadata')
    const explained = args.explain ? { explain: explanationOf(hit, language) } : undefined
    return [{ ...response, score: roundScore(hit.score), passages, ...explained }]
  })
  const unquoted = ids.length - quoted.length
  const nodes = [...notes.map((note) => note?.node), ...others]
  return {
    value,
    paths: new Map(nodes.flatMap((node) => (node?.path === undefined ? [] : [[node.id, node.path] as const]))),
    warnings: unreadWarnings(unread),
    ...(maxTokens === undefined || unquoted === 0 ? {} : { omitted: { maxTokens, counts: { passages: unquoted } } }),
  }
}

interface NoteAnswer extends AnsweringPlace, NotePlace {}

function answeringPlaces({ node, source }: Partial<NoteWithText> = {}, query: PassageQuery): readonly NoteAnswer[] {
  if (node === undefined || source === undefined) return []
  const readable = readableSource(node, source)
  return placesOf(node, readable, query).map((each) => ({ ...each, node, source: readable }))
}

interface PassageDisplay extends Pick<PassageQuery, 'words' | 'length'> {
  /** The UTF-16 offset of the footer, which other notes share. */
  readonly end: number | undefined
}

function shownPassage({ node, source, place, chunk, score }: NoteAnswer, { end, ...shown }: PassageDisplay): Passage {
  const before = end === undefined ? place : placeBefore(source, place, end)
  const read = before === place ? { chunk } : {}
  const passage = toPassage(node, source.text, { ...shown, ...read, place: before, score })
  return { ...passage, text: shownText(node, passage.text) }
}

export interface ChunkedNotes extends Awaited<ReturnType<typeof readNotes>> {
  readonly stored: readonly (NoteChunks | undefined)[]
}

export async function readChunked(
  reading: ReadingContext,
  ids: readonly NodeId[],
  { links, question }: { readonly links: number; readonly question: QuestionVector | undefined },
): Promise<ChunkedNotes> {
  const { snapshot } = reading
  // Stored chunks save even a keyword search from splitting notes again.
  const embedder = question?.embedder.id ?? (await snapshot.vectorStates())[0]?.embedder
  const [read, stored] = await Promise.all([
    readNotes(reading, ids, { links }),
    embedder === undefined ? [] : snapshot.vectors(embedder, ids),
  ])
  return { ...read, stored }
}

/** Detecting the language of each passage is slow, so use the stored language. */
function marksByLanguage(words: SnippetQuery): (code: string | undefined) => SnippetQuery {
  const cache = new Map<string | undefined, SnippetQuery>()
  return (code) => {
    const marks = cache.get(code) ?? { ...words, language: code ?? null }
    cache.set(code, marks)
    return marks
  }
}

export function passageQuery(
  query: Pick<Ranked, 'text' | 'languages' | 'words' | 'question' | 'traits'>,
): Pick<PassageQuery, 'words' | 'meaning'> {
  return { words: marksOf(query, literalsIn(query.text)), meaning: meaningOf(query) }
}

/** Returns the words to highlight. Rare ones weigh more. */
function marksOf(
  { text, languages, words: { terms } }: Pick<Ranked, 'text' | 'languages' | 'words'>,
  literals: readonly Literal[],
): SnippetQuery {
  const notes = new Map(terms.map((term) => [term.word, term.notes]))
  const variantsOf = (term: WordTerm): readonly WordTerm[] =>
    term.parts.length === 0 || notes.has(term.form) ? [term] : term.parts.flatMap(variantsOf)
  const questionTerms = queryTerms(text, languages).flatMap(variantsOf)
  const forms = new Set(questionTerms.map(({ form }) => form))
  const others = terms
    .filter(({ word }) => !forms.has(word))
    .map(({ word }) => toTerm({ form: word, stem: stemOf(word) }, 'stem'))
  return {
    terms: [...questionTerms, ...others].map((term) => ({ term, weight: 1 / Math.log2(2 + (notes.get(term.form) ?? 0)) })),
    phrases: literals.flatMap(({ candidates }) => (candidates.kind === 'phrase' ? candidates.phrase : [])),
    languages,
  }
}

const PASSAGE_WEIGHT = 0.5

function meaningOf({ question, traits }: Pick<Description, 'question' | 'traits'>): Meaning | undefined {
  if (question === undefined || traits === undefined) return undefined
  return { question: question.vector, certainty: traits.certainty, weight: PASSAGE_WEIGHT }
}

function explanationOf(
  { keyword, semantic, across, weight, exact, closeTitle }: RankedHit,
  language: string | undefined,
): Explanation {
  return {
    keyword: keyword === undefined ? null : roundedScore(keyword),
    semantic: semantic === undefined ? null : roundedScore(semantic),
    ...(across === undefined ? undefined : { across: roundedScore(across) }),
    weight: roundScore(weight),
    ...(language === undefined ? undefined : { language }),
    exact,
    ...(closeTitle === undefined ? undefined : { close_title: closeTitle }),
  }
}

function roundedScore({ rank, score, normalized }: RetrieverScore): RetrieverScore {
  return { rank, score: roundScore(score), normalized: roundScore(normalized) }
}
