import { invalid } from '../../core/errors.ts'
import type { GroupBy, GroupedNote, Snapshot } from '../../core/store.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { foldName } from '../../core/text/fold.ts'
import { localDate } from '../../core/text/format.ts'
import { dateText, readDate } from '../../search/query/compare-values.ts'
import { parseQuery } from '../../search/query/parse-query.ts'
import type { Query } from '../../search/query/query.ts'
import { answerFindable, type Call, listResult, pageFor } from '../answer/answer-when-ready.ts'
import { spelledId } from '../answer/node-response.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import { quoted, truncate } from '../answer/truncate.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import { unknownProperty } from '../read/tags-and-properties.ts'
import { communitiesNamed, communitiesOf, communityId, communityLabel, latestOf } from './communities.ts'
import { prepareQuery } from './find-by-query.ts'
import { type FindArguments, scopeOf } from './find-nodes.ts'
import { queryWarnings } from './query-warnings.ts'

export interface NoteGroup {
  /** The value in its most common spelling. For two groupings, an array of two values. */
  readonly value: string | readonly string[]
  readonly count: number
  /** Paths of up to three notes, which tools also accept as ids. */
  readonly examples: readonly string[]
}

export interface NoteGroups extends NoteCount {
  readonly groups: readonly NoteGroup[]
  readonly notes: number
  /** Number of matching notes without a value. */
  readonly without: number
}

export interface NoteCount {
  readonly counted: string
  readonly total: number
}

export interface GroupArguments extends FindArguments {
  /**
   * One or two groupings, separated by a comma. Each is a property, `folder`, `tag`, `community`, or a date with a unit, such as
   * `created:month`.
   */
  readonly groupBy: string
}

const UNITS = { year: 'yyyy'.length, month: 'yyyy-mm'.length, day: 'yyyy-mm-dd'.length } as const

type Grouping =
  | { readonly kind: 'community' }
  | { readonly kind: 'folder' | 'tag' }
  | { readonly kind: 'created' | 'modified'; readonly unit: keyof typeof UNITS }
  | { readonly kind: 'property'; readonly name: string; readonly unit?: keyof typeof UNITS }

const HINT =
  'Use a property, folder, tag, community, created:month or modified:year. For a property with dates, due:month also works. Two can be combined: "author, created:year". Write #folder or #tag for a property of that name.'

export function countNodes(core: GraphCore, args: FindArguments, call: Call = {}): Promise<Answer<NoteCount>> {
  return answerFindable(core, call, 'words', async (read) => {
    const query = parseQuery(args.query, new Date())
    const { communities, warnings } = await communitiesNamed(core, call, query)
    const countIn = async (snapshot: Snapshot, inFolder: FindArguments): Promise<Answer<NoteCount>> => {
      const options = { ...inFolder, communities, isPart: call.isPart }
      const { condition, order, ...facts } = await prepareQuery(snapshot, core, query, options)
      const { total } = await snapshot.find(condition, { scope: scopeOf(inFolder, query), order }, { offset: 0, limit: 0 })
      const notices = await Promise.all([
        queryWarnings(snapshot, query, { text: args.query, ...facts, isEmpty: total === 0, call }),
        total === 0 ? scopeWarnings(snapshot, { folder: inFolder.folder }, call) : [],
      ])
      return { value: { counted: countedBy(inFolder, query), total }, warnings: notices.flat() }
    }
    const isEmpty = ({ total }: NoteCount): boolean => total === 0
    const result = await read((snapshot) =>
      inMatchingFolder({ snapshot, call, folder: args.folder, isEmpty }, (folder) => countIn(snapshot, { ...args, folder })),
    )
    return { ...result, warnings: [...warnings, ...result.warnings] }
  })
}

