import { type Insight, STUB_WORDS } from '../../core/insight/insight.ts'
import { folderOf, nameOf } from '../../core/paths.ts'
import type { GroupBy, GroupedNote, PropertyCount } from '../../core/store.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { foldName } from '../../core/text/fold.ts'
import type { Read } from '../answer/answer-when-ready.ts'
import { truncate } from '../answer/truncate.ts'

/** A group of short notes in a folder that share a template or property. */
export interface Catalogue {
  /**
   * The folder as spelled on disk, or an empty string for the root. Folders named after a number or date count as their parent.
   */
  readonly folder: string
  /** A property value, such as `{ "type": "plugin" }`, if a property divides the folder into several catalogues. */
  readonly where?: Readonly<Record<string, string>>
  readonly notes: number
  /** Number of notes in the folder. With `where`, only notes with its value count. */
  readonly of: number
  readonly properties: readonly string[]
}

const MIN_SIZE = { notes: 10, share: 0.01 }
/** Minimum share of entries with the same property or template. */
const NEARLY_ALL = 0.9
/** A property with more values is not useful as a category. */
const MAX_KINDS = 20
const MAX_PROPERTIES = 8
const VALUE_LENGTH = 60

interface Source {
  readonly insight: Pick<Insight, 'generation' | 'ids' | 'words' | 'ownWords'>
  readonly read: Read
}

/** The catalogues are cached, because reading the properties of all notes is slow. */
const cache = new WeakMap<object, readonly Catalogue[]>()

/** Returns catalogues by size, or none if they contain less than half of the notes. The search takes linear time. */
export async function findCatalogues({ insight, read }: Source, notes: readonly number[]): Promise<readonly Catalogue[]> {
  const isWhole = notes.length === insight.ids.length
  const cached = isWhole ? cache.get(insight) : undefined
  if (cached !== undefined) return cached
  const minNotes = Math.max(MIN_SIZE.notes, notes.length * MIN_SIZE.share)
  const stubs = notes.filter((note) => isStub(insight, note))
  if (stubs.length < minNotes || stubs.length * 2 <= notes.length) return []
  const numbers = new Map(notes.map((note) => [insight.ids[note], note]))
  const { properties, grouped, generation } = await read(async (snapshot) => {
    const properties = (await snapshot.properties()).filter(({ count }) => count >= minNotes).slice(0, MAX_PROPERTIES)
    const by: readonly GroupBy[] = properties.map(({ key }) => ({ kind: 'property', name: foldName(key) }))
    const grouped = await snapshot.groupValues(undefined, { scope: {}, by })
    return { properties, grouped, generation: snapshot.generation }
  })
  const places = new Map<string, Place>()
  for (const groupedNote of grouped) {
    const note = numbers.get(groupedNote.id)
    if (note === undefined) continue
    const folder = placeOf(groupedNote.path)
    const place = places.get(folder) ?? new Place(properties)
    places.set(folder, place)
    place.add(groupedNote, { isEntry: isStub(insight, note), isTemplated: isTemplated(insight, note) })
  }
  const cataloguePlaces = [...places].filter(([, place]) => place.isCatalogue(minNotes))
  const isMost = cataloguePlaces.reduce((sum, [, { entries }]) => sum + entries, 0) * 2 > notes.length
  const catalogues = isMost ? cataloguePlaces.flatMap(([folder, place]) => place.rows(folder, minNotes)) : []
  catalogues.sort((a, b) => b.notes - a.notes || compareTexts(a.folder, b.folder))
  if (isWhole && generation === insight.generation) cache.set(insight, catalogues)
  return catalogues
}

function isTemplated({ words, ownWords }: Pick<Insight, 'words' | 'ownWords'>, note: number): boolean {
  return (ownWords[note] as number) < (words[note] as number)
}

function isStub({ ownWords }: Pick<Insight, 'ownWords'>, note: number): boolean {
  return (ownWords[note] as number) < STUB_WORDS
}

/** Returns the folder of a note. A folder named after a number or date counts as its parent. */
function placeOf(path: string): string {
  let folder = folderOf(path)
  while (folder !== '' && !/\p{L}/u.test(nameOf(folder))) folder = folderOf(folder)
  return folder
}

interface Kind {
  readonly value: string
  entries: number
  all: number
}

interface SharedProperty {
  readonly property: PropertyCount
  entries: number
  /** Number of notes by folded value, for at most the first `MAX_KINDS` values. */
  readonly kinds: Map<string, Kind>
}

class Place {
  entries = 0
  #total = 0
  #templated = 0
  readonly #shared: readonly SharedProperty[]

  constructor(properties: readonly PropertyCount[]) {
    this.#shared = properties.map((property) => ({ property, entries: 0, kinds: new Map() }))
  }

  add({ values }: GroupedNote, { isEntry, isTemplated }: { readonly isEntry: boolean; readonly isTemplated: boolean }): void {
    const weight = isEntry ? 1 : 0
    this.#total++
    this.entries += weight
    if (isTemplated) this.#templated += weight
    for (const [at, shared] of this.#shared.entries()) {
      const [value] = values[at] ?? []
      if (value === undefined) continue
      shared.entries += weight
      const key = foldName(value)
      const kind = shared.kinds.get(key) ?? { value, entries: 0, all: 0 }
      if (shared.kinds.size <= MAX_KINDS) shared.kinds.set(key, kind)
      kind.entries += weight
      kind.all++
    }
  }

  isCatalogue(minNotes: number): boolean {
    return this.entries >= minNotes && this.entries * 2 >= this.#total && (this.#has(this.#templated) || this.#form().length > 0)
  }

  rows(folder: string, minNotes: number): readonly Catalogue[] {
    const properties = this.#form().map(({ property }) => property.key)
    const divided = this.#divided(minNotes)
    if (divided === undefined) return [{ folder, notes: this.entries, of: this.#total, properties }]
    return divided.kinds.map(({ value, entries, all }) => ({
      folder,
      where: { [divided.key]: truncate(value, VALUE_LENGTH).text },
      notes: entries,
      of: all,
      properties,
    }))
  }

  #has(count: number): boolean {
    return count >= this.entries * NEARLY_ALL
  }

  #form(): readonly SharedProperty[] {
    return this.#shared.filter(({ entries }) => this.#has(entries))
  }

  /** Chooses the property with the fewest values that nearly all entries have. */
  #divided(minNotes: number): { readonly key: string; readonly kinds: readonly Kind[] } | undefined {
    const dividing = this.#form().flatMap(({ property, kinds }) => {
      const large = [...kinds.values()].filter(({ value, entries }) => value !== '' && entries >= minNotes)
      const isWhole = this.#has(large.reduce((sum, { entries }) => sum + entries, 0))
      const isKind = property.kinds[0] === 'text' && kinds.size <= MAX_KINDS && large.length > 1
      return isWhole && isKind ? [{ key: property.key, kinds: large }] : []
    })
    return dividing.toSorted((a, b) => a.kinds.length - b.kinds.length)[0]
  }
}
