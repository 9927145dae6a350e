import { Budget, countInTurn, jsonBytes, SEPARATOR, TOKEN_BYTES } from '../answer/budget.ts'
import { truncate } from '../answer/truncate.ts'

export interface PackExcerpt {
  readonly id: string
  /** The path as spelled on disk. It is omitted if it equals the id. */
  readonly path?: string
  readonly title: string
  /** The first headings of the note. Only requested notes have an outline. */
  readonly outline?: readonly string[]
  readonly heading: readonly string[]
  readonly lines: readonly [first: number, last: number]
  /** The note's hash, with the prefix `partial:` for an incomplete excerpt. It is omitted if writing is off. */
  readonly hash?: string
  readonly text: string
  /** The location of the link that led to this note. */
  readonly via?: { readonly from: string; readonly line: number }
}

export interface ShownPart extends Required<Pick<PackExcerpt, 'heading' | 'lines' | 'hash' | 'text'>> {
  readonly isWhole: boolean
}

export interface PackPassage extends Pick<PackExcerpt, 'id' | 'path' | 'title' | 'outline' | 'via'> {
  /** A key that identifies the passage within one version of the note. */
  readonly key: string
  readonly score: number
  /** The length in the file, in UTF-16 code units. Shown text is never longer. */
  readonly length: number
  /** Returns consecutive sentences with at most `length` UTF-16 code units. */
  show(length: number): ShownPart
}

export interface FittedPack {
  readonly excerpts: readonly PackExcerpt[]
  /** Number of passages that the next page skips, including passages that are too large for any page. */
  readonly passed: number
}

/** The initial size of a passage in tokens. The rest of `TOKENS_PER_NOTE` is for metadata and longer text. */
const TOKENS_FOR_FIRST = 120
const TOKENS_PER_NOTE = 240
/** Minimum useful length, in UTF-16 code units. */
const MIN_TEXT_LENGTH = 160
const MIN_ONLY_TEXT_LENGTH = 40
const MAX_NAME_LENGTH = 200
const OUTLINE_SHARE = 0.67

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

/** Shortens passages until as many as possible fit into `room` bytes of JSON. If bytes remain, the best ones are extended. */
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
    // The loop skips an excerpt whose metadata does not fit, so paging makes progress.
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

/** Shortens a passage and drops its headings, for the case that no complete excerpt fits. */
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

function fill(passage: PackPassage, frame: PackExcerpt, bytes: number, minLength = MIN_TEXT_LENGTH): Draft | undefined {
  let length = Math.min(passage.length, bytes)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { isWhole, hash, ...part } = passage.show(length)
    const heading = part.heading.map((name) => truncate(name, MAX_NAME_LENGTH).text)
    const excerpt: PackExcerpt = { ...frame, ...part, heading, ...(frame.hash === undefined ? {} : { hash }) }
    const bytesUsed = jsonBytes(excerpt) + SEPARATOR
    if (bytesUsed <= bytes) return { passage, excerpt, isWhole, bytes: bytesUsed }
    const text = jsonBytes(part.text)
    // The length is estimated, assuming that escapes and multi-byte characters are evenly distributed. Each attempt shrinks it.
    length = Math.floor(((part.text.length * (bytes - bytesUsed + text)) / text) * 0.97 ** tries)
    if (length < minLength) return undefined
  }
  return undefined
}

const MAX_TRIES = 20

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
