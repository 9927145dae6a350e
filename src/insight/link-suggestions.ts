import { type Adjacency, placesByNumber, undirected } from '../core/csr.ts'
import { BY_FOLDER, BY_LINKS, BY_RATE, BY_WORDS, IS_NAMED, type LinkSuggestions, NO_NOTE } from '../core/insight/insight.ts'
import { selectTop } from '../graph/select-top.ts'
import type { Corpus } from './corpus.ts'
import { findMentions, type Mentions, type NameWords, nameWords, type Occurrence, wordNumbers } from './mentions.ts'
import { FLAG_BITS } from './note-record.ts'
import { type Walker, walker } from './walk.ts'
import { idfOf, searchByBm25, type WordSearch } from './word-search.ts'

export interface SuggestionSource {
  readonly corpus: Omit<Corpus, 'notes' | 'texts'>
  readonly names: readonly (readonly string[])[]
  readonly folders: Uint32Array
  /** The targets of each note are in ascending order. */
  readonly links: Adjacency
}

/**
 * The weights of the features, learned from removed links (`npm run bench:insight`) and rounded. The score is the logistic
 * function of the weighted sum.
 */
const WEIGHTS: readonly number[] = [
  // walk: visits of a random walk from the note, divided by the maximum.
  3.5,
  // words: BM25 for the note's own words, divided by the maximum.
  1.8,
  // open: 1 if the note mentions the target where a link can be inserted.
  2.5,
  // linkRate: log of the share of mentioning notes that link to the target.
  0.15,
  // rarity: inverse frequency of the name, 0–1.
  5.5,
  // context: log of the share of names in the same context (previous word or line start) that are links.
  0.6,
  // nameWords: share of the words in the target's name that occur in the note.
  1.8,
  // linked: log of the number of notes that link to the target.
  0.45,
  // siblings: share of the other notes in the target's folder that the note links to.
  5.7,
  // peers: share of the other notes in the note's folder that link to the target.
  8,
  // alike: share of the most similar notes that link to the target, weighted by similarity.
  5,
  // asked: 1 / rank of the note in a word search for the target, or 0.
  1.5,
  // ownFolder: 1 if the target is in the note's folder.
  0.4,
]
/** The logistic function that converts a score to a probability. */
const CHANCE = { slope: 0.5, constant: -6.5 }

const MAX_SUGGESTIONS = 12
const MAX_CANDIDATES = 40
/** A note with links to this share of a folder may be an incomplete index. Up to `notes` missing entries become candidates. */
const LACKING = { share: 0.25, notes: 200 }
/** Number of most similar notes whose links are used. Notes with more than `MAX_LINKS` links are skipped. */
const PEERS = 10
const MAX_LINKS = 100
/** Additive smoothing of shares, because few cases are unreliable. */
const CAUTION = { name: 2, context: 3 }

export function suggestLinks(source: SuggestionSource, limit = MAX_SUGGESTIONS): LinkSuggestions {
  const suggester = new Suggester(source)
  const notes = source.links.offsets.length - 1
  const result = {
    offsets: new Uint32Array(notes + 1),
    targets: [] as number[],
    scores: [] as number[],
    lines: [] as number[],
    reasons: [] as number[],
  }
  for (let note = 0; note < notes; note++) {
    for (const { target, score, line, reasons } of suggester.suggestionsFor(note, limit)) {
      result.targets.push(target)
      result.scores.push(score)
      result.lines.push(line)
      result.reasons.push(reasons)
    }
    result.offsets[note + 1] = result.targets.length
  }
  return {
    offsets: result.offsets,
    targets: Uint32Array.from(result.targets),
    scores: Float32Array.from(result.scores),
    lines: Uint32Array.from(result.lines),
    reasons: Uint8Array.from(result.reasons),
  }
}

interface Suggestion {
  readonly target: number
  readonly score: number
  readonly line: number
  readonly reasons: number
}

interface NamedTarget {
  readonly signs: readonly number[]
  readonly sum: number
  readonly mention: number
  readonly isOpen: boolean
}

