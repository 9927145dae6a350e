import type { Embedder, EmbedKind } from '../../core/embedder.ts'
import { foldId, type NodeId, withoutVault } from '../../core/ids.ts'
import type { NameVectorHit } from '../../core/search.ts'
import type { NameHit, Scope, Snapshot } from '../../core/store.ts'
import { listSome } from '../../core/text/format.ts'
import { languageOf } from '../../search/languages/language-of.ts'
import { type EmbedderTraits, knowsLanguageOf } from '../../search/relevance.ts'
import { plainName } from '../../search/similar-names.ts'
import { answer, answerFindable, type Call, plain } from '../answer/answer-when-ready.ts'
import { roundScore } from '../answer/node-response.ts'
import { quoted } from '../answer/truncate.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { closeTitles } from '../names/close-titles.ts'
import { findIds, nodesNamed } from '../names/known-node.ts'
import { toScope } from '../scope.ts'
import { traitsFor } from './embedder-traits.ts'
import { embedWith, openedInTime, unknownWarning } from './question-vector.ts'

const MAX_SIMILAR_NAMES = 50

const MAX_LISTED = 3

export interface ResolveArguments {
  readonly names: readonly string[]
  readonly strategy: 'exact' | 'fuzzy' | 'semantic'
  /** The minimum similarity, 0–1, which `exact` ignores. */
  readonly threshold: number
  readonly tag?: string | undefined
  readonly path?: string | undefined
}

export type ChoiceRule = 'higher score' | 'title before alias' | 'shortest id' | 'first id' | 'first vault'

export interface ResolvedName {
  readonly query: string
  readonly match: NodeId | null
  readonly score: number
  /** The best match and up to `MAX_CANDIDATES - 1` other matches. The list is omitted for a single match. */
  readonly candidates?: readonly { readonly id: NodeId; readonly title?: string; readonly score: number }[]
  readonly rule?: ChoiceRule
}

const MAX_CANDIDATES = 5

/** The limit is larger than `MAX_CANDIDATES`, because several notes may have the best score. */
const MAX_SIMILAR = 20

/** Above this threshold, spelling is not compared, and names match only by bigrams. */
const SPELLING_THRESHOLD = 0.7

const MAX_SPELLED = 50

/**
 * Finds the notes for names, in order.
 * @throws RouxError `PROVIDER_ERROR` for `semantic` without an embedder
 */
export function resolveNodes(core: GraphCore, args: ResolveArguments, call: Call = {}): Promise<Answer<readonly ResolvedName[]>> {
  if (args.strategy === 'semantic') return resolveByMeaning(core, args, call)
  return answer(core, call, async (snapshot) => {
    const { names } = args
    const matches = await namedLike(snapshot, core, args)
    return plain(names.map((name, at) => choose(name, matches[at] ?? [])))
  })
}

function resolveByMeaning(
  core: GraphCore,
  { names, threshold, tag, path }: ResolveArguments,
  initialCall: Call,
): Promise<Answer<readonly ResolvedName[]>> {
  return answerFindable(core, initialCall, 'meaning', async (read, call) => {
    const question = await nameVectors(core, names, call)
    const byMeaning = await read((snapshot) => findByMeaning(snapshot, question, { scope: toScope({ tag, path }), threshold }))
    return { value: names.map((name, at) => choose(name, byMeaning.value[at] ?? [])), warnings: byMeaning.warnings }
  })
}

async function namedLike(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  { names, strategy, threshold, tag, path }: ResolveArguments,
): Promise<readonly (readonly Fitting[])[]> {
  const scope = toScope({ tag, path })
  const [named, ids] = await Promise.all([
    nodesNamed(snapshot, names, scope),
    tag === undefined ? findIds(snapshot, core, names) : [],
  ])
  const equal = names.map((name, at): readonly Fitting[] => {
    const [hits = [], id] = [named[at], ids[at]]
    if (hits.length > 0 || id === undefined || !isBelow(withoutVault(id, core.name), path)) return hits
    return [{ id, title: name, name, score: 1 }]
  })
  const others = names.filter((_, at) => equal[at]?.length === 0)
  if (strategy === 'exact' || others.length === 0) return equal
  const similar = await snapshot.names(others, 'similar', scope, { limit: MAX_SIMILAR, minimum: threshold })
  const byName = new Map(others.map((name, at) => [name, similar[at] ?? []]))
  const unlike = threshold > SPELLING_THRESHOLD ? [] : [...byName].filter(([, hits]) => hits.length === 0).slice(0, MAX_SPELLED)
  for (const [name] of unlike) byName.set(name, await spelledLike(snapshot, name, { scope, threshold }))
  return names.map((name, at) => byName.get(name) ?? equal[at] ?? [])
}

