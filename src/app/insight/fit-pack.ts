import { countInTurn, jsonBytes, Purse, SEPARATOR, TOKEN_BYTES } from '../answer/budget.ts'
import { truncate } from '../answer/truncate.ts'

/** A part of a note as a pack shows it. */
export interface PackExcerpt {
  readonly id: string
  readonly title: string
  /** The first headings of the note, where it was asked for by its id. */
  readonly outline?: readonly string[]
  /** The headings above the excerpt, from the outside in. */
  readonly heading: readonly string[]
  /** 1-based, both included. */
  readonly lines: readonly [first: number, last: number]
  /** Of the note; `partial:` where the excerpt is not all of it. */
  readonly hash: string
  readonly text: string
  /** The note whose link led here, and the line of the link. */
  readonly via?: { readonly from: string; readonly line: number }
}

/** The shown part of a passage, limited in length. */
export interface ShownPart extends Pick<PackExcerpt, 'heading' | 'lines' | 'hash' | 'text'> {
  /** Nothing of the passage is left out. */
  readonly isWhole: boolean
}

/** A passage that a pack may hold. */
export interface PackPassage extends Pick<PackExcerpt, 'id' | 'title' | 'outline' | 'via'> {
  /** Identifies the passage in this version of its note. */
  readonly key: string
  /** The best are shown first. */
  readonly score: number
  /** Maximum UTF-16 units of its full text. */
  readonly length: number
  /** Its sentences in a row that say most, in at most so many UTF-16 units. */
  show(length: number): ShownPart
}

export interface FittedPack {
  readonly excerpts: readonly PackExcerpt[]
  /** How many of the passages, from the first on, are shown, or never fit into such a room. */
  readonly passed: number
}

/**
 * A passage is first cut to so many tokens, and as many are shown as have room for this with what stands around them, and to grow by the rest; a
 * passage that is whole before makes room for others.
 */
const FIRST_TOKENS = 160
const EACH_TOKENS = 260
/** A text cut to less says nothing, UTF-16 units. */
const LEAST_TEXT = 160
const NAME_LENGTH = 200
/** An outline's share of the excerpt's first room. */
const OUTLINE_SHARE = 0.5

interface Draft {
  readonly passage: PackPassage
  readonly shown: PackExcerpt
  readonly isWhole: boolean
  readonly bytes: number
}

/**
 * The first passages in at most so many bytes of JSON: as many as there is room for, cut to their best sentences; then each made whole, the
 * best first; then further ones.
 */
export function fitPack(passages: readonly PackPassage[], room: number): FittedPack {
  const each = EACH_TOKENS * TOKEN_BYTES
  let drafts: readonly Draft[] = []
  let left = room - '[]'.length
  let passed = 0
  let isFirst = true
  let counted = 0
  for (const passage of passages) {
    if (isFirst && passed > 0 && counted + each > room) {
      isFirst = false
      ;[drafts, left] = grow(drafts, left)
    }
    const around = excerptAround(passage)
    const least = jsonBytes(around) + LEAST_TEXT + SEPARATOR
    const bytes = isFirst ? jsonBytes(around) + FIRST_TOKENS * TOKEN_BYTES : left
    const draft = fill(passage, around, Math.min(bytes, left))
    // Skip an excerpt whose names alone exceed the whole room; otherwise paging would stop.
    if (draft === undefined && least <= room) break
    if (draft !== undefined) {
      drafts = [...drafts, draft]
      left -= draft.bytes
      counted += draft.isWhole ? Math.min(each, draft.bytes) : each
    }
    passed++
  }
  ;[drafts, left] = grow(drafts, left)
  return { excerpts: drafts.map(({ shown }) => shown), passed }
}

/** Extends cut passages while there is room, the best first. */
function grow(drafts: readonly Draft[], room: number): readonly [drafts: readonly Draft[], left: number] {
  let left = room
  const grown = drafts.map((draft) => {
    if (draft.isWhole || left <= 0) return draft
    const more = fill(draft.passage, draft.shown, draft.bytes + left)
    if (more === undefined || more.bytes <= draft.bytes) return draft
    left -= more.bytes - draft.bytes
    return more
  })
  return [grown, left]
}

/** The excerpt with as much of the passage as fits into so many bytes; `undefined` where that says nothing. */
function fill(passage: PackPassage, around: PackExcerpt, bytes: number): Draft | undefined {
  let length = Math.min(passage.length, bytes)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const { isWhole, ...part } = passage.show(length)
    const heading = part.heading.map((name) => truncate(name, NAME_LENGTH).text)
    const shown: PackExcerpt = { ...around, ...part, heading }
    const taken = jsonBytes(shown) + SEPARATOR
    if (taken <= bytes) return { passage, shown, isWhole, bytes: taken }
    const text = jsonBytes(part.text)
    // Escapes and multi-byte letters are spread fairly evenly; shorten again if the text is still too long.
    length = Math.floor(((part.text.length * (bytes - taken + text)) / text) * 0.97 ** tries)
    if (length < LEAST_TEXT) return undefined
  }
  return undefined
}

const MOST_TRIES = 20

/** All that does not depend on how much of the passage is shown. */
function excerptAround({ id, title, outline, via }: PackPassage): PackExcerpt {
  return {
    id,
    title: truncate(title, NAME_LENGTH).text,
    ...(outline === undefined ? {} : { outline: firstWithin(outline, FIRST_TOKENS * TOKEN_BYTES * OUTLINE_SHARE) }),
    heading: [],
    lines: [0, 0],
    hash: '',
    text: '',
    ...(via === undefined ? {} : { via }),
  }
}

function firstWithin(items: readonly string[], bytes: number): readonly string[] {
  return items.slice(0, countInTurn([items], new Purse(bytes))[0])
}