class Suggester {
  readonly #source: SuggestionSource
  readonly #names: NameWords
  readonly #namesOf: Adjacency
  readonly #mentions: Mentions
  readonly #habits: LinkHabits
  readonly #contexts: Contexts
  readonly #idf: Float32Array
  readonly #words: WordSearch
  /** The `PEERS` best word matches of each note, padded with `NO_NOTE`. */
  readonly #mostAlike: Uint32Array
  readonly #walker: Walker
  readonly #peers: Peers
  readonly #inLinks: Uint32Array
  readonly #members: Adjacency
  readonly #linked: Uint8Array
  readonly #hasTerm: Uint8Array
  readonly #folderLinks: Uint32Array

  constructor(source: SuggestionSource) {
    const { corpus, links, folders } = source
    const notes = links.offsets.length - 1
    this.#source = source
    const words = wordNumbers(corpus)
    this.#names = nameWords(source.names, { corpus, words })
    this.#namesOf = placesByNumber(this.#names.notes, notes)
    this.#contexts = contextsOf(this.#names.notes, { links, words: words.count })
    this.#mentions = findMentions({ lines: corpus.lines, words }, this.#names, this.#contexts.add)
    this.#habits = habitsOf(this.#mentions, this.#names, links)
    this.#idf = idfOf(corpus.documents, notes)
    this.#words = searchByBm25(corpus, this.#idf)
    this.#mostAlike = this.#answers(notes)
    this.#walker = walker(undirected(links))
    this.#inLinks = new Uint32Array(notes)
    for (const target of links.targets) this.#inLinks[target] = (this.#inLinks[target] as number) + 1
    const folderCount = folders.reduce((max, folder) => Math.max(max, folder + 1), 0)
    this.#members = placesByNumber(folders, folderCount)
    this.#peers = peersOf(folders, this.#members, links)
    this.#linked = new Uint8Array(notes)
    this.#hasTerm = new Uint8Array(corpus.terms.length)
    this.#folderLinks = new Uint32Array(folderCount)
  }

