import type { Adjacency } from '../../core/csr.ts'
import { type Nearest, NO_COMMUNITY } from '../../core/insight/insight.ts'
import type { Corpus } from '../corpus.ts'

export interface KeyNotesSource {
  readonly titles: readonly string[]
  readonly topology: Adjacency
  readonly nearest: Nearest
  readonly isIndex: Uint8Array
  readonly isStub: Uint8Array
  readonly corpus: Pick<Corpus, 'bags'>
}

export interface NotesByCommunity {
  readonly of: Uint32Array
  readonly terms: readonly (readonly number[])[]
}

const KEY_NOTES = 3
/** The weight of similarity, relative to a link's weight of 1. */
const SIMILARITY_WEIGHT = 0.5
/** The factors for notes with little content. `entry` is for stubs in catalogues, `handle` for lists with one-word titles. */
const SHARE = { stub: 0.3, entry: 0.03, date: 0.2, index: 0.1, handle: 0.35 }
const ENTRIES = 2

/** Returns the most central notes of each community, best first. In catalogues of stubs, lists come first. */
export function keyNotes(source: KeyNotesSource, { of, terms }: NotesByCommunity): readonly (readonly number[])[] {
  const ofStubs = communitiesOfStubs(source, of)
  const { support, gathered } = supportWithin(source, { of, ofStubs })
  const best: number[][] = terms.map(() => [])
  of.forEach((community, note) => {
    const list = best[community]
    if (list === undefined) return
    support[note] =
      (support[note] as number) *
      shareOf(note, source, ofStubs.has(community)) *
      (isHandle(note, source, gathered) ? SHARE.handle : 1) *
      (1 + termsIn(note, source, terms[community] as readonly number[]))
    const place = list.findIndex((other) => (support[other] as number) < (support[note] as number))
    list.splice(place === -1 ? list.length : place, 0, note)
    if (list.length > KEY_NOTES) list.pop()
  })
  return best
}

function communitiesOfStubs({ isStub }: KeyNotesSource, of: Uint32Array): ReadonlySet<number> {
  const balance = new Map<number, number>()
  of.forEach((community, note) => {
    balance.set(community, (balance.get(community) ?? 0) + (isStub[note] === 1 ? 1 : -1))
  })
  return new Set([...balance].flatMap(([community, stubs]) => (stubs > 0 ? [community] : [])))
}

function supportWithin(
  { topology, nearest, isIndex, isStub }: KeyNotesSource,
  { of, ofStubs }: { readonly of: Uint32Array; readonly ofStubs: ReadonlySet<number> },
): { readonly support: Float64Array; readonly gathered: Uint32Array } {
  const support = new Float64Array(of.length)
  const gathered = new Uint32Array(of.length)
  const linked = new Set<number>()
  of.forEach((community, from) => {
    if (community === NO_COMMUNITY) return
    linked.clear()
    for (let at = topology.offsets[from] as number; at < (topology.offsets[from + 1] as number); at++) {
      linked.add(topology.targets[at] as number)
    }
    const gathers = isStub[from] === 0 && ofStubs.has(community)
    for (const to of linked) {
      if (of[to] !== community || isIndex[from] === 1) continue
      support[to]! += 1
      if (!gathers) continue
      support[from]! += 1
      gathered[from]!++
    }
    for (let at = from * nearest.kept; at < (from + 1) * nearest.kept; at++) {
      const to = nearest.notes[at] as number
      if (of[to] === community) support[to]! += SIMILARITY_WEIGHT * (nearest.scores[at] as number)
    }
  })
  return { support, gathered }
}

function isHandle(note: number, { titles }: KeyNotesSource, gathered: Uint32Array): boolean {
  return (gathered[note] as number) >= ENTRIES && /^\s*\S+\s*$/u.test(titles[note] as string)
}

function shareOf(note: number, { isIndex, isStub, titles }: KeyNotesSource, isOfStubs: boolean): number {
  const title = titles[note] as string
  const stub = isOfStubs ? SHARE.entry : SHARE.stub
  return (isStub[note] === 1 ? stub : 1) * (isIndex[note] === 1 ? SHARE.index : 1) * (isDate(title) ? SHARE.date : 1)
}

function termsIn(note: number, { corpus: { bags } }: KeyNotesSource, terms: readonly number[]): number {
  if (terms.length === 0) return 0
  const noteTerms = bags.terms.subarray(bags.offsets[note], bags.offsets[note + 1])
  return terms.filter((term) => noteTerms.includes(term)).length / terms.length
}

/** Checks whether a title is merely a date, a week or another number. */
export function isDate(title: string): boolean {
  return /\d/.test(title) && (title.match(/\p{L}+/gu) ?? []).every((word) => DATE_WORD.test(word))
}

const DATE_WORD =
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri|sat|sun|(?:janu|febru)ary|march|april|june|july|august|(?:septem|octo|novem|decem)ber|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|w|kw|cw|q|t|z|st|nd|rd|th|年|月|日|週|周|第)$/iu
