import { Budget, countInTurn, jsonBytes, SEPARATOR, TOKEN_BYTES } from '../answer/budget.ts'
import { truncate } from '../answer/truncate.ts'

export interface PackExcerpt {
  readonly id: string
  /** Path as spelled on disk. Omitted if it is the same as the id. */
  readonly path?: string
  readonly title: string
  /** The first headings of the note. Set if the note was requested by its id. */
  readonly outline?: readonly string[]
  /** Headings above the excerpt, outermost first. */
  readonly heading: readonly string[]
  /** 1-based, inclusive. */
  readonly lines: readonly [first: number, last: number]
  /** Hash of the note, prefixed with `partial:` if the excerpt is only a part of it. Omitted if writing is off. */
  readonly hash?: string
  readonly text: string
  /** The note and line of the link that led to this excerpt. */
  readonly via?: { readonly from: string; readonly line: number }
}

export interface ShownPart extends Required<Pick<PackExcerpt, 'heading' | 'lines' | 'hash' | 'text'>> {
  readonly isWhole: boolean
}

export interface PackPassage extends Pick<PackExcerpt, 'id' | 'path' | 'title' | 'outline' | 'via'> {
  /** Identifies the passage in this version of its note. */
  readonly key: string
  /** Passages with higher scores are shown first. */
  readonly score: number
  /** Length of the passage in the file, in UTF-16 code units. The shown text is never longer. */
  readonly length: number
  /** Returns the best consecutive sentences, in at most `length` UTF-16 code units. */
  show(length: number): ShownPart
}

export interface FittedPack {
  readonly excerpts: readonly PackExcerpt[]
  /** Number of leading passages that are done: each is either shown or too large for any pack of this size. */
  readonly passed: number
}

/**
 * Number of tokens to which each passage is cut at first. Passages are added while the budget has `TOKENS_PER_NOTE` for each,
 * which leaves tokens for metadata and for extending passages. A passage that is shown in full counts with its actual size.
 */
const TOKENS_FOR_FIRST = 120
const TOKENS_PER_NOTE = 240
/** A text of fewer UTF-16 code units is not worth showing. */
const MIN_TEXT_LENGTH = 160
/** Like `MIN_TEXT_LENGTH`, for a small pack with a single passage. */
const MIN_ONLY_TEXT_LENGTH = 40
const MAX_NAME_LENGTH = 200
/** Share of an excerpt's first size that its outline may use. */
const OUTLINE_SHARE = 0.67

/** Number of bytes available for a pack, and whether its excerpts have hashes. */
export interface PackRoom {
  readonly room: number
  readonly hasHashes: boolean
}

interface Draft {
  readonly passage: PackPassage
  readonly excerpt: PackExcerpt
  readonly isWhole: boolean
  readonly bytes: number
}

/**
 * Fits the first passages into the given number of bytes of JSON. First adds as many passages as fit, each cut to its best
 * sentences. Then extends them, best first, and adds more passages if there are bytes left.
 */
export function fitPack(passages: readonly PackPassage[], { room, hasHashes }: PackRoom): FittedPack {
  const each = TOKENS_PER_NOTE * TOKEN_BYTES
  let drafts: readonly Draft[] = []
  let remaining = room - '[]'.length
  let skipped = 0
  let isFirst = true
  let count = 0
  for (const passage of passages) {
    if (isFirst && skipped > 0 && count + each > room) {
      isFirst = false
      ;[drafts, remaining] = grow(drafts, remaining)
    }
    const frame = excerptAround(passage, hasHashes)
    const minBytes = jsonBytes(frame) + MIN_TEXT_LENGTH + SEPARATOR
    const bytes = isFirst ? jsonBytes(frame) + TOKENS_FOR_FIRST * TOKEN_BYTES : remaining
    const draft = fill(passage, frame, Math.min(bytes, remaining))
    // Skip an excerpt whose title and path alone do not fit. Otherwise, paging would stop here.
    if (draft === undefined && minBytes <= room) break
    if (draft !== undefined) {
      drafts = [...drafts, draft]
      remaining -= draft.bytes
      count += draft.isWhole ? Math.min(each, draft.bytes) : each
    }
    skipped++
  }
  ;[drafts, remaining] = grow(drafts, remaining)
  const [first] = passages
  const only = drafts.length > 0 || first === undefined ? undefined : fillAlone(first, { room: remaining, hasHashes })
  if (only !== undefined) return { excerpts: [only.excerpt], passed: 1 }
  return { excerpts: drafts.map(({ excerpt }) => excerpt), passed: skipped }
}

/** Fills a pack that is too small for a passage with the beginning of the best one, without headings. */
function fillAlone(passage: PackPassage, { room, hasHashes }: PackRoom): Draft | undefined {
  const { outline: _, via: __, ...bare } = passage
  const show = (length: number): ShownPart => ({ ...passage.show(length), heading: [] })
  return fill({ ...bare, show }, excerptAround(bare as PackPassage, hasHashes), room, MIN_ONLY_TEXT_LENGTH)
}

function grow(drafts: readonly Draft[], room: number): readonly [drafts: readonly Draft[], left: number] {
  let remaining = room
  const extended = drafts.map((draft) => {
    if (draft.isWhole || remaining <= 0) return draft
    const more = fill(draft.passage, draft.excerpt, draft.bytes + remaining)
    if (more === undefined || more.bytes <= draft.bytes) return draft
    remaining -= more.bytes - draft.bytes
    return more
  })
  return [extended, remaining]
}

/** Fills an excerpt with as much of its passage as fits into `bytes`. Returns `undefined` if that is too little to be useful. */
function fill(passage: PackPassage, frame: PackExcerpt, bytes: number, minLength = MIN_TEXT_LENGTH): Draft | undefined {
  let length = Math.min(passage.length, bytes)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { isWhole, hash, ...part } = passage.show(length)
    const heading = part.heading.map((name) => truncate(name, MAX_NAME_LENGTH).text)
    const excerpt: PackExcerpt = { ...frame, ...part, heading, ...(frame.hash === undefined ? {} : { hash }) }
    const bytesUsed = jsonBytes(excerpt) + SEPARATOR
    if (bytesUsed <= bytes) return { passage, excerpt, isWhole, bytes: bytesUsed }
    const text = jsonBytes(part.text)
    // Assume that escapes and multi-byte characters are spread evenly. Shorten the text again if it is still too long.
    length = Math.floor(((part.text.length * (bytes - bytesUsed + text)) / text) * 0.97 ** tries)
    if (length < minLength) return undefined
  }
  return undefined
}

const MAX_TRIES = 20

/** Returns an excerpt without its text. */
function excerptAround({ id, path, title, outline, via }: PackPassage, hasHashes: boolean): PackExcerpt {
  return {
    id,
    ...(path === undefined ? {} : { path }),
    title: truncate(title, MAX_NAME_LENGTH).text,
    ...(outline === undefined ? {} : { outline: firstWithin(outline, TOKENS_FOR_FIRST * TOKEN_BYTES * OUTLINE_SHARE) }),
    heading: [],
    lines: [0, 0],
    ...(hasHashes ? { hash: '' } : {}),
    text: '',
    ...(via === undefined ? {} : { via }),
  }
}

function firstWithin(items: readonly string[], bytes: number): readonly string[] {
  return items.slice(0, countInTurn([items], new Budget(bytes))[0])
}