  suggestionsFor(note: number, limit: number): readonly Suggestion[] {
    const { folders } = this.#source
    this.#mark(note, 1)
    const isFree = (other: number): boolean => this.#linked[other] === 0
    const walked = this.#walker.from(note).filter(isFree)
    const worded = this.#words.of(note).filter(isFree)
    const namedTargets = this.#namedIn(note, isFree)
    const mostVisits = walked.reduce((max, other) => Math.max(max, this.#walker.visits(other)), Number.MIN_VALUE)
    const bestWords = worded.reduce((max, other) => Math.max(max, this.#words.score(other)), Number.MIN_VALUE)
    const byVisits = (a: number, b: number) => comesFirst(this.#walker.visits(a) - this.#walker.visits(b), a, b)
    const similarTo = this.#linksOfSimilar(note, isFree)
    const candidates = new Set([
      ...namedTargets.keys(),
      ...this.#peers.most(note).filter(isFree),
      ...similarTo.keys(),
      ...this.#lacking(note, isFree),
      ...selectTop(walked, MAX_CANDIDATES, byVisits),
      ...selectTop(worded, MAX_CANDIDATES, this.#byWords),
    ])
    const suggestions: Suggestion[] = []
    for (const target of candidates) {
      const visits = this.#walker.visits(target) / mostVisits
      const words = this.#words.score(target) / bestWords
      const [ownFolder, targetFolder] = [folders[note] as number, folders[target] as number]
      // The note and the target do not count as members of their folders.
      const size = (folder: number): number => this.#sizeOf(folder) - (ownFolder === targetFolder ? 1 : 0)
      const siblings = (this.#folderLinks[targetFolder] as number) / size(targetFolder)
      const name = namedTargets.get(target)
      const peers = this.#peers.linking(note, target) / size(ownFolder)
      const features = [
        visits,
        words,
        ...(name?.signs ?? UNNAMED),
        this.#nameShare(target),
        Math.log(1 + (this.#inLinks[target] as number)),
        siblings,
        peers,
        similarTo.get(target) ?? 0,
        this.#linkRate(note, target),
        ownFolder === targetFolder ? 1 : 0,
      ]
      const reasons =
        (name?.isOpen === true ? IS_NAMED | (this.#isMostlyLinked(name.mention) ? BY_RATE : 0) : 0) |
        (words > STRONG_EVIDENCE.words ? BY_WORDS : 0) |
        (visits > STRONG_EVIDENCE.walk ? BY_LINKS : 0) |
        (Math.max(siblings, peers) > STRONG_EVIDENCE.folder ? BY_FOLDER : 0)
      const line = name?.isOpen === true ? (this.#mentions.lines[name.mention] as number) : 0
      suggestions.push({
        target,
        score: 1 / (1 + Math.exp(-CHANCE.slope * weighted(features) - CHANCE.constant)),
        line,
        reasons,
      })
    }
    const best = selectTop(suggestions, limit, (a, b) => comesFirst(a.score - b.score, a.target, b.target))
    const lined = best.map((each) => (each.line > 0 ? each : { ...each, line: this.#tellingLine(note, each.target) }))
    this.#mark(note, 0)
    return lined
  }

  #mark(note: number, mark: 0 | 1): void {
    const { links, folders, corpus } = this.#source
    this.#linked[note] = mark
    for (let at = links.offsets[note] as number; at < (links.offsets[note + 1] as number); at++) {
      const target = links.targets[at] as number
      const folder = folders[target] as number
      this.#linked[target] = mark
      this.#folderLinks[folder] = mark === 0 ? 0 : (this.#folderLinks[folder] as number) + 1
    }
    const { offsets, terms } = corpus.bags
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) this.#hasTerm[terms[at] as number] = mark
  }

  readonly #byWords = (a: number, b: number): boolean => comesFirst(this.#words.score(a) - this.#words.score(b), a, b)

  #answers(notes: number): Uint32Array {
    const answers = new Uint32Array(notes * PEERS).fill(NO_NOTE)
    for (let note = 0; note < notes; note++) answers.set(selectTop(this.#words.of(note), PEERS, this.#byWords), note * PEERS)
    return answers
  }

  /** Returns the reciprocal rank in the other note's word search, or 0. The result is not symmetric. */
  #linkRate(note: number, other: number): number {
    const place = this.#mostAlike.subarray(other * PEERS, (other + 1) * PEERS).indexOf(note)
    return place === -1 ? 0 : 1 / (place + 1)
  }

  #sizeOf(folder: number): number {
    return (this.#members.offsets[folder + 1] as number) - (this.#members.offsets[folder] as number)
  }

  #lacking(note: number, isFree: (other: number) => boolean): readonly number[] {
    const { links, folders } = this.#source
    const members = this.#members
    const linked = new Set(
      Array.from(links.targets.subarray(links.offsets[note], links.offsets[note + 1]), (target) => folders[target] as number),
    )
    const share = (folder: number): number => (this.#folderLinks[folder] as number) / this.#sizeOf(folder)
    return [...linked]
      .filter((folder) => share(folder) >= LACKING.share)
      .sort((a, b) => share(b) - share(a) || a - b)
      .flatMap((folder) => [...members.targets.subarray(members.offsets[folder], members.offsets[folder + 1])])
      .filter(isFree)
      .slice(0, LACKING.notes)
  }

  /** Returns links of similar notes. `#words` must hold the scores of this note. */
  #linksOfSimilar(note: number, isFree: (other: number) => boolean): ReadonlyMap<number, number> {
    const { links } = this.#source
    const scores = new Map<number, number>()
    const notes = [...this.#mostAlike.subarray(note * PEERS, (note + 1) * PEERS)].filter((other) => other !== NO_NOTE)
    const all = notes.reduce((sum, other) => sum + this.#words.score(other), 0)
    for (const other of notes) {
      // Index notes are skipped.
      if ((links.offsets[other + 1] as number) - (links.offsets[other] as number) > MAX_LINKS) continue
      for (let at = links.offsets[other] as number; at < (links.offsets[other + 1] as number); at++) {
        const target = links.targets[at] as number
        if (isFree(target)) scores.set(target, (scores.get(target) ?? 0) + this.#words.score(other) / all)
      }
    }
    return scores
  }

  #namedIn(note: number, isFree: (other: number) => boolean): ReadonlyMap<number, NamedTarget> {
    const { offsets, names, isOpen: open } = this.#mentions
    const targets = new Map<number, NamedTarget>()
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      const target = this.#names.notes[names[at] as number] as number
      if (!isFree(target)) continue
      const isOpen = open[at] === 1
      const current = targets.get(target)
      if (current?.isOpen === true && !isOpen) continue
      const nameFeatures = this.#nameSigns(note, at)
      const sum = weighted(nameFeatures, FIRST_NAME_SIGN)
      if (current === undefined || (isOpen && !current.isOpen) || sum > current.sum)
        targets.set(target, { signs: nameFeatures, sum, mention: at, isOpen })
    }
    return targets
  }

  #nameSigns(note: number, mention: number): readonly number[] {
    const { names, isOpen, before } = this.#mentions
    const name = names[mention] as number
    const notes = this.#linked.length
    return [
      isOpen[mention] as number,
      Math.log(this.#habits.linkRate(name)),
      Math.log((notes + 1) / (this.#habits.mentioned[name] as number)) / Math.log(notes + 1),
      Math.log(this.#contexts.rate(note, before[mention] as number)),
    ]
  }

  #isMostlyLinked(mention: number): boolean {
    const name = this.#mentions.names[mention] as number
    return 2 * (this.#habits.linked[name] as number) >= (this.#habits.mentioned[name] as number)
  }

  /** Returns the share of words in the target's best name that occur in the note, weighted by rarity. */
  #nameShare(target: number): number {
    let best = 0
    for (const name of this.#namesOf.targets.subarray(this.#namesOf.offsets[target], this.#namesOf.offsets[target + 1])) {
      let all = 0
      let shared = 0
      for (const term of this.#names.terms[name] ?? []) {
        if (this.#source.corpus.documents[term] === 0) continue
        const idf = this.#idf[term] as number
        all += idf
        if (this.#hasTerm[term] === 1) shared += idf
      }
      if (all > 0) best = Math.max(best, shared / all)
    }
    return best
  }

  #tellingLine(note: number, target: number): number {
    const { corpus } = this.#source
    const { offsets, terms } = corpus.bags
    const shared = new Set<number>()
    for (let at = offsets[target] as number; at < (offsets[target + 1] as number); at++) {
      const term = terms[at] as number
      if (this.#hasTerm[term] === 1) shared.add(term)
    }
    if (shared.size === 0) return 0
    const { lines, termOf } = corpus
    const from = lines.offsets[note] as number
    let word = from === 0 ? 0 : (lines.ends[from - 1] as number)
    let best = 0
    let maxScore = 0
    for (let at = from; at < (lines.offsets[note + 1] as number); at++) {
      const counted = new Set<number>()
      for (; word < (lines.ends[at] as number); word++) {
        const term = termOf[(lines.words[word] as number) >>> FLAG_BITS] as number
        if (shared.has(term)) counted.add(term)
      }
      let sum = 0
      for (const term of counted) sum += this.#idf[term] as number
      if (sum <= maxScore) continue
      maxScore = sum
      best = lines.numbers[at] as number
    }
    return best
  }
}

const FIRST_NAME_SIGN = 2
const UNNAMED: readonly number[] = [0, 0, 0, 0]

function weighted(features: readonly number[], first = 0): number {
  let sum = 0
  for (const [at, feature] of features.entries()) sum += feature * (WEIGHTS[first + at] as number)
  return sum
}

const STRONG_EVIDENCE = { words: 0.3, walk: 0.2, folder: 0.3 }

function comesFirst(difference: number, a: number, b: number): boolean {
  return difference === 0 ? a < b : difference > 0
}

const MAX_FROM_FOLDER = 12

type Peers = ReturnType<typeof peersOf>

function peersOf(folders: Uint32Array, members: Adjacency, { offsets, targets }: Adjacency) {
  const counts = Array.from({ length: members.offsets.length - 1 }, () => new Map<number, number>())
  for (const [note, folder] of folders.entries()) {
    const folderCounts = counts[folder]
    for (const target of targets.subarray(offsets[note], offsets[note + 1]))
      folderCounts?.set(target, (folderCounts.get(target) ?? 0) + 1)
  }
  const topTargets = counts.map((folderCounts) =>
    selectTop(folderCounts, MAX_FROM_FOLDER, (a, b) => comesFirst(a[1] - b[1], a[0], b[0])).map(([target]) => target),
  )
  return {
    most: (note: number): readonly number[] => topTargets[folders[note] as number] ?? [],
    linking: (note: number, target: number): number => counts[folders[note] as number]?.get(target) ?? 0,
  }
}

interface LinkHabits {
  /** For each name, the number of notes that mention it and the number that also link it. */
  readonly mentioned: Uint32Array
  readonly linked: Uint32Array
  linkRate(name: number): number
}

function habitsOf({ offsets, names }: Mentions, { notes: owners, terms }: NameWords, links: Adjacency): LinkHabits {
  const contexts = new Uint32Array(terms.length)
  const linked = new Uint32Array(terms.length)
  const isLinked = new Uint8Array(links.offsets.length - 1)
  let all = 0
  let allLinked = 0
  for (let note = 0; note + 1 < offsets.length; note++) {
    const targets = links.targets.subarray(links.offsets[note], links.offsets[note + 1])
    for (const target of targets) isLinked[target] = 1
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      const name = names[at] as number
      const is = isLinked[owners[name] as number] as number
      contexts[name] = (contexts[name] as number) + 1
      linked[name] = (linked[name] as number) + is
      all++
      allLinked += is
    }
    for (const target of targets) isLinked[target] = 0
  }
  const usual = Math.max(allLinked / Math.max(1, all), MIN_RATE)
  return {
    mentioned: contexts,
    linked,
    linkRate: (name) => rate(linked[name] as number, (contexts[name] as number) - 1, { usual, caution: CAUTION.name }),
  }
}

const MIN_RATE = 0.001

type Contexts = ReturnType<typeof contextsOf>

function contextsOf(owners: Uint32Array, { links: all, words }: { readonly links: Adjacency; readonly words: number }) {
  const names = new Uint32Array(words + 1)
  const linked = new Uint32Array(words + 1)
  const ownCounts = new Uint32Array(2 * (all.offsets.length - 1))
  const ownLinked = new Uint32Array(2 * (all.offsets.length - 1))
  let total = 0
  let allLinked = 0
  return {
    add(note: number, name: number, { before, isOpen }: Occurrence): void {
      const isLink = !isOpen
      // A name in a heading or in code does not count, because it cannot become a link.
      if (isLink && !links(all, note, owners[name] as number)) return
      const place = 2 * note + (before === 0 ? 0 : 1)
      names[before] = (names[before] as number) + 1
      ownCounts[place] = (ownCounts[place] as number) + 1
      total++
      if (!isLink) return
      linked[before] = (linked[before] as number) + 1
      ownLinked[place] = (ownLinked[place] as number) + 1
      allLinked++
    },
    /** Returns a rate that does not count the current name, which is not a link. */
    rate(note: number, before: number): number {
      const place = 2 * note + (before === 0 ? 0 : 1)
      const usual = Math.max(allLinked / Math.max(1, total), MIN_RATE)
      const { context: caution } = CAUTION
      const everywhere = rate(linked[before] as number, (names[before] as number) - 1, { usual, caution })
      return rate(ownLinked[place] as number, (ownCounts[place] as number) - 1, { usual: everywhere, caution })
    },
  }
}

function links({ offsets, targets }: Adjacency, note: number, other: number): boolean {
  let low = offsets[note] as number
  let high = offsets[note + 1] as number
  while (low < high) {
    const middle = (low + high) >> 1
    if ((targets[middle] as number) < other) low = middle + 1
    else high = middle
  }
  return low < (offsets[note + 1] as number) && targets[low] === other
}

function rate(hits: number, all: number, { usual, caution }: { readonly usual: number; readonly caution: number }): number {
  return (hits + caution * usual) / (Math.max(0, all) + caution)
}
