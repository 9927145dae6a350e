import type { NodeId } from '../../core/ids.ts'
import { sentenceAt } from '../../markdown/prose/sentences.ts'
import { unitsOf } from '../../search/chunks.ts'
import type { GraphCore } from '../graph-core.ts'
import { readNotes, readTexts } from '../read/texts.ts'
import type { KnownItem } from './known-item.ts'
import { drawIndex, type Random } from './random.ts'
import { withoutWords } from './without-words.ts'

/** One of this many first links of a note is used. */
const LINKS = 50
/** How much of a note is looked through for its first sentence, in UTF-16 units. */
const BEGINNING = 10_000
const PARAGRAPH = 6
const LINK = /\[\[|\]\(/

export interface LinkSentenceOptions {
  /** The notes that may be the answer. */
  readonly listed: ReadonlySet<NodeId>
  readonly random: Random
}

/** A sentence of a note that links to another, without what the link says; `undefined` where none says enough without. */
export async function linkSentence(
  core: GraphCore,
  from: NodeId,
  { listed, random }: LinkSentenceOptions,
): Promise<KnownItem | undefined> {
  // Drawn once, however often this runs.
  const drawn = random()
  const found = await core.store.read(async (snapshot) => {
    const { items } = await snapshot.neighbors(from, { direction: 'out', kinds: ['note'] }, { offset: 0, limit: LINKS })
    const targets = items.filter((id) => id !== from && listed.has(id))
    const to = targets[drawIndex(targets.length, () => drawn)]
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
  // With other links in it, it is about them as much.
  if (LINK.test(sentence)) return undefined
  const query = withoutWords(sentence, [link, target.title, ...target.aliases])
  return query === undefined ? undefined : { kind: 'link sentence', query, wanted: to, source: from }
}

/** The first sentence of a note's text, without the words of its title; `undefined` where it says nothing else. */
export async function firstSentence(
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
    if (query !== undefined) return { kind: 'first sentence', query, wanted: id }
  }
  return undefined
}