/** Groups notes. @throws RouxError `INVALID_PARAMS` if notes cannot be grouped by `groupBy` */
export function groupNodes(core: GraphCore, args: GroupArguments, call: Call = {}): Promise<Answer<NoteGroups>> {
  const groupings = readGroupings(args.groupBy)
  return answerFindable(core, call, 'words', async (read) => {
    const query = parseQuery(args.query, new Date())
    const { communities, warnings } = await communitiesNamed(core, call, query)
    const members = groupings.some(({ kind }) => kind === 'community') ? await communityMembers(core, call) : NO_MEMBERS
    const groupIn = async (snapshot: Snapshot, inFolder: FindArguments): Promise<Answer<NoteGroups>> => {
      const options = { ...inFolder, communities, isPart: call.isPart }
      const { condition, order: _, ...facts } = await prepareQuery(snapshot, core, query, options)
      const by = groupings.flatMap((grouping) => (grouping.kind === 'community' ? [] : storedBy(grouping)))
      const [notes, labels] = await Promise.all([
        snapshot.groupValues(condition, { scope: scopeOf(inFolder, query), by }),
        members.labels(),
      ])
      const groups = new Groups(groupings, { of: members.of, labels })
      for (const note of notes) groups.add(note)
      const page = call.isPart === true ? { offset: 0, limit: Number.MAX_SAFE_INTEGER } : pageFor(args, call)
      const all = groups.ranked()
      const shownGroups = all.slice(page.offset, page.offset + page.limit)
      const subject = `${countedBy(inFolder, query)}, by ${args.groupBy.trim()}`
      const value = { counted: subject, groups: shownGroups, total: all.length, notes: notes.length, without: groups.without }
      const notices = await Promise.all([
        queryWarnings(snapshot, query, { text: args.query, ...facts, isEmpty: notes.length === 0, call }),
        all.length === 0 ? unknownWarnings(snapshot, groupings) : [],
        notes.length === 0 ? scopeWarnings(snapshot, { folder: inFolder.folder }, call) : [],
      ])
      const list = listResult(value, { offset: page.offset, shown: shownGroups.length, total: all.length })
      return { ...list, warnings: [...notices.flat(), ...groups.unreadDates()] }
    }
    const isEmpty = ({ notes }: NoteGroups): boolean => notes === 0
    const grouped = await read((snapshot) =>
      inMatchingFolder({ snapshot, call, folder: args.folder, isEmpty }, (folder) => groupIn(snapshot, { ...args, folder })),
    )
    return { ...grouped, warnings: [...warnings, ...members.warnings, ...grouped.warnings] }
  })
}

function countedBy(args: FindArguments, query: Query): string {
  const { kinds } = scopeOf(args, query)
  const matching = args.query.trim() === '' ? '' : ` that match ${quoted(args.query.trim())}`
  const inside = args.folder === undefined ? '' : ` in the folder ${quoted(args.folder)}`
  return `${kinds === undefined ? 'notes' : 'notes and canvases'}${matching}${inside}${args.includeArchived ? '' : ', excluding archived ones'}`
}

/** Parses one or two groupings. @throws RouxError `INVALID_PARAMS` */
export function readGroupings(text: string): readonly Grouping[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (parts.length === 0 || parts.length > MAX_GROUPINGS)
    throw invalid(`group_by: expected one or two groupings, got ${parts.length}.`, HINT)
  return parts.map(readGrouping)
}

const MAX_GROUPINGS = 2

const DATES = ['created', 'modified'] as const
const PLACES: Readonly<Record<string, 'folder' | 'tag' | 'community'>> = {
  folder: 'folder',
  folders: 'folder',
  tag: 'tag',
  tags: 'tag',
  community: 'community',
  communities: 'community',
}
const PROPERTY = /^(?:property|properties)\s*:\s*(?=\S)/i
/** These units are rejected. Any other word after a colon is part of a property's name, such as `dc:title`. */
const OTHER_UNITS = /^(?:dates?|decades?|hours?|minutes?|quarters?|weekdays?|weeks?)$/

