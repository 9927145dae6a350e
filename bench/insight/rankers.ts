import { IS_NAMED } from '../../src/core/insight/insight.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { CorpusBuilder } from '../../src/insight/corpus.ts'
import { type SuggestionSource, suggestLinks } from '../../src/insight/link-suggestions.ts'
import { noteRecord } from '../../src/insight/note-record.ts'
import { chunkNote } from '../../src/search/chunks.ts'
import { parseVault, type ReadVault, type VaultTexts } from './vault.ts'

/** A vault in the form the algorithms need. */
export interface Prepared extends SuggestionSource {
  readonly read: ReadVault
  readonly numbers: ReadonlyMap<string, number>
}

/** The suggested targets, best first; `lines` if the ranker gives the place. */
export interface Ranking {
  readonly targets: readonly number[]
  readonly lines?: readonly number[]
}

/** Ranks candidates for each note of a vault. */
export type Ranker = (vault: Prepared) => (note: number) => Ranking

export function prepare(texts: VaultTexts): Prepared {
  const read = parseVault(texts)
  const names = namesOf(read)
  const builder = new CorpusBuilder()
  for (const [note, text] of read.texts.entries())
    builder.add(noteRecord({ text, bodyStart: read.notes[note]?.bodyStart ?? 0 }), names[note] ?? [])
  const folders = new Map<string, number>()
  const numberOf = (folder: string): number => {
    const known = folders.get(folder) ?? folders.size
    folders.set(folder, known)
    return known
  }
  const offsets = new Uint32Array(read.paths.length + 1)
  const lists: number[][] = read.paths.map(() => [])
  for (const { from, to } of read.links) if (!lists[from]?.includes(to)) lists[from]?.push(to)
  for (const [note, list] of lists.entries()) offsets[note + 1] = (offsets[note] ?? 0) + list.length
  return {
    read,
    numbers: new Map(read.paths.map((path, note) => [path, note])),
    corpus: builder.build(),
    names,
    folders: Uint32Array.from(read.paths, (path) => numberOf(path.split('/').slice(0, -1).join('/'))),
    links: { offsets, targets: Uint32Array.from(lists.flatMap((list) => list.toSorted((a, b) => a - b))) },
  }
}

/** Title, aliases and file name, as the program uses them. */
function namesOf({ notes, paths }: ReadVault): readonly (readonly string[])[] {
  const isDocs = notes.reduce((sum, { style }) => sum + style.relativeLinks - style.wikilinks, 0) > 0
  return notes.map(({ title, h1, aliases }, note) => {
    const file = (paths[note] ?? '').split('/').at(-1)?.replace(/\.md$/i, '') ?? ''
    return [...new Set([title ?? (isDocs ? h1 : undefined) ?? file, ...aliases, file])]
  })
}

/** All of the program's own suggestions. */
export function ourOwn(vault: Prepared): (note: number) => Ranking {
  const { offsets, targets, lines, reasons } = suggestLinks(vault, 5_000)
  return (note) => {
    const stretch = [offsets[note], offsets[note + 1]] as const
    const places = [...lines.subarray(...stretch)]
    return {
      targets: [...targets.subarray(...stretch)],
      lines: places.map((line, at) => (((reasons[(offsets[note] ?? 0) + at] ?? 0) & IS_NAMED) === 0 ? 0 : line)),
    }
  }
}

/** This formula is from L. Adamic and E. Adar, Friends and neighbors on the Web, 2003. */
export function adamicAdar({ links: { offsets, targets } }: Prepared): (note: number) => Ranking {
  const notes = offsets.length - 1
  const around: Set<number>[] = Array.from({ length: notes }, () => new Set())
  const out: Set<number>[] = Array.from(
    { length: notes },
    (_, note) => new Set(targets.subarray(offsets[note], offsets[note + 1])),
  )
  for (const [note, own] of out.entries()) {
    for (const target of own) {
      around[note]?.add(target)
      around[target]?.add(note)
    }
  }
  return (note) => {
    const scores = new Map<number, number>()
    for (const between of around[note] ?? []) {
      const weight = 1 / Math.log(1 + (around[between]?.size ?? 0))
      for (const other of around[between] ?? []) scores.set(other, (scores.get(other) ?? 0) + weight)
    }
    return { targets: ranked(scores, note, out[note]) }
  }
}

export function openTable(path: string) {
  return openStaticEmbedder({ english: path })
}

/** The cosine between the mean chunk vectors of two notes, without their common component. */
export function byVectors(table: ReturnType<typeof openTable>): Ranker {
  const known = new Map<string, Float32Array>()
  const vectorOf = (text: string): Float32Array => {
    const vector = known.get(text) ?? table.embedText(text)
    known.set(text, vector)
    return vector
  }
  return ({ read, names, links: { offsets, targets } }) => {
    const means = read.texts.map((text, note) => {
      const { bodyStart = 0, headings = [] } = read.notes[note] ?? {}
      const chunks = chunkNote({ title: names[note]?.[0] ?? '', text, bodyStart, headings })
      return unit(
        sum(
          chunks.map((chunk) => vectorOf(chunk.text)),
          table.dimensions,
        ),
      )
    })
    const middle = sum(means, table.dimensions).map((value) => value / Math.max(1, means.length))
    const own = means.map((vector) => unit(vector.map((value, at) => value - (middle[at] ?? 0))))
    return (note) => {
      const scores = new Map<number, number>()
      const vector = own[note] ?? new Float32Array()
      for (const [other, its] of own.entries()) {
        let product = 0
        for (let at = 0; at < vector.length; at++) product += (vector[at] as number) * (its[at] as number)
        scores.set(other, product)
      }
      return { targets: ranked(scores, note, new Set(targets.subarray(offsets[note], offsets[note + 1]))) }
    }
  }
}

function ranked(scores: ReadonlyMap<number, number>, note: number, linked: ReadonlySet<number> | undefined): readonly number[] {
  const free = [...scores].filter(([other]) => other !== note && linked?.has(other) !== true)
  return free.toSorted(([a, x], [b, y]) => y - x || a - b).map(([other]) => other)
}

function sum(vectors: readonly Float32Array[], length: number): Float32Array {
  const all = new Float32Array(length)
  for (const vector of vectors) for (let at = 0; at < length; at++) all[at] = (all[at] ?? 0) + (vector[at] ?? 0)
  return all
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

/** A line that this many notes share belongs to a template. A note with this share of such lines was made from one. */
const SHARED = { share: 0.005, notes: 3 }
const MADE_OF_TEMPLATE = 0.5

/** Paths of notes in template folders, and of notes of which at least half the lines with words occur in many notes. */
export function templateNotes({ paths, notes, texts }: ReadVault): ReadonlySet<string> {
  const records = texts.map((text, note) => noteRecord({ text, bodyStart: notes[note]?.bodyStart ?? 0 }))
  const counts = new Map<number, number>()
  for (const { hashes } of records) for (const hash of new Set(hashes)) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const least = Math.max(SHARED.notes, SHARED.share * paths.length)
  const isMade = ({ hashes }: { readonly hashes: Uint32Array }) =>
    hashes.filter((hash) => (counts.get(hash) ?? 0) >= least).length >= MADE_OF_TEMPLATE * Math.max(1, hashes.length)
  return new Set(
    paths.filter(
      (path, note) => /(?:^|\/)[^/]*templates?[^/]*\//i.test(path) || isMade(records[note] ?? { hashes: new Uint32Array() }),
    ),
  )
}
