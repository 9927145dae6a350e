import type { Adjacency } from '../../core/csr.ts'
import { groupBy } from '../../core/group-by.ts'
import { folderOf, nameOf, withParents } from '../../core/paths.ts'
import { type Corpus, startOf } from '../corpus.ts'
import { ownersOf, UNSPACED } from './label-words.ts'

export interface LabelSource {
  /** The title and aliases of each note. */
  readonly names: readonly (readonly string[])[]
  /** The path of each note's folder, in its original spelling. */
  readonly folders: readonly string[]
  readonly topology: Adjacency
  readonly corpus: Pick<Corpus, 'bags' | 'documents' | 'names' | 'termOf' | 'isFunctionWord'>
}

export interface UnlabeledGroup {
  readonly notes: Uint32Array
  /** The key notes, the most central one first. */
  readonly key: readonly number[]
  /** The group's last label. It is preferred to labels that describe the group only slightly better. */
  readonly former?: string | undefined
}

/** A topic of a group: a folder, or a word of titles. It describes the notes in the folder, or those that contain the word. */
interface Topic {
  readonly id: string
  readonly isFolder: boolean
  /** The positions of the described notes in the group. */
  readonly inside: readonly number[]
  /** The number of described notes outside the group. */
  readonly outside: number
  readonly score: number
}

interface NamedTopic extends Topic {
  readonly name: string
}

/** The minimum share of a group's notes that a single folder or note must describe to become the label. */
const MOST = 0.5
/** A word must occur in this number and share of a group's titles, or in a larger share of its texts. */
const NAMED = { notes: 2, share: 0.02, texts: 0.25 }
/** The minimum share of a group's notes that a topic must describe. */
const MIN_SHARE = 0.1
/** A topic must be this much more frequent in the group than outside. */
const MIN_LIFT = 1.5
const CANDIDATES = 24
/**
 * Folders are preferred, because people chose them as topics. The former label is preferred, because a small edit should not
 * change a label.
 */
const PREFERENCE = { folder: 1.3, former: 1.25, capitals: 2 }
const TOPICS = { most: 3, gain: 1.04, length: 32 }
/** Describing many notes of the group matters more than describing few others. */
const RECALL_WEIGHT = 1.5

/**
 * Labels each group with what describes most of its notes and few others. This is a folder, or the most central note if most of
 * the others are linked with it, or else up to three folders and words of titles. The score of a description is its F-measure (van
 * Rijsbergen, 1979).
 */
export function labelerOf(source: LabelSource): (groups: readonly UnlabeledGroup[]) => readonly string[] {
  const folderSizes = new Map<string, number>()
  for (const folder of source.folders) for (const path of withParents(folder)) add(folderSizes, path)
  const titleOf = new Map(source.names.map(([title = '']) => [plainName(title), title]))
  const titleTerms = source.names.map(([title = ''], note) => titleTermsOf(note, title.length, source.corpus))
  const slots = new Int32Array(source.corpus.documents.length).fill(-1)
  return (groups) => labelGroups(source, groups, { folderSizes, titleOf, titleTerms, slots })
}

interface Names {
  readonly folderSizes: ReadonlyMap<string, number>
  readonly titleOf: ReadonlyMap<string, string>
  readonly titleTerms: readonly ReadonlySet<number>[]
  /** Scratch space for each term. It must be -1 everywhere. */
  readonly slots: Int32Array
}

function labelGroups(
  source: LabelSource,
  groups: readonly UnlabeledGroup[],
  { folderSizes, titleOf, ...terms }: Names,
): readonly string[] {
  const candidates = groups.map((group) => {
    const topics = [...foldersOf(source, group, folderSizes), ...wordsOf(source, group, terms)]
    return topics.sort((a, b) => b.score - a.score).slice(0, CANDIDATES)
  })
  const owners = ownersOf(candidates)
  const labels = groups.map((group, at) => {
    const { notes, key, former } = group
    const own = (candidates[at] ?? []).filter(({ id }) => owners.get(id) === at)
    const words = own.flatMap(({ id, isFolder }) => (isFolder ? [] : [Number(id)]))
    const spellings = spellingsOf(source, notes, words)
    const named = own.map((topic): NamedTopic => {
      const name = topic.isFolder ? folderName(topic.id, titleOf) : spellings.get(Number(topic.id))
      return { ...topic, name: name ?? '' }
    })
    const isMost = (share: number, name: string) => share >= (name === former ? MOST / PREFERENCE.former : MOST)
    const single = named.find(({ isFolder, inside, outside, name }) => {
      return isFolder && isMost(inside.length / notes.length, name) && isMost(inside.length / (inside.length + outside), name)
    })
    if (single !== undefined) return { label: single.name, folder: folderOf(single.id) }
    const [first] = key
    const title = first === undefined ? '' : (source.names[first]?.[0] ?? '')
    const ofNote = { label: title, folder: source.folders[first ?? -1] ?? '' }
    if (first !== undefined && isMost(linkedWithin(source.topology, notes, first) / notes.length, title)) return ofNote
    const names = combine(named, notes.length, former)
    return names.length === 0 ? ofNote : { label: capitalized(names.join(', ')), folder: '' }
  })
  return distinct(labels)
}

