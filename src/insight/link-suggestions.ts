import { selectTop } from '../graph/select-top.ts'
import type { Corpus } from './corpus.ts'
import { findMentions, IS_EXACT, IS_OPEN, type Mentions, type NameWords, nameWords } from './mentions.ts'
import { FLAG_BITS } from './note-record.ts'
import { SharedWords } from './shared-words.ts'
import { type LinkLists, undirected, Walker } from './walk.ts'

/** What suggestions rest on; notes are numbers from 0, the same everywhere. */
export interface SuggestionSource {
  readonly corpus: Pick<Corpus, 'forms' | 'terms' | 'termOf' | 'documents' | 'bags' | 'lines' | 'ownWords'>
  /** Title, aliases and file name of each note. */
  readonly names: readonly (readonly string[])[]
  /** The number of each note's folder. */
  readonly folders: Uint32Array
  readonly links: LinkLists
  /** 1 for notes that are neither linked nor linked from: ignored ones. */
  readonly ignored?: Uint8Array
}

/** For each note the notes that it should link, best first. Parallel arrays. */
export interface LinkSuggestions {
  /** Note `n` has the stretch from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** 0–1: see `WEIGHTS`. */
  readonly scores: Float32Array
  /** Where a name of the target stands, or, of those that are only related, the line that says most of what the target is about; 0 for none. */
  readonly lines: Uint32Array
  /** `IS_NAMED` and the reasons that count. */
  readonly reasons: Uint8Array
}

/** A name of the target stands in the text, where a link can be put. */
export const IS_NAMED = 1
/** The two share words that few others have. */
export const BY_WORDS = 2
/** The two are linked with the same notes. */
export const BY_LINKS = 4
/** The note links other notes of the target's folder. */
export const BY_FOLDER = 8
/** The name is mostly a link where it stands. */
export const BY_RATE = 16

/**
 * What each sign of a missing link counts. Learned from links that were taken out of vaults (`npm run bench:insight`), each vault by the weights of the
 * others, and rounded; the score is their sum as a chance.
 */
const WEIGHTS = {
  /** Visits of a walk from the note, ÷ the most. */
  walk: 1.3,
  /** BM25 of the note's own words, ÷ the best. */
  words: 1.7,
  /** A name stands where a link can be put. */
  open: 0.3,
  /** log of the share of notes that link it among those that hold the name. */
  linkRate: 0.45,
  /** How few notes hold the name, 0–1. */
  rarity: 3.5,
  exact: 0.7,
  /** The share of its line that the name is. */
  cover: 2,
  /** log of the share of names behind this word, or at the beginning of a line, that are links. */
  context: 0.4,
  /** How far up in the note it stands, 0–1. */
  place: 1.2,
  /** The share of the words of its name that the note has. */
  nameWords: 1.6,
  /** log of how many notes link it. */
  linked: 0.9,
  /** The share of the other notes of its folder that the note links. */
  siblings: 5,
  constant: -7,
} as const

/** How many are kept of each note. */
const KEPT = 12
/** Of those that a walk or shared words find, so many are looked at more closely. */
const CANDIDATES = 40
/** Shares are told apart from one case in one as if there were so many more cases, of the usual share. */
const CAUTION = { name: 2, context: 3 }

/** The links that are missing, for every note, so many of each at the most. */
export function suggestLinks(source: SuggestionSource, kept = KEPT): LinkSuggestions {
  const suggester = new Suggester(source)
  const notes = source.links.offsets.length - 1
  const found = { offsets: new Uint32Array(notes + 1), targets: [] as number[], scores: [] as number[], lines: [] as number[], reasons: [] as number[] }
  for (let note = 0; note < notes; note++) {
    for (const { target, score, line, reasons } of suggester.of(note, kept)) {
      found.targets.push(target)
      found.scores.push(score)
      found.lines.push(line)
      found.reasons.push(reasons)
    }
    found.offsets[note + 1] = found.targets.length
  }
  return {
    offsets: found.offsets,
    targets: Uint32Array.from(found.targets),
    scores: Float32Array.from(found.scores),
    lines: Uint32Array.from(found.lines),
    reasons: Uint8Array.from(found.reasons),
  }
}

interface Suggestion {
  readonly target: number
  readonly score: number
  readonly line: number
  readonly reasons: number
}

/** What a name in the text adds. */
interface Named {
  readonly sum: number
  readonly mention: number
  readonly isOpen: boolean
}

class Suggester {
  readonly #source: SuggestionSource
  readonly #names: NameWords
  readonly #namesOf: Uint32Array
  readonly #mentions: Mentions
  readonly #habits: Habits
  readonly #words: SharedWords
  readonly #walker: Walker
  readonly #inLinks: Uint32Array
  readonly #folderSizes: Uint32Array
  /** Of the note at hand: 1 for notes that it links and itself, 1 for terms that it has, and how many notes of each folder it links. */
  readonly #linked: Uint8Array
  readonly #hasTerm: Uint8Array
  readonly #folderLinks: Uint32Array