function readGrouping(text: string): Grouping {
  const isProperty = PROPERTY.test(text)
  const { name, unit } = withUnit(text.replace(PROPERTY, ''))
  const date = isProperty ? undefined : DATES.find((field) => field === name.toLowerCase())
  if (date !== undefined) return { kind: date, unit: unit ?? 'month' }
  const place = isProperty || !isKnownName(name) ? undefined : PLACES[name.toLowerCase()]
  if (place !== undefined && unit === undefined) return { kind: place }
  const property = name
    .replace(/^#/, '')
    .replace(/^(["“”„])(.*)["“”]$/u, '$2')
    .trim()
  if (property === '') throw invalid('group_by: the property name is missing.', HINT)
  return { kind: 'property', name: property, ...(unit === undefined ? {} : { unit }) }
}

interface NameWithUnit {
  readonly name: string
  readonly unit: keyof typeof UNITS | undefined
}

/**
 * Splits `created:month` into name and unit.
 * @throws RouxError `INVALID_PARAMS` if the unit does not exist
 */
function withUnit(text: string): NameWithUnit {
  const colon = text.lastIndexOf(':')
  if (colon === -1) return { name: text.trim(), unit: undefined }
  const name = text.slice(0, colon).trim()
  const parts = text
    .slice(colon + 1)
    .trim()
    .toLowerCase()
  const unit = unitOf(parts)
  if (unit !== undefined) return { name, unit }
  if (parts === '' || OTHER_UNITS.test(parts) || isKnownName(name))
    throw invalid(`group_by: ${quoted(parts)} is not year, month or day.`, HINT)
  return { name: text.trim(), unit: undefined }
}

function isKnownName(name: string): boolean {
  const folded = name.toLowerCase()
  return Object.hasOwn(PLACES, folded) || DATES.some((date) => date === folded)
}

function unitOf(text: string): keyof typeof UNITS | undefined {
  return Object.keys(UNITS).find((unit): unit is keyof typeof UNITS => unit === text || `${unit}s` === text)
}

function storedBy(grouping: Exclude<Grouping, { readonly kind: 'community' }>): GroupBy {
  return grouping.kind === 'property' ? { kind: 'property', name: foldName(grouping.name) } : { kind: grouping.kind }
}

interface Members {
  readonly of: ReadonlyMap<string, string>
  labels(): Promise<ReadonlyMap<string, string>>
  readonly warnings: readonly Warning[]
}

const NO_MEMBERS: Members = { of: new Map(), labels: async () => new Map(), warnings: [] }

async function communityMembers(core: GraphCore, call: Call): Promise<Members> {
  const { insight, warnings } = await latestOf(core.insights, call)
  if (insight === undefined) return { ...NO_MEMBERS, warnings }
  const of = [...communitiesOf(insight)].flatMap(([id, [first]]) => (first === undefined ? [] : [[id, first] as const]))
  return {
    of: new Map(of),
    async labels() {
      const given = await core.insightState.labels()
      const { list } = insight.communities.levels[0]
      return new Map(
        list.map((community) => [community.id, `${communityId(community.id, core)} ${communityLabel(community, given)}`]),
      )
    },
    warnings,
  }
}

export const EXAMPLES = 3
const MAX_VALUE_LENGTH = 100
/** No note contains NUL, so NUL can separate the values. */
const SEPARATOR = '\u0000'

interface Tally {
  readonly spellings: Map<string, number>
  count: number
  readonly examples: string[]
}

class Groups {
  readonly #groupings: readonly Grouping[]
  readonly #communities: { readonly of: ReadonlyMap<string, string>; readonly labels: ReadonlyMap<string, string> }
  readonly #tallies = new Map<string, Tally>()
  readonly #noDates = new Map<string, { count: number; readonly example: string }>()
  without = 0

  constructor(
    groupings: readonly Grouping[],
    communities: { readonly of: ReadonlyMap<string, string>; readonly labels: ReadonlyMap<string, string> },
  ) {
    this.#groupings = groupings
    this.#communities = communities
  }

  add(note: GroupedNote): void {
    const stored = note.values[Symbol.iterator]()
    const lists = this.#groupings.map((grouping) =>
      grouping.kind === 'community' ? this.#communityOf(note) : this.#valuesOf(grouping, stored.next().value ?? []),
    )
    const combined = lists.reduce<readonly string[]>(
      (heads, list) => heads.flatMap((head) => list.map((value) => (head === '' ? value : head + SEPARATOR + value))),
      [''],
    )
    if (combined.length === 0) this.without++
    // The map removes duplicate spellings, so a note counts once per group.
    for (const [key, spelling] of new Map(combined.map((value) => [foldName(value), value]))) this.#count(key, spelling, note)
  }

  #count(key: string, spelling: string, { id, path }: GroupedNote): void {
    const tally = this.#tallies.get(key) ?? { spellings: new Map<string, number>(), count: 0, examples: [] }
    this.#tallies.set(key, tally)
    tally.count++
    tally.spellings.set(spelling, (tally.spellings.get(spelling) ?? 0) + 1)
    if (tally.examples.length < EXAMPLES) tally.examples.push(spelledId(id, path))
  }

  ranked(): readonly NoteGroup[] {
    const groups = [...this.#tallies].map(([key, { spellings, count, examples }]) => {
      const [[commonest = ''] = []] = [...spellings].sort(([a, more], [b, less]) => less - more || compareTexts(a, b))
      return { key, most: commonest, count, examples }
    })
    groups.sort((a, b) => b.count - a.count || compareTexts(a.key, b.key))
    return groups.map(({ most, count, examples }) => {
      const values = most.split(SEPARATOR).map((value) => truncate(value, MAX_VALUE_LENGTH).text)
      const [only = ''] = values
      return { value: this.#groupings.length === 1 ? only : values, count, examples }
    })
  }

  unreadDates(): readonly Warning[] {
    return [...this.#noDates].map(([name, { count, example }]) => ({
      code: 'NOTICE',
      message: `${count} values of the property ${quoted(name)} are not dates and were left out, such as ${quoted(example)}. Write dates as 2024-05-01.`,
    }))
  }

  #communityOf({ id }: GroupedNote): readonly string[] {
    const community = this.#communities.of.get(id)
    return community === undefined ? [] : [this.#communities.labels.get(community) ?? community]
  }

  #valuesOf(grouping: Exclude<Grouping, { readonly kind: 'community' }>, texts: readonly string[]): readonly string[] {
    switch (grouping.kind) {
      case 'created':
      case 'modified':
        return texts.map((time) => localDate(new Date(Number(time))).slice(0, UNITS[grouping.unit]))
      case 'property': {
        const { unit, name } = grouping
        const filled = texts.filter((text) => text !== '')
        if (unit === undefined) return filled.map(withoutBrackets)
        return filled.flatMap((text) => dateOf(text, unit) ?? this.#leftOut(name, text))
      }
      default:
        // A note without a folder is in the vault's root.
        return texts.map((text) => (text === '' ? '/' : text))
    }
  }

  #leftOut(name: string, example: string): readonly string[] {
    const entry = this.#noDates.get(name) ?? { count: 0, example }
    entry.count++
    this.#noDates.set(name, entry)
    return []
  }
}

/** Removes the brackets of a wikilink, so `#author=Ann` also finds `[[Ann]]`. */
function withoutBrackets(text: string): string {
  return /^\[\[([^[\]|#]+)\]\]$/.exec(text)?.[1]?.trim() ?? text
}

/** Truncates a date to the unit. Less precise dates stay as they are. Returns `undefined` for other text. */
function dateOf(text: string, unit: keyof typeof UNITS): string | undefined {
  const time = readDate(text)
  if (time === undefined) return undefined
  const [datePart = ''] = /^\d{4}(?:-\d\d(?:-\d\d)?)?/.exec(dateText(text)) ?? []
  return localDate(new Date(time)).slice(0, Math.min(UNITS[unit], datePart.length))
}

async function unknownWarnings(snapshot: Snapshot, groupings: readonly Grouping[]): Promise<readonly Warning[]> {
  const names = groupings.flatMap((grouping) => (grouping.kind === 'property' ? grouping.name : []))
  if (names.length === 0) return []
  const keys = (await snapshot.properties()).map(({ key }) => key)
  const folded = new Set(keys.map(foldName))
  return names.filter((name) => !folded.has(foldName(name))).map((name) => unknownProperty(name, keys))
}
