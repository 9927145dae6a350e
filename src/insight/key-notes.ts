import { NO_COMMUNITY } from '../core/communities.ts'
import type { Adjacency } from '../graph/analytics.ts'
import type { NearestByText } from './clustered-graph.ts'

export interface KeyNotesSource {
  readonly titles: readonly string[]
  readonly topology: Adjacency
  readonly nearest: NearestByText
  readonly isIndex: Uint8Array
  readonly isStub: Uint8Array
}

const KEY_NOTES = 3
/** What it weighs that a note is like another, beside a link's 1. */
const LIKENESS = 0.5
/** What is left of the claim of a note that says little by its title or text. */
const SHARE = { stub: 0.5, date: 0.2, index: 0.1 }

/** Of each community the notes that most of its others link to or are alike, best first; a community is called after its first. */
export function keyNotes(source: KeyNotesSource, of: Uint32Array, count: number): readonly (readonly number[])[] {
  const { topology, nearest, isIndex, isStub, titles } = source
  const scores = new Float64Array(of.length)
  const linked = new Set<number>()
  for (let from = 0; from < of.length; from++) {
    const community = of[from] as number
    if (community === NO_COMMUNITY) continue
    linked.clear()
    for (let at = topology.offsets[from] as number; at < (topology.offsets[from + 1] as number); at++) {
      linked.add(topology.targets[at] as number)
    }
    for (const to of linked) if (of[to] === community && isIndex[from] === 0) scores[to]! += 1
    for (let at = from * nearest.kept; at < (from + 1) * nearest.kept; at++) {
      const to = nearest.notes[at] as number
      if (of[to] === community) scores[to]! += LIKENESS * (nearest.scores[at] as number)
    }
  }
  const best: number[][] = Array.from({ length: count }, () => [])
  for (let note = 0; note < of.length; note++) {
    const list = best[of[note] as number]
    if (list === undefined) continue
    if (isStub[note] === 1) scores[note]! *= SHARE.stub
    if (isIndex[note] === 1) scores[note]! *= SHARE.index
    if (isDate(titles[note] as string)) scores[note]! *= SHARE.date
    list.push(note)
    list.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
    if (list.length > KEY_NOTES) list.pop()
  }
  return best
}

/** Whether a title is nothing but a date, a week or another number. */
export function isDate(title: string): boolean {
  return /\d/.test(title) && (title.match(/\p{L}+/gu) ?? []).every((word) => DATE_WORD.test(word))
}

const DATE_WORD =
  /^(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|mon|tues?|wed|thu|thurs?|fri|sat|sun|(?:janu|febru)ary|march|april|june|july|august|(?:septem|octo|novem|decem)ber|(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|w|kw|cw|q|t|z|st|nd|rd|th|年|月|日|週|周|第)$/iu
