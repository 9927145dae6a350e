import type { NodeId } from '../../core/ids.ts'
import { ALL, type Node } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import { sentenceAt } from '../../markdown/prose/sentences.ts'
import { plainText, unitsOf } from '../../search/chunks.ts'
import { analyze } from '../../search/words/scan.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import { type SearchArguments, search } from '../find/search.ts'
import type { GraphCore } from '../graph-core.ts'
import { readNotes, readTexts } from '../read/texts.ts'
import { DEPTH, drawIndex, type Random, seededRandom, shuffled } from './statistics.ts'

export const QUERY_KINDS = [
  'title',
  'title with a typo',
  'alias',
  'heading',
  'link sentence',
  'first sentence',
  'first sentence with a typo',
] as const

/** The only kind of query whose words are not taken from the expected note. */
export const IN_OTHER_WORDS: QueryKind = 'link sentence'

const MAX_NAME_LENGTH = 200

const LINKS = 50

const BEGINNING = 10_000

const PARAGRAPH = 6

const LINK = /\[\[|\]\(/

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** A shorter word would be unrecognizable after a typo. */
const MIN_WORD_LENGTH = 4

const MIN_WORDS = 4

export interface KnownItemOptions {
  readonly count: number
  /** The seed of the random numbers. The same seed yields the same queries for an unchanged vault. */
  readonly seed: number
  readonly signal?: AbortSignal | undefined
}

const BATCH = 500

/** Generates up to `count` queries of each kind. Archived notes and notes that must not be embedded are skipped. */
export async function knownItems(core: GraphCore, { count, seed, signal }: KnownItemOptions): Promise<readonly KnownItem[]> {
  const random = seededRandom(seed)
  const notes = shuffled(await namedNotes(core, signal), random)
  const names = new NameCounts(notes)
  const titles = take(notes, count, ({ id, title }) =>
    names.isOnlyName(title) ? { kind: 'title', query: title, expected: id } : undefined,
  )
  const mistyped = take(titles, count, (item) => mistypedTitle(item, { names, random }))
  const aliases = take(notes, count, (note) => {
    const query = oneOf(
      note.aliases.filter((alias) => names.isOnlyName(alias)),
      random,
    )
    return query === undefined ? undefined : { kind: 'alias', query, expected: note.id }
  })
  const headings = take(notes, count, (note) => {
    const query = oneOf(
      note.headings.filter((heading) => names.isOnlyHeading(heading)),
      random,
    )
    return query === undefined ? undefined : { kind: 'heading', query, expected: note.id }
  })
  const noteIds = new Set(notes.map(({ id }) => id))
  const links = await sentences(notes, { count, signal }, ({ id }) => linkSentence(core, id, { listedIds: noteIds, random }))
  const firsts = await sentences(notes, { count, signal }, (note) => firstSentence(core, note))
  const mistypedFirsts = take(firsts, count, ({ query, expected }) => {
    const misspelled = withTypo(query, random)
    return misspelled === undefined ? undefined : { kind: 'first sentence with a typo', query: misspelled, expected }
  })
  return [...titles, ...mistyped, ...aliases, ...headings, ...links, ...firsts, ...mistypedFirsts]
}

interface NamedNote extends NoteNames {
  readonly id: NodeId
}

async function namedNotes(core: GraphCore, signal: AbortSignal | undefined): Promise<readonly NamedNote[]> {
  const { items } = await core.store.read((snapshot) => snapshot.select({}, ALL))
  const { mayEmbed = () => true } = core.embedding ?? {}
  const candidates: NamedNote[] = []
  for (let at = 0; at < items.length; at += BATCH) {
    signal?.throwIfAborted()
    const ids = items.slice(at, at + BATCH).map(({ id }) => id)
    const nodes = await core.store.read((snapshot) => snapshot.nodes(ids, { links: 0 }), signal)
    candidates.push(
      ...nodes.flatMap((node) => (node === undefined || isArchived(node) || !mayEmbed(node.path ?? '') ? [] : [namesOf(node)])),
    )
  }
  return candidates
}

function isArchived({ properties, tags }: Node): boolean {
  const flagged = Object.entries(properties).some(([name, value]) => name.toLowerCase() === 'archived' && value === true)
  return flagged || tags.some((tag) => tag.toLowerCase() === 'archived')
}

function namesOf({ id, title, aliases, headings }: Node): NamedNote {
  const others = [...new Map(headings.map(({ text }) => [foldName(text), text])).entries()]
  return {
    id,
    title,
    aliases: [...new Set(aliases)].filter((alias) => foldName(alias) !== foldName(title)),
    headings: others.filter(([folded]) => folded !== foldName(title)).map(([, text]) => text),
  }
}

function oneOf<T>(items: readonly T[], random: Random): T | undefined {
  return items[drawIndex(items.length, random)]
}

/** Returns a title with a typo, or `undefined` if no word is long enough or the typo results in another name. */
function mistypedTitle(
  { query, expected }: KnownItem,
  { names, random }: { readonly names: NameCounts; readonly random: Random },
): KnownItem | undefined {
  const typo = withTypo(query, random)
  return typo === undefined || names.isName(typo) ? undefined : { kind: 'title with a typo', query: typo, expected }
}

function take<T>(from: readonly T[], count: number, make: (item: T) => KnownItem | undefined): readonly KnownItem[] {
  const items: KnownItem[] = []
  for (const item of from) {
    if (items.length >= count) break
    const knownItem = make(item)
    if (knownItem !== undefined) items.push(knownItem)
  }
  return items
}

/** Many notes may start with the same sentence, so several notes are read for each query. */
const NOTES_READ_PER_QUERY = 20

async function sentences(
  notes: readonly NamedNote[],
  { count, signal }: Pick<KnownItemOptions, 'count' | 'signal'>,
  make: (note: NamedNote) => Promise<KnownItem | undefined>,
): Promise<readonly KnownItem[]> {
  const itemsByQuery = new Map<string, KnownItem | 'boilerplate'>()
  let unique = 0
  for (const note of notes.slice(0, NOTES_READ_PER_QUERY * count)) {
    if (unique === count) break
    signal?.throwIfAborted()
    const item = await make(note)
    if (item === undefined) continue
    const before = itemsByQuery.get(item.query)
    if (before === undefined) unique++
    else if (before !== 'boilerplate') unique--
    itemsByQuery.set(item.query, before === undefined ? item : 'boilerplate')
  }
  return [...itemsByQuery.values()].filter((item) => item !== 'boilerplate')
}

export type QueryKind = (typeof QUERY_KINDS)[number]

export interface KnownItem {
  readonly kind: QueryKind
  readonly query: string
  readonly expected: NodeId
  /** The note that contains the query, unless it is `expected`. This note is excluded from the results. */
  readonly source?: NodeId
}

export interface NoteNames {
  readonly title: string
  readonly aliases: readonly string[]
  readonly headings: readonly string[]
}

class NameCounts {
  readonly #names = new Map<string, number>()
  readonly #headings = new Map<string, number>()

  constructor(notes: Iterable<NoteNames>) {
    for (const { title, aliases, headings } of notes) {
      for (const name of new Set([title, ...aliases].map(foldName))) this.#names.set(name, (this.#names.get(name) ?? 0) + 1)
      for (const name of new Set(headings.map(foldName))) this.#headings.set(name, (this.#headings.get(name) ?? 0) + 1)
    }
  }

  isName(name: string): boolean {
    return this.#names.has(foldName(name))
  }

  isOnlyName(name: string): boolean {
    return canBeAsked(name) && this.#names.get(foldName(name)) === 1
  }

  isOnlyHeading(name: string): boolean {
    return canBeAsked(name) && this.#headings.get(foldName(name)) === 1 && !this.isName(name)
  }
}

function canBeAsked(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && /[\p{L}\p{N}]/u.test(name)
}

export interface LinkSentenceOptions {
  readonly listedIds: ReadonlySet<NodeId>
  readonly random: Random
}

/**
 * Makes a query from a sentence with a link to another note, without the link and the words of the note's names. Returns
 * `undefined` if too few words remain.
 */
async function linkSentence(
  core: GraphCore,
  from: NodeId,
  { listedIds, random }: LinkSentenceOptions,
): Promise<KnownItem | undefined> {
  // The callback may run several times, so the random number is drawn before it.
  const draw = random()
  const found = await core.store.read(async (snapshot) => {
    const { items } = await snapshot.neighbors(from, { direction: 'out', kinds: ['note'] }, { offset: 0, limit: LINKS })
    const targets = items.filter((id) => id !== from && listedIds.has(id))
    const to = targets[drawIndex(targets.length, () => draw)]
    if (to === undefined) return undefined
    const { texts, changed } = await readTexts({ core, snapshot, call: {} }, [from])
    const source = changed.has(from) ? undefined : texts.get(from)
    const [target] = await snapshot.nodes([to], { links: 0 })
    const [places = []] = await snapshot.occurrences([[from, to]])
    return source === undefined || target === undefined || snapshot.isMixed ? undefined : { to, source, target, places }
  })
  if (found === undefined) return undefined
  const { to, source, target, places } = found
  const place = places.find(({ kind, inComment }) => kind === 'link' && !inComment)
  if (place === undefined) return undefined
  const { start, end } = place
  const link = source.text.slice(start, end)
  const masked = source.text.slice(0, start) + ' '.repeat(end - start) + source.text.slice(end)
  const sentence = sentenceAt(masked, start, end)
  if (LINK.test(sentence)) return undefined
  const query = withoutWords(sentence, [link, target.title, ...target.aliases])
  return query === undefined ? undefined : { kind: 'link sentence', query, expected: to, source: from }
}

/** Makes a query from the first sentence, without the words of the note's names. Returns `undefined` if too few words remain. */
async function firstSentence(
  core: GraphCore,
  { id, title, aliases }: { readonly id: NodeId; readonly title: string; readonly aliases: readonly string[] },
): Promise<KnownItem | undefined> {
  const { notes } = await core.store.read((snapshot) => readNotes({ core, snapshot, call: {} }, [id], { links: 0 }))
  const { node, source } = notes[0] ?? {}
  if (source === undefined || node === undefined) return undefined
  const text = source.text.slice(0, source.bodyStart + BEGINNING)
  for (const { start, level } of unitsOf(text, source.bodyStart, node.headings).units) {
    if (level !== PARAGRAPH) continue
    const query = withoutWords(sentenceAt(text, start, start + 1), [title, ...aliases])
    if (query !== undefined) return { kind: 'first sentence', query, expected: id }
  }
  return undefined
}

/**
 * Adds, drops, replaces or swaps one letter, but never changes the first letter of a word. Returns `undefined` if no word is long
 * enough.
 */
export function withTypo(text: string, random: Random): string | undefined {
  const words = [...text.matchAll(/\p{L}+/gu)].filter(([word]) => [...word].length >= MIN_WORD_LENGTH)
  const chosen = words[drawIndex(words.length, random)]
  if (chosen === undefined) return undefined
  const [word] = chosen
  return text.slice(0, chosen.index) + slip([...word], random).join('') + text.slice(chosen.index + word.length)
}

function slip(letters: readonly string[], random: Random): readonly string[] {
  const at = 1 + drawIndex(letters.length - 1, random)
  const kind = drawIndex(4, random)
  const letter = otherLetter(letters[at] ?? '', random)
  if (kind === 0) return letters.toSpliced(at, 0, letter)
  if (kind === 1) return letters.toSpliced(at, 1)
  const next = at + 1 < letters.length ? at + 1 : at - 1
  const start = Math.min(at, next)
  const isSwap = kind === 3 && start > 0 && letters[at] !== letters[next]
  if (!isSwap) return letters.with(at, letter)
  return letters.with(start, letters[start + 1] ?? '').with(start + 1, letters[start] ?? '')
}

function otherLetter(letter: string, random: Random): string {
  const others = [...LETTERS].filter((other) => other !== letter.toLowerCase())
  return others[drawIndex(others.length, random)] ?? 'x'
}

/** Removes Markdown and all forms of the words in `names`. Returns `undefined` if fewer than four content words remain. */
function withoutWords(sentence: string, names: readonly string[]): string | undefined {
  const plain = plainText(sentence.replaceAll('…', ' ').replace(/\s+/g, ' '))
  const taboo = new Set(names.flatMap((name) => analyze(name)).map(({ stem }) => stem))
  const tokens = analyze(plain)
  let text = ''
  let from = 0
  for (const { stem, start, end } of tokens) {
    if (!taboo.has(stem) || start < from) continue
    text += plain.slice(from, start)
    from = end
  }
  const question = (text + plain.slice(from)).replace(/\s+/g, ' ').trim()
  const remaining = tokens.filter(({ kind, stem, isStopWord }) => kind === 'word' && !isStopWord && !taboo.has(stem))
  return remaining.length < MIN_WORDS ? undefined : question
}

export type SearchMode = SearchArguments['mode']

export interface AskedItem {
  readonly item: KnownItem
  /** The 1-based rank, or 0 if the note is not in the top ten. */
  readonly rank: number
  readonly ms: number
}

export interface AskOptions {
  readonly mode: SearchMode
  readonly call: Call
  readonly onAsked: () => void
}

const DEFAULTS = { includeContent: false, relevance: 'normal', explain: false } as const

export async function askKnownItems(
  core: GraphCore,
  items: readonly KnownItem[],
  { mode, call, onAsked }: AskOptions,
): Promise<readonly AskedItem[]> {
  const results: AskedItem[] = []
  for (const item of items) {
    call.signal?.throwIfAborted()
    const limit = item.source === undefined ? DEPTH : DEPTH + 1
    const startedAt = performance.now()
    const { value } = await search(core, { ...DEFAULTS, query: item.query, mode, limit }, call)
    const ms = performance.now() - startedAt
    const rank = value.filter(({ id }) => id !== item.source).findIndex(({ id }) => id === item.expected) + 1
    results.push({ item, rank: rank > DEPTH ? 0 : rank, ms })
    onAsked()
  }
  return results
}