/** Adds the folder to labels that several groups have. */
function distinct(labels: readonly { readonly label: string; readonly folder: string }[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { label } of labels) add(counts, label)
  return labels.map(({ label, folder }) =>
    (counts.get(label) ?? 0) > 1 && folder !== '' ? `${label} (${nameOf(folder)})` : label,
  )
}

function add<Key>(counts: Map<Key, number>, key: Key, count = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

function combine(topics: readonly NamedTopic[], size: number, former = ''): readonly string[] {
  const names: string[] = []
  const covered = new Set<number>()
  let outside = 0
  let quality = 0
  for (let left = topics; names.length < TOPICS.most; ) {
    const rated = left.map((topic) => {
      const inside = covered.size + topic.inside.filter((at) => !covered.has(at)).length
      const joint = fMeasure(inside, outside + topic.outside, size)
      const isFormer = former !== '' && former.startsWith(capitalized([...names, topic.name].join(', ')))
      const preference = (topic.isFolder && names.length === 0 ? PREFERENCE.folder : 1) * (isFormer ? PREFERENCE.former : 1)
      return {
        topic,
        joint,
        isEnough: joint * (isFormer ? PREFERENCE.former : 1) >= quality * TOPICS.gain,
        rated: joint * preference,
      }
    })
    const [best] = rated.filter(({ isEnough }) => isEnough).sort((a, b) => b.rated - a.rated)
    if (best === undefined) break
    if (names.length > 0 && [...names, best.topic.name].join(', ').length > TOPICS.length) {
      left = left.filter((topic) => topic !== best.topic)
      continue
    }
    names.push(best.topic.name)
    for (const at of best.topic.inside) covered.add(at)
    outside += best.topic.outside
    quality = best.joint
    const chosen = best.topic.name.toLowerCase()
    left = left.filter(({ name }) => !chosen.includes(name.toLowerCase()) && !name.toLowerCase().includes(chosen))
  }
  return names
}

/**
 * Returns the weighted harmonic mean of two shares: that of the group's notes that are described, and that of the described notes
 * that are in the group.
 */
function fMeasure(inside: number, outside: number, size: number): number {
  const weight = RECALL_WEIGHT ** 2
  return ((1 + weight) * inside) / (weight * size + inside + outside)
}

function foldersOf({ folders }: LabelSource, { notes }: UnlabeledGroup, sizes: ReadonlyMap<string, number>): readonly Topic[] {
  const places = new Map<string, readonly number[]>()
  for (const [folder, own] of groupBy(notes.keys(), (at) => folders[notes[at] as number] ?? ''))
    for (const path of withParents(folder)) places.set(path, [...(places.get(path) ?? []), ...own])
  return [...places].flatMap(([path, inside]) =>
    topicOf(path, true, inside, { size: notes.length, of: folders.length, all: sizes.get(path) ?? 0 }),
  )
}

function topicOf(
  id: string,
  isFolder: boolean,
  inside: readonly number[],
  { size, of, all }: Readonly<Record<'size' | 'of' | 'all', number>>,
): readonly Topic[] {
  const outside = all - inside.length
  const isDistinctive = of > size && inside.length / size >= (MIN_LIFT * outside) / (of - size)
  if (inside.length < Math.max(NAMED.notes, MIN_SHARE * size) || !isDistinctive) return []
  return [{ id, isFolder, inside, outside, score: fMeasure(inside.length, outside, size) }]
}

/** Prefers the spelling of a note with the same name. */
function folderName(path: string, titleOf: ReadonlyMap<string, string>): string {
  const name = nameOf(path).replace(/^[\d.\s_–-]+(?=\p{L})/u, '')
  return titleOf.get(plainName(name)) ?? name
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
}

function titleTermsOf(
  note: number,
  titleLength: number,
  { names: { ends, forms, starts }, termOf, isFunctionWord }: LabelSource['corpus'],
): ReadonlySet<number> {
  const terms = new Set<number>()
  for (let word = startOf({ ends }, note); word < (ends[note] as number) && (starts[word] as number) < titleLength; word++) {
    const form = forms[word] as number
    if (isFunctionWord[form] === 0) terms.add(termOf[form] as number)
  }
  return terms
}

function wordsOf(
  { corpus: { bags, documents } }: LabelSource,
  { notes }: UnlabeledGroup,
  { titleTerms, slots }: Pick<Names, 'titleTerms' | 'slots'>,
): readonly Topic[] {
  const titled = new Map<number, number>()
  for (const note of notes) for (const term of titleTerms[note] ?? []) add(titled, term)
  const terms = [...titled.keys()]
  for (const [slot, term] of terms.entries()) slots[term] = slot
  const inside = terms.map((): number[] => [])
  notes.forEach((note, at) => {
    for (let item = bags.offsets[note] as number; item < (bags.offsets[note + 1] as number); item++)
      inside[slots[bags.terms[item] as number] as number]?.push(at)
  })
  for (const term of terms) slots[term] = -1
  return terms.flatMap((term, slot) => {
    const list = inside[slot] ?? []
    const titles = titled.get(term) ?? 0
    if (titles < Math.max(NAMED.notes, NAMED.share * notes.length) && list.length < NAMED.texts * notes.length) return []
    return topicOf(`${term}`, false, list, { size: notes.length, of: titleTerms.length, all: documents[term] as number })
  })
}

/** Returns the most frequent spelling of each term in names of notes. File names often lack capitals that aliases have. */
function spellingsOf({ names, corpus }: LabelSource, notes: Uint32Array, terms: readonly number[]): ReadonlyMap<number, string> {
  const { ends, forms, starts, stops } = corpus.names
  const counts = new Map(terms.map((term) => [term, new Map<string, number>()]))
  for (const note of notes) {
    const text = names[note]?.join('\n') ?? ''
    for (let word = startOf({ ends }, note); word < (ends[note] as number); word++) {
      const ofTerm = counts.get(corpus.termOf[forms[word] as number] as number)
      if (ofTerm !== undefined) add(ofTerm, text.slice(starts[word], stops[word]))
    }
  }
  const weightOf = ([spelling, count]: readonly [string, number]) =>
    /\p{Lu}/u.test(spelling) ? count * PREFERENCE.capitals : count
  const titles = () => Array.from(notes, (note) => names[note]?.[0] ?? '')
  const best = [...counts].map(([term, ofTerm]) => {
    const [[spelling] = ['']] = [...ofTerm].sort((a, b) => weightOf(b) - weightOf(a))
    return [term, spelling.charCodeAt(0) < UNSPACED ? spelling : extended(spelling, titles())] as const
  })
  return new Map(best)
}

/** Adds the characters that most titles have around a part of a word without spaces. */
function extended(part: string, titles: readonly string[]): string {
  const around = titles.filter((title) => title.includes(part))
  for (let name = part; ; ) {
    const counts = new Map<string, number>()
    for (const title of around) {
      const [before = '', after] = title.split(name)
      if (after === undefined) continue
      add(counts, `${[...before].at(-1) ?? ''}${name}`)
      add(counts, `${name}${[...after][0] ?? ''}`)
    }
    counts.delete(name)
    const longer = [...counts].find(([one, count]) => count > around.length / 2 && /^\p{L}+$/u.test(one))
    if (longer === undefined) return name
    name = longer[0]
  }
}

function linkedWithin({ offsets, targets }: Adjacency, notes: Uint32Array, note: number): number {
  const own = new Set(targets.subarray(offsets[note], offsets[note + 1]))
  return notes.reduce((sum, other) => {
    return (
      sum + (other !== note && (own.has(other) || targets.subarray(offsets[other], offsets[other + 1]).includes(note)) ? 1 : 0)
    )
  }, 1)
}

function capitalized(name: string): string {
  const [first = ''] = name
  return /^\p{Ll}+(?!\p{Lu})/u.test(name) ? first.toLocaleUpperCase('en') + name.slice(first.length) : name
}