function isBelow(id: string, path = ''): boolean {
  return foldId(id).startsWith(foldId(path))
}

async function spelledLike(
  snapshot: Snapshot,
  name: string,
  { scope, threshold }: { readonly scope: Scope; readonly threshold: number },
): Promise<readonly NameHit[]> {
  const close = await closeTitles(snapshot, name, scope)
  return close.flatMap(({ distance, ...hit }) => {
    const score = 1 - distance / Math.max(plainName(name).length, plainName(hit.name).length)
    return score >= threshold ? [{ ...hit, score }] : []
  })
}

type Fitting = Pick<NameHit, 'id' | 'title' | 'name' | 'score'>

function choose(query: string, hits: readonly Fitting[]): ResolvedName {
  const ordered = [...hits].sort(compare)
  const [best, next] = ordered
  if (best === undefined) return { query, match: null, score: 0 }
  if (next === undefined) return { query, match: best.id, score: roundScore(best.score) }
  const candidates = ordered.slice(0, MAX_CANDIDATES).map(({ id, title, score }) => ({ id, title, score: roundScore(score) }))
  return { query, match: best.id, score: roundScore(best.score), candidates, rule: ruleBetween(best, next) }
}

function compare(a: Fitting, b: Fitting): number {
  return (
    b.score - a.score ||
    Number(isAlias(a)) - Number(isAlias(b)) ||
    a.id.length - b.id.length ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  )
}

function ruleBetween(best: Fitting, next: Fitting): ChoiceRule {
  if (best.score !== next.score) return 'higher score'
  if (isAlias(best) !== isAlias(next)) return 'title before alias'
  return best.id.length === next.id.length ? 'first id' : 'shortest id'
}

function isAlias(hit: Fitting): boolean {
  return foldId(hit.name) !== foldId(hit.title)
}

interface NameVectors {
  readonly names: readonly string[]
  readonly isUnknown: readonly boolean[]
  readonly embedder: Embedder
  readonly traits: EmbedderTraits
  readonly vectors: readonly Float32Array[]
  /** The vectors to compare with notes in other languages. They are omitted if they equal `vectors`. */
  readonly across?: readonly Float32Array[]
}

async function nameVectors(core: GraphCore, names: readonly string[], call: Call): Promise<NameVectors> {
  const embedder = await openedInTime(core, call)
  const traits = await traitsFor(core, embedder)
  const embed = (kind: EmbedKind) => embedWith(embedder, names, { kind, signal: call.signal })
  const vectors = await embed('query')
  const isUnknown = names.map((name) => !knowsLanguageOf(embedder.languages, languageOf(name, core.languages)))
  const embedded = { names, isUnknown, embedder, traits, vectors }
  return traits.across === undefined ? embedded : { ...embedded, across: await embed('across') }
}

interface NameTerms {
  readonly scope: Scope
  readonly threshold: number
}

/**
 * Scores notes by the highest cosine of a title or alias. For languages that the embedder does not support, a warning is
 * returned.
 */
async function findByMeaning(
  snapshot: Snapshot,
  { names, isUnknown, embedder, traits, vectors, across }: NameVectors,
  { scope, threshold }: NameTerms,
): Promise<Answer<readonly (readonly NameVectorHit[])[]>> {
  const { maxCosine = 1 } = traits
  const of = async (queryVectors: readonly Float32Array[]): Promise<readonly (readonly NameVectorHit[])[]> => {
    const hits = await snapshot.nearestNames(embedder.id, queryVectors, scope, {
      limit: MAX_SIMILAR_NAMES,
      minimum: threshold * maxCosine,
    })
    return hits.map((each) => each.map((hit) => ({ ...hit, score: Math.min(1, hit.score / maxCosine) })))
  }
  const direct = await of(vectors)
  const others = across === undefined ? [] : await of(across)
  const value = names.map((_, at) => {
    const seenIds = new Set<string>()
    const hits = isUnknown[at] === true ? [] : [...(direct[at] ?? []), ...(others[at] ?? [])].sort((a, b) => b.score - a.score)
    return hits.filter(({ id }) => !seenIds.has(id) && seenIds.add(id))
  })
  const unknown = names.filter((_, at) => isUnknown[at] === true)
  return { value, warnings: unknown.length === 0 ? [] : [unknownWarning(listSome(unknown.map(quoted), MAX_LISTED))] }
}
