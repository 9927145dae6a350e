import type { NodeId } from '../../core/ids.ts'
import type { WordTerm } from '../../core/query.ts'
import type { WordHit, WordHits } from '../../core/search.ts'
import type { OutgoingLink, Scope } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { plainText } from '../../search/chunks.ts'
import { mayHoldStem } from '../../search/words/matches.ts'
import { inverseDocumentFrequency } from '../../search/words/rank.ts'
import { analyze } from '../../search/words/scan.ts'
import { type ReadingContext, readTexts } from '../read/texts.ts'

/** Maximum number of notes whose links are examined. */
const MAX_SOURCES = 10
/** Minimum weighted share of the question's words in a note. */
const MIN_MATCHED_SHARE = 0.5
const MAX_LINKS = 2_000
/** The weight relative to the best keyword match. A weight of 0.5 finds fewer notes. */
const WEIGHT = 1

interface LinkText {
  readonly to: NodeId
  readonly text: string
  /**
   * The score of a link text, 0–1: the squared share of the question's words in the text, times the share of the text's words in
   * the question.
   */
  readonly score: number
}

/**
 * Adds notes whose incoming links match the question. With `[[Levain|the sourdough mother]]`, "sourdough mother" finds `Levain`.
 * Each note is scored by its best link text.
 */
export async function withLinkTexts(
  reading: ReadingContext,
  words: WordHits,
  { terms, scope }: { readonly terms: readonly WordTerm[]; readonly scope: Scope },
): Promise<WordHits> {
  const sources = words.hits.slice(0, MAX_SOURCES).filter(({ matched }) => matched >= MIN_MATCHED_SHARE)
  const links = await linksWithTexts(reading, sources, { scope, mayFit: mayHoldStem(terms) })
  const best = bestTexts(links, scorerFor(words, terms, reading.snapshot.files))
  if (best.length === 0) return words
  const names = await reading.snapshot.namesOf(best.map(({ to }) => to))
  const telling = best.filter(({ text }, at) => !names[at]?.some((name) => foldName(name) === foldName(text)))
  return telling.length === 0 ? words : { ...words, hits: raiseScores(words.hits, telling) }
}

type WrittenLink = Pick<LinkText, 'to' | 'text'>

interface LinkFilter {
  readonly scope: Scope
  readonly mayFit: (text: string) => boolean
}

async function linksWithTexts(
  reading: ReadingContext,
  sources: readonly WordHit[],
  { scope, mayFit }: LinkFilter,
): Promise<readonly WrittenLink[]> {
  if (sources.length === 0) return []
  const ids = sources.map(({ id }) => id)
  const ranges = ids.map((id) => ({ id, start: 0, end: Number.MAX_SAFE_INTEGER }))
  // The queries run in parallel, because each may be a round trip to a database.
  const [links, { texts, changed }] = await Promise.all([reading.snapshot.linksWithin(ranges, scope), readTexts(reading, ids)])
  const linkTexts: WrittenLink[] = []
  for (const [at, id] of ids.entries()) {
    const source = changed.has(id) ? undefined : texts.get(id)
    if (source === undefined) continue
    for (const link of links[at]?.slice(0, MAX_LINKS) ?? []) {
      const text = mayHaveText(link) ? textOf(link, source.text, mayFit) : ''
      if (text !== '') linkTexts.push({ to: link.to, text })
    }
  }
  return linkTexts
}

function mayHaveText({ kind, form }: OutgoingLink): boolean {
  return kind === 'link' && (form === 'wikilink' || form === 'markdown' || form === 'reference')
}

function textOf({ form, start, end }: OutgoingLink, source: string, mayFit: LinkFilter['mayFit']): string {
  const linkSource = source.slice(start, end)
  if (form === 'wikilink' && !linkSource.includes('|')) return ''
  return mayFit(linkSource) || linkSource.includes('[', 2) ? plainText(linkSource) : ''
}

function scorerFor({ terms: foundTerms }: WordHits, terms: readonly WordTerm[], files: number): (text: string) => number {
  const notes = new Map(foundTerms.map(({ word, notes: count }) => [word, count]))
  const weights = new Map(terms.map(({ stem, form }) => [stem, inverseDocumentFrequency(notes.get(form) ?? 0, files)]))
  const all = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return (text) => {
    const stems = new Set(
      analyze(text)
        .filter(({ kind, isStopWord }) => kind === 'word' && !isStopWord)
        .map(({ stem }) => stem),
    )
    const matching = [...stems].filter((stem) => weights.has(stem))
    if (matching.length === 0) return 0
    const share = matching.reduce((sum, stem) => sum + (weights.get(stem) ?? 0), 0) / all
    // The share is squared, because a few matching words are weak evidence.
    return share ** 2 * (matching.length / stems.size)
  }
}

function bestTexts(links: readonly WrittenLink[], scoreOf: (text: string) => number): readonly LinkText[] {
  const best = new Map<NodeId, LinkText>()
  for (const { to, text } of links) {
    const score = scoreOf(text)
    if (score > (best.get(to)?.score ?? 0)) best.set(to, { to, text, score })
  }
  return [...best.values()]
}

function raiseScores(hits: readonly WordHit[], texts: readonly LinkText[]): readonly WordHit[] {
  const hitsById = new Map(hits.map((hit) => [hit.id, hit]))
  const top = hits[0]?.score ?? 0
  for (const { to, score: textScore } of texts) {
    const { score, matched } = hitsById.get(to) ?? { score: 0, matched: 0 }
    hitsById.set(to, { id: to, score: score + WEIGHT * textScore * top, matched: matched + (1 - matched) * WEIGHT * textScore })
  }
  return [...hitsById.values()].sort((a, b) => b.score - a.score)
}
