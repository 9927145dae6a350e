import { resolve } from 'node:path'
import type { SearchMode } from '../../app/eval/ask.ts'
import { scoreCollection } from '../../app/eval/collection.ts'
import type { RankingScores } from '../../app/eval/ranking-scores.ts'
import { type Estimate, meanOfMeans } from '../../app/eval/statistics.ts'
import type { LoadedSettings } from '../../config/load.ts'
import { type CollectionFolder, readCollection, writeVault } from './collection.ts'
import { Counter } from './progress.ts'
import type { Side } from './sides.ts'
import { type Trial, withFindable } from './trial.ts'

/** How well what people judged is found. */
export interface CollectionsReport {
  readonly sides: readonly CollectionsSide[]
  /** The second side's nDCG@10 less the first one's. */
  readonly differences?: readonly CollectionDifference[]
}

export interface CollectionsSide {
  readonly settings: string
  readonly embedder: string | null
  readonly scores: readonly CollectionScores[]
}

/** `mean`: of all collections, each as heavy as another. */
export interface CollectionScores {
  readonly collection: string
  readonly mode: SearchMode
  readonly queries: number
  readonly ndcg: Estimate
  readonly recall: Estimate
  readonly mrr: Estimate
}

export interface CollectionDifference {
  readonly collection: string
  readonly mode: SearchMode
  readonly ndcg: Estimate
}

/** The scores of one collection's queries in one mode. */
interface ModeScores {
  readonly collection: string
  readonly mode: SearchMode
  readonly scores: readonly RankingScores[]
}

/** Scores collections, each as a vault that lives as long as this takes. @throws RouxError for a folder that is no collection. */
export async function evalCollections(trial: Trial, folders: readonly string[]): Promise<CollectionsReport> {
  const collections = folders.map((folder) => readCollection(resolve(trial.invocation.host.cwd, folder)))
  const sides: CollectionsSide[] = []
  const parts: (readonly ModeScores[])[] = []
  for (const side of trial.sides) {
    const loaded = await trial.load(side.assignments)
    const scored: ScoredCollection[] = []
    for (const collection of collections) scored.push(await scoreFolder(trial, collection, { side, loaded }))
    const own = scored.flatMap((one) => one.parts)
    parts.push(own)
    sides.push({ settings: side.label, embedder: scored[0]?.embedder ?? null, scores: rowsOf(own).map(summary) })
  }
  const [first, second] = parts
  return { sides, ...(first === undefined || second === undefined ? undefined : { differences: differences(first, second) }) }
}

interface ScoredCollection {
  readonly embedder: string | null
  readonly parts: readonly ModeScores[]
}

async function scoreFolder(
  trial: Trial,
  collection: CollectionFolder,
  { side, loaded }: { readonly side: Side; readonly loaded: LoadedSettings },
): Promise<ScoredCollection> {
  const path = trial.scratch.folder()
  const judged = writeVault(path, collection)
  const { settings } = loaded
  const vault = { ...settings.vault, path, ignore: [], gitignore: false, link_roots: [] }
  const own = { ...loaded, settings: { ...settings, vault, cache: { path: trial.scratch.folder() } } }
  return await withFindable(trial, own, async ({ core, modes, embedder }) => {
    const what = side.label === 'default' ? collection.name : `${collection.name} with ${side.label}`
    const counter = new Counter(trial.invocation.printer, what)
    const parts: ModeScores[] = []
    for (const mode of modes) {
      const onAsked = (): void => counter.add(judged.queries.length * modes.length)
      const scores = await scoreCollection(core, judged, { mode, call: { signal: trial.signal }, onAsked })
      parts.push({ collection: collection.name, mode, scores })
    }
    counter.end()
    return { embedder, parts }
  })
}

/** A row of a report: the parts of one collection or of all, in one mode. */
interface Row {
  readonly collection: string
  readonly mode: SearchMode
  readonly parts: readonly ModeScores[]
}

function rowsOf(parts: readonly ModeScores[]): readonly Row[] {
  const own = parts.map((part) => ({ collection: part.collection, mode: part.mode, parts: [part] }))
  const modes = [...new Set(parts.map(({ mode }) => mode))]
  if (parts.length === modes.length) return own
  return [...own, ...modes.map((mode) => ({ collection: 'mean', mode, parts: parts.filter((part) => part.mode === mode) }))]
}

function summary({ collection, mode, parts }: Row): CollectionScores {
  const figure = (name: keyof RankingScores): Estimate =>
    meanOfMeans(parts.map(({ scores }) => scores.map((score) => score[name])))
  const queries = parts.reduce((sum, { scores }) => sum + scores.length, 0)
  return { collection, mode, queries, ndcg: figure('ndcg'), recall: figure('recall'), mrr: figure('mrr') }
}

/** Query by query, so that what all queries have in common does not blur the difference. */
function differences(first: readonly ModeScores[], second: readonly ModeScores[]): readonly CollectionDifference[] {
  const others = new Map(rowsOf(second).map((row) => [`${row.collection} ${row.mode}`, row]))
  return rowsOf(first).flatMap(({ collection, mode, parts }) => {
    const other = others.get(`${collection} ${mode}`)
    if (other === undefined) return []
    const less = parts.map(({ scores }, part) =>
      scores.map((score, at) => (other.parts[part]?.scores[at]?.ndcg ?? 0) - score.ndcg),
    )
    return [{ collection, mode, ndcg: meanOfMeans(less) }]
  })
}
