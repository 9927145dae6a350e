import type { NodeId } from '../../core/ids.ts'
import { ALL, type Node } from '../../core/store.ts'
import { foldName } from '../../core/text/fold.ts'
import type { GraphCore } from '../graph-core.ts'
import type { KnownItem } from './known-item.ts'
import { NameCounts, type NoteNames } from './name-counts.ts'
import { drawIndex, type Random, seededRandom, shuffled } from './random.ts'
import { firstSentence, linkSentence } from './sentence-queries.ts'
import { withTypo } from './typo.ts'

export interface KnownItemOptions {
  /** Maximum queries of a kind. */
  readonly count: number
  /** The same seed makes the same queries of an unchanged vault. */
  readonly seed: number
  readonly signal?: AbortSignal | undefined
}

/** Notes that are read in one go. */
const BATCH = 500

/**
 * Queries made from the notes of a vault itself, at most so many of a kind. Titles, aliases and headings are taken where no other note
 * has the same; sentences where no other query says the same. Archived notes, which `search` leaves out, are no answers, and of notes that
 * are kept from the embedder nothing is asked.
 */
export async function knownItems(core: GraphCore, { count, seed, signal }: KnownItemOptions): Promise<readonly KnownItem[]> {
  const random = seededRandom(seed)
  const notes = shuffled(await namedNotes(core, signal), random)
  const names = new NameCounts(notes)
  const titles = take(notes, count, ({ id, title }) =>
    names.isOnlyName(title) ? { kind: 'title', query: title, wanted: id } : undefined,
  )
  const mistyped = take(titles, count, (item) => mistypedTitle(item, { names, random }))
  const aliases = take(notes, count, (note) => {
    const query = oneOf(
      note.aliases.filter((alias) => names.isOnlyName(alias)),
      random,
    )
    return query === undefined ? undefined : { kind: 'alias', query, wanted: note.id }
  })
  const headings = take(notes, count, (note) => {
    const query = oneOf(
      note.headings.filter((heading) => names.isOnlyHeading(heading)),
      random,
    )
    return query === undefined ? undefined : { kind: 'heading', query, wanted: note.id }
  })
  const listed = new Set(notes.map(({ id }) => id))
  const links = await sentences(notes, { count, signal }, ({ id }) => linkSentence(core, id, { listed, random }))
  const firsts = await sentences(notes, { count, signal }, (note) => firstSentence(core, note))
  return [...titles, ...mistyped, ...aliases, ...headings, ...links, ...firsts]
}

interface NamedNote extends NoteNames {
  readonly id: NodeId
}

async function namedNotes(core: GraphCore, signal: AbortSignal | undefined): Promise<readonly NamedNote[]> {
  const { items } = await core.store.read((snapshot) => snapshot.select({}, ALL))
  const { mayEmbed = () => true } = core.embedding ?? {}
  const named: NamedNote[] = []
  for (let at = 0; at < items.length; at += BATCH) {
    signal?.throwIfAborted()
    const ids = items.slice(at, at + BATCH).map(({ id }) => id)
    const nodes = await core.store.read((snapshot) => snapshot.nodes(ids, { links: 0 }), signal)
    named.push(
      ...nodes.flatMap((node) => (node === undefined || isArchived(node) || !mayEmbed(node.path ?? '') ? [] : [namesOf(node)])),
    )
  }
  return named
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

/** A title with a slip is no query where that is a name again. */
function mistypedTitle(
  { query, wanted }: KnownItem,
  { names, random }: { readonly names: NameCounts; readonly random: Random },
): KnownItem | undefined {
  const typed = withTypo(query, random)
  return typed === undefined || names.isName(typed) ? undefined : { kind: 'title with a typo', query: typed, wanted }
}

/** The queries made from the first items that allow one. */
function take<T>(from: readonly T[], count: number, make: (item: T) => KnownItem | undefined): readonly KnownItem[] {
  const made: KnownItem[] = []
  for (const item of from) {
    if (made.length >= count) break
    const one = make(item)
    if (one !== undefined) made.push(one)
  }
  return made
}

/** Maximum notes read per query: in some vaults nearly all start alike. */
const READ_FOR_ONE = 20

/** Sentences that no other note of those read says. */
async function sentences(
  notes: readonly NamedNote[],
  { count, signal }: Pick<KnownItemOptions, 'count' | 'signal'>,
  make: (note: NamedNote) => Promise<KnownItem | undefined>,
): Promise<readonly KnownItem[]> {
  const made = new Map<string, KnownItem | 'boilerplate'>()
  let unique = 0
  for (const note of notes.slice(0, READ_FOR_ONE * count)) {
    if (unique === count) break
    signal?.throwIfAborted()
    const item = await make(note)
    if (item === undefined) continue
    const before = made.get(item.query)
    if (before === undefined) unique++
    else if (before !== 'boilerplate') unique--
    made.set(item.query, before === undefined ? item : 'boilerplate')
  }
  return [...made.values()].filter((item) => item !== 'boilerplate')
}