  constructor(source: SuggestionSource) {
    const { corpus, links, folders } = source
    const notes = links.offsets.length - 1
    this.#source = source
    this.#names = nameWords(source.names, corpus)
    this.#namesOf = startsOf(this.#names.notes, notes)
    this.#mentions = findMentions(corpus, this.#names)
    this.#habits = habitsOf(this.#mentions, this.#names, { links, terms: corpus.terms.length })
    this.#words = new SharedWords(corpus)
    this.#walker = new Walker(undirected(links))
    this.#inLinks = new Uint32Array(notes)
    for (const target of links.targets) this.#inLinks[target] = (this.#inLinks[target] as number) + 1
    const folderCount = folders.reduce((most, folder) => Math.max(most, folder + 1), 0)
    this.#folderSizes = new Uint32Array(folderCount)
    for (const folder of folders) this.#folderSizes[folder] = (this.#folderSizes[folder] as number) + 1
    this.#linked = new Uint8Array(notes)
    this.#hasTerm = new Uint8Array(corpus.terms.length)
    this.#folderLinks = new Uint32Array(folderCount)
  }

  of(note: number, kept: number): readonly Suggestion[] {
    const { ignored, corpus } = this.#source
    if (ignored?.[note] === 1) return []
    this.#mark(note, 1)
    const isFree = (other: number): boolean => this.#linked[other] === 0 && ignored?.[other] !== 1
    const walked = this.#walker.from(note).filter(isFree)
    const worded = this.#words.of(note).filter(isFree)
    const named = this.#named(note, isFree)
    const mostVisits = walked.reduce((most, other) => Math.max(most, this.#walker.visits(other)), Number.MIN_VALUE)
    const bestWords = worded.reduce((most, other) => Math.max(most, this.#words.score(other)), Number.MIN_VALUE)
    const byVisits = (a: number, b: number) => comesFirst(this.#walker.visits(a) - this.#walker.visits(b), a, b)
    const byWords = (a: number, b: number) => comesFirst(this.#words.score(a) - this.#words.score(b), a, b)
    const candidates = new Set([
      ...named.keys(),
      ...selectTop(walked, CANDIDATES, byVisits),
      ...selectTop(worded, CANDIDATES, byWords),
    ])
    const suggestions: Suggestion[] = []
    for (const target of candidates) {
      const visits = this.#walker.visits(target) / mostVisits
      const words = this.#words.score(target) / bestWords
      const siblings = this.#siblings(note, target)
      const name = named.get(target)
      const sum =
        (name?.sum ?? 0) +
        WEIGHTS.walk * visits +
        WEIGHTS.words * words +
        WEIGHTS.nameWords * this.#nameShare(target) +
        WEIGHTS.linked * Math.log(1 + (this.#inLinks[target] as number)) +
        WEIGHTS.siblings * siblings +
        WEIGHTS.constant
      const reasons =
        (name?.isOpen === true ? IS_NAMED | (this.#isMostlyLinked(name.mention) ? BY_RATE : 0) : 0) |
        (words > TELLING.words ? BY_WORDS : 0) |
        (visits > TELLING.walk ? BY_LINKS : 0) |
        (siblings > TELLING.siblings ? BY_FOLDER : 0)
      const line = name?.isOpen === true ? (this.#mentions.lines[name.mention] as number) : 0
      suggestions.push({ target, score: 1 / (1 + Math.exp(-sum)), line, reasons })
    }
    const best = selectTop(suggestions, kept, (a, b) => comesFirst(a.score - b.score, a.target, b.target))
    const lined = best.map((each) => (each.line > 0 ? each : { ...each, line: this.#tellingLine(note, each.target) }))
    this.#mark(note, 0)
    return corpus.lines.offsets.length === 0 ? [] : lined
  }

  /** Marks what a note links and says, or takes the marks away. */
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

  /** What its names in the text add to each note's score. */
  #named(note: number, isFree: (other: number) => boolean): ReadonlyMap<number, Named> {
    const { offsets, names, marks } = this.#mentions
    const found = new Map<number, Named>()
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      const target = this.#names.notes[names[at] as number] as number
      if (!isFree(target)) continue
      const isOpen = ((marks[at] as number) & IS_OPEN) !== 0
      const known = found.get(target)
      if (known?.isOpen === true && !isOpen) continue
      const sum = this.#nameSum(at)
      if (known === undefined || (isOpen && !known.isOpen) || sum > known.sum) found.set(target, { sum, mention: at, isOpen })
    }
    return found
  }

  #nameSum(mention: number): number {
    const { names, marks, covers, places } = this.#mentions
    const name = names[mention] as number
    const mark = marks[mention] as number
    const notes = this.#linked.length
    const always =
      WEIGHTS.linkRate * Math.log(this.#habits.linkRate(name)) +
      WEIGHTS.rarity * (Math.log((notes + 1) / (this.#habits.held[name] as number)) / Math.log(notes + 1)) +
      WEIGHTS.context * Math.log(this.#habits.contextRate(this.#mentions.before[mention] as number))
    if ((mark & IS_OPEN) === 0) return always
    return (
      always +
      WEIGHTS.open +
      ((mark & IS_EXACT) === 0 ? 0 : WEIGHTS.exact) +
      WEIGHTS.cover * (covers[mention] as number) +
      WEIGHTS.place * (1 - (places[mention] as number))
    )
  }

  #isMostlyLinked(mention: number): boolean {
    const name = this.#mentions.names[mention] as number
    return 2 * (this.#habits.linked[name] as number) >= (this.#habits.held[name] as number)
  }

  #siblings(note: number, target: number): number {
    const { folders } = this.#source
    const folder = folders[target] as number
    const isOwn = folders[note] === folder
    const others = (this.#folderSizes[folder] as number) - 1 - (isOwn ? 1 : 0)
    return (this.#folderLinks[folder] as number) / (others + 1)
  }

  /** The share of the words of a note's name, the rare ones more, that the note at hand has. */
  #nameShare(target: number): number {
    let best = 0
    for (let name = this.#namesOf[target] as number; name < (this.#namesOf[target + 1] as number); name++) {
      let all = 0
      let shared = 0
      for (const term of this.#names.terms[name] ?? []) {
        if (this.#source.corpus.documents[term] === 0) continue
        const idf = this.#words.idf[term] as number
        all += idf
        if (this.#hasTerm[term] === 1) shared += idf
      }
      if (all > 0) best = Math.max(best, shared / all)
    }
    return best
  }

  /** The line of a note that shares most with another note. */
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
    let most = 0
    for (let at = from; at < (lines.offsets[note + 1] as number); at++) {
      const said = new Set<number>()
      for (; word < (lines.ends[at] as number); word++) {
        const term = termOf[(lines.words[word] as number) >>> FLAG_BITS] as number
        if (shared.has(term)) said.add(term)
      }
      let sum = 0
      for (const term of said) sum += this.#words.idf[term] as number
      if (sum <= most) continue
      most = sum
      best = lines.numbers[at] as number
    }
    return best
  }
}

/** From where on a sign is named as a reason. */
const TELLING = { words: 0.3, walk: 0.2, siblings: 0.3 }

function comesFirst(difference: number, a: number, b: number): boolean {
  return difference === 0 ? a < b : difference > 0
}

/** Where the stretch of each note begins in a list of notes in ascending order. */
function startsOf(sorted: Uint32Array, notes: number): Uint32Array {
  const starts = new Uint32Array(notes + 1)
  for (const note of sorted) starts[note + 1] = (starts[note + 1] as number) + 1
  for (let note = 0; note < notes; note++) starts[note + 1] = (starts[note + 1] as number) + (starts[note] as number)
  return starts
}

/** How names are used in a vault: which of them are links where they stand, and behind which words. */
interface Habits {
  /** Of each name: how many notes hold it, and how many of them link one of its notes. */
  readonly held: Uint32Array
  readonly linked: Uint32Array
  /** As seen from a note that does not link it. */
  linkRate(name: number): number
  contextRate(before: number): number
}

function habitsOf(
  { offsets, names, before, marks }: Mentions,
  { notes: owners, terms }: NameWords,
  { links, terms: termCount }: { readonly links: LinkLists; readonly terms: number },
): Habits {
  const held = new Uint32Array(terms.length)
  const linked = new Uint32Array(terms.length)
  const contexts = new Uint32Array(termCount + 1)
  const linkedContexts = new Uint32Array(termCount + 1)
  const isLinked = new Uint8Array(links.offsets.length - 1)
  let all = 0
  let allLinked = 0
  for (let note = 0; note + 1 < offsets.length; note++) {
    const targets = links.targets.subarray(links.offsets[note], links.offsets[note + 1])
    for (const target of targets) isLinked[target] = 1
    for (let at = offsets[note] as number; at < (offsets[note + 1] as number); at++) {
      const name = names[at] as number
      const is = isLinked[owners[name] as number] as number
      held[name] = (held[name] as number) + 1
      linked[name] = (linked[name] as number) + is
      // A name in a heading or in code is no link because it cannot be one.
      if (is === 0 && ((marks[at] as number) & IS_OPEN) === 0) continue
      const context = before[at] as number
      contexts[context] = (contexts[context] as number) + 1
      linkedContexts[context] = (linkedContexts[context] as number) + is
      all++
      allLinked += is
    }
    for (const target of targets) isLinked[target] = 0
  }
  // Where nothing is linked yet, as if one in a thousand were.
  const usual = Math.max(allLinked / Math.max(1, all), 0.001)
  return {
    held,
    linked,
    linkRate: (name) => rate(linked[name] as number, (held[name] as number) - 1, { usual, caution: CAUTION.name }),
    contextRate: (context) =>
      rate(linkedContexts[context] as number, (contexts[context] as number) - 1, { usual, caution: CAUTION.context }),
  }
}

function rate(hits: number, all: number, { usual, caution }: { readonly usual: number; readonly caution: number }): number {
  return (hits + caution * usual) / (Math.max(0, all) + caution)
}
