import { computed, effect, signal } from '@preact/signals'
import type { PageNote } from '../../app/read/page-note.ts'
import { isTransient, messageOf, RouxError } from '../../core/errors.ts'
import { withoutVault } from '../../core/ids.ts'
import type { MayMove } from '../../core/insight/layouts.ts'
import type { PartialPicture } from '../../core/insight/picture.ts'
import { isWithin, withParents } from '../../core/paths.ts'
import { amount } from '../../core/text/format.ts'
import { type Api, type Connection, openApi } from './api.ts'
import type { Colored } from './colors.ts'
import { withFiles } from './files-on-map.ts'
import { around, type ColorBy, type Graph, type GroupedBy, groupingBy, nearby, neighbors, overviewBy } from './graph.ts'
import type { Mark, Tie } from './map-scene.ts'
import { SMALL_MAP, shaped } from './map-shape.ts'
import type { MapView } from './map-view.ts'

export type View = 'map' | 'table' | 'path' | 'problems' | 'gaps' | 'changes'

/** The URL contains this state, so it must not be secret. */
export const vault = signal('')
export const view = signal<View>('map')
export const focus = signal('')
/** If empty, the path starts at the note in focus. */
export const pathFrom = signal('')
export const pathTo = signal('')
export const folder = signal('')
export const tag = signal('')
export const scope = computed(() => (folder.value === '' ? {} : { folder: folder.value }))
export const withJournals = signal(true)
export const withOrphans = signal(true)
export const withAttachments = signal(false)
/** If empty, `groupedBy` decides. */
export const colorBy = signal<ColorBy | ''>('')
/** The number of links within which notes are highlighted. 0 highlights all notes. */
export const steps = signal(0)
export const pane = signal<'map' | 'note' | 'list'>('map')

export const api = signal<Api | undefined>(undefined)
export const graph = signal<Graph | undefined>(undefined)
export const colored = signal<Colored | undefined>(undefined)
export const note = signal<PageNote | null | undefined>(undefined)
export const failure = signal<RouxError | undefined>(undefined)
export const layingOut = signal<number | undefined>(undefined)
export const connection = signal<Connection>('there')
export const announcement = signal('')
export const path = signal<readonly string[]>([])
export const marks = signal<readonly (readonly [id: string, mark: Mark])[]>([])
export const ties = signal<readonly Tie<string>[]>([])
export const searchHits = signal<readonly string[]>([])
export interface Pointed {
  readonly id: string
  readonly x: number
  readonly y: number
  /** The middle of the view. Pointers left of this x coordinate get the card on their right. */
  readonly middle: number
  /** True for a link, whose note pulses on the map. */
  readonly isLink: boolean
}
export const pointed = signal<Pointed | undefined>(undefined)
export const hasChoice = computed(() => focus.value !== '' || openGroups.value.size > 0)
/** The user's choice. By default, the start pane is open on small maps. */
export const isStartOpen = signal<boolean | undefined>(undefined)
export const isFolded = computed(() => !hasChoice.value && !(isStartOpen.value ?? (graph.value?.count ?? 0) <= SMALL_MAP))
export const map: { view?: MapView } = {}
export const changes = signal(0)

export const NOW = Number.POSITIVE_INFINITY
/** The end of the shown period. While the growth of the vault is shown, later notes are hidden. */
export const until = signal(NOW)

/** The value is 1 for notes that match the filters. */
export const shown = computed(() => {
  const { value } = graph
  const mask = new Uint8Array(value?.count ?? 0)
  if (value === undefined) return mask
  const { picture, degrees } = value
  const created = 'created' in picture ? picture.created : []
  const hasTag = picture.tag_names.map((name) => isWithin(name, tag.value))
  for (let at = 0; at < value.notes; at++) {
    const inFolder = folder.value === '' || isWithin(picture.folder_names[picture.folders[at] ?? 0] ?? '', folder.value)
    const tagged = tag.value === '' || (picture.tags[at] ?? []).some((one) => hasTag[one])
    const linked = withOrphans.value || (degrees[at] ?? 0) > 0
    const isJournalShown = withJournals.value || !isJournal(picture.ids[at] ?? '')
    const exists = (created[at] ?? 0) <= until.value
    if (inFolder && tagged && linked && isJournalShown && exists) mask[at] = 1
  }
  for (let at = value.notes; at < value.count; at++) if (neighbors(value, at).some((note) => mask[note] === 1)) mask[at] = 1
  return mask
})

/** Matches a day, week, month or quarter, as in file names. */
const DATE = /^\d{4}(?:[-_. ](?:0[1-9]|1[0-2])|([-_. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])|[-_. ]?(?:w\d{1,2}|q[1-4]))$/i

/** Checks the file name, because the title can contain more words. */
export function isJournal(id: string): boolean {
  return DATE.test(id.slice(id.lastIndexOf('/') + 1).replace(/\.md$/i, ''))
}

export const focused = computed(() => numberOf(focus.value))

export const folders = computed(() =>
  [...new Set(graph.value?.picture.folder_names.flatMap((name) => withParents(name)))].sort(COLLATOR.compare),
)

/** Sorts by the user's language, and sequences of digits by value. */
export const COLLATOR = new Intl.Collator(undefined, { numeric: true })

export function showVault(name: string): void {
  vault.value = name
  resetVault()
  focus.value = ''
  leavePath()
  steps.value = 0
  folder.value = ''
  tag.value = ''
  writeAddress()
  void refresh()
}

function resetVault(): void {
  graph.value = undefined
  colored.value = undefined
  note.value = undefined
  openGroups.value = NONE
  path.value = []
  line.value = undefined
  until.value = NOW
}

/** Shows a view. Narrow windows first show its list, or the map if there is none. */
export function showView(name: View): void {
  view.value = name
  openGroups.value = NONE
  showFirstPane()
  writeAddress()
}

export const hasList = computed(() => view.value !== 'map' && view.value !== 'table')

function showFirstPane(): void {
  pane.value = hasList.value ? 'list' : 'map'
}

export const line = signal<number | undefined>(undefined)

const NONE: ReadonlySet<string> = new Set()

export const openGroups = signal(NONE)
export const openBy = signal<GroupedBy>('community')

export const isPart = computed(() => graph.value !== undefined && graph.value.notes < graph.value.vault.notes)

/** A partly drawn vault uses communities, because not all links are known. */
export const groupedBy = computed<GroupedBy>(() => {
  if (colorBy.value === 'community' || colorBy.value === 'region') return colorBy.value
  return graph.value === undefined || isPart.value ? 'community' : overviewBy(graph.value)
})

export const coloredBy = computed<ColorBy>(() => colorBy.value || groupedBy.value)

/** The notes that must be drawn, even if only a part of the vault is. */
const viewed = computed(() => {
  const isOpen = ({ label }: { readonly label: string }) => openBy.value === 'community' && openGroups.value.has(label)
  const groups = graph.value?.picture.groups.filter(isOpen) ?? []
  return {
    notes: [...new Set([focus.value, ...path.value.map(bareId)])].filter((id) => id !== ''),
    groups: groups.map(({ id }) => id),
    folder: folder.value,
    tag: tag.value,
  }
})
const viewedKey = computed(() => JSON.stringify(viewed.value))

/** The highlighted notes, or `undefined` to highlight all notes. */
export const lit = computed(() => {
  const { value } = graph
  if (value === undefined) return undefined
  if (searchHits.value.length > 0) return new Set(numbersOf(searchHits.value))
  if (path.value.length > 0) return new Set(numbersOf(path.value))
  if (openGroups.value.size > 0) return new Set(notesOf(value, openGroups.value, openBy.value))
  if (steps.value > 0 && focused.value !== undefined) return around(value, focused.value, steps.value)
  const drawn = new Set([...drawnMarks.value.keys(), ...drawnTies.value.flatMap(({ from, to }) => [from, to])])
  return drawn.size > 0 ? drawn : undefined
})

/** The marks by note number. */
export const drawnMarks = computed(() => new Map(marks.value.flatMap(([id, mark]) => numbersOf([id]).map((at) => [at, mark]))))
export const drawnTies = computed(() =>
  ties.value.flatMap((tie) => {
    const [from, to] = [numberOf(tie.from), numberOf(tie.to)]
    return from === undefined || to === undefined ? [] : [{ ...tie, from, to }]
  }),
)

function numbersOf(ids: readonly string[]): readonly number[] {
  return ids.flatMap((id) => numberOf(id) ?? [])
}

/** If there are several vaults, ids in answers start with the vault's name. */
export function bareId(id: string): string {
  return withoutVault(id, vault.value || undefined)
}

/** Returns the number of a note, whose id may contain the vault's name. */
export function numberOf(id: string): number | undefined {
  const numbers = graph.value?.numberOf
  return numbers?.get(id) ?? numbers?.get(`${vault.value}:${id}`)
}

export function titleOf(id: string): string {
  return graph.value?.picture.titles[numberOf(id) ?? -1] ?? id
}

export async function start(): Promise<void> {
  try {
    api.value = await openApi()
    readAddress()
    showFirstPane()
    // The note in the URL can be in any of the vaults.
    const ofNote = api.value.vaults.find((name) => focus.value.startsWith(`${name}:`))
    if (vault.value === '') vault.value = ofNote ?? api.value.vaults[0] ?? ''
    const onState = (state: Connection): void => {
      if (connection.value === 'lost' && state === 'there') void refresh()
      connection.value = state
    }
    void api.value.follow(() => void refresh(), onState)
    await reload()
    effect(() => {
      if (viewedKey.value !== loadedFor && isPart.peek()) void reload()
    })
    if (focus.value !== '') await openFocus()
  } catch (error) {
    fail(error)
  }
}

/** The delay increases, because pictures of large vaults are large and their communities take time. */
const GROUPS_DELAY_MS = { first: 1_000, growth: 1.5, max: 30_000 }
let groupsDelay = GROUPS_DELAY_MS.first
let reloadTimer: ReturnType<typeof setTimeout> | undefined

function reloadAfter(delay: number): void {
  reloadTimer = setTimeout(() => void reload(), delay)
}

let refreshing: Promise<void> | undefined
let isStale = false
let isChanged = false
let loadedFor = ''

let isRearranging = false

/** The delay in milliseconds. The server also waits before it returns the progress. */
const LAYOUT_DELAY_MS = 300

/** Reloads the picture and the open note. Changes during a reload cause another reload. */
export function refresh(): Promise<void> {
  isChanged = true
  return reload()
}

function reload(move?: MayMove): Promise<void> {
  isStale = refreshing !== undefined
  refreshing ??= loadPicture(move).finally(() => {
    refreshing = undefined
    if (isStale) void reload()
  })
  return refreshing
}

async function loadPicture(move?: MayMove): Promise<void> {
  if (api.value === undefined) return
  const { value: requested } = vault
  // The map must not move while the user is working with it.
  const isInUse = graph.value !== undefined && (focus.value !== '' || map.view?.isMoved === true)
  const mayMove = move ?? (isInUse ? 'nothing' : 'once')
  try {
    loadedFor = viewedKey.value
    const picture = await api.value.picture(requested, { mayMove, ...viewed.value })
    const loaded = 'laying_out' in picture ? picture : await graphFrom(requested, picture)
    if (requested !== vault.value) return
    clearTimeout(reloadTimer)
    failure.value = undefined
    layingOut.value = 'laying_out' in loaded ? loaded.laying_out.share : undefined
    if ('laying_out' in loaded) return reloadAfter(LAYOUT_DELAY_MS)
    graph.value = loaded
    if (isRearranging) map.view?.fit()
    isRearranging = false
    if (isChanged) {
      isChanged = false
      if (focus.value !== '') await showFocus(focus.value)
      changes.value++
    }
    const { is_grouping: isGrouping } = loaded.picture
    if (isGrouping) reloadAfter(groupsDelay)
    groupsDelay = isGrouping ? Math.min(groupsDelay * GROUPS_DELAY_MS.growth, GROUPS_DELAY_MS.max) : GROUPS_DELAY_MS.first
  } catch (error) {
    // The request is repeated. The server may close the connection before a very large map is ready, but it continues to work.
    if (graph.value === undefined && isTransient(error) && connection.value === 'there') reloadAfter(GROUPS_DELAY_MS.first)
    else fail(error)
  }
}

async function graphFrom(of: string, picture: PartialPicture): Promise<Graph> {
  const result = shaped(picture, graph.value)
  if (!withAttachments.value || api.value === undefined) return result
  const { files, left_out } = await api.value.files(of)
  if (left_out > 0) announcement.value = `${left_out} more attachments are not on the map.`
  return withFiles(result, files)
}

/** Lays out all notes again, rotated to resemble the previous map. */
export async function rearrange(): Promise<void> {
  announcement.value = 'The map is rearranged.'
  while (refreshing !== undefined) await refreshing
  isRearranging = true
  await reload('all')
}

async function showFocus(id: string): Promise<void> {
  const byName = (await api.value?.note(id, vault.value)) ?? null
  // A missing note matches only by id, because a title may match better.
  const isMatch = byName !== null && (byName.kind !== 'missing' || byName.id === id)
  const resolved = isMatch ? byName : ((await findByTitle(id)) ?? byName)
  if (focus.value !== id) return
  const isShown = resolved !== null && resolved.id === note.value?.id
  note.value = resolved
  if (resolved !== null && resolved.id !== id) {
    focus.value = resolved.id
    // The name is replaced in the history, or the Back button would lead here again.
    writeAddress('replace')
  }
  if (isShown) return
  const title = note.value?.title ?? focus.value
  const links = focused.value === undefined ? undefined : graph.value?.degrees[focused.value]
  document.title = `${title} – Roux`
  announcement.value = links === undefined ? title : `${title}, ${amount(links, 'link')}`
}

interface OpenOptions {
  readonly fly?: boolean
  /** True to show the text instead of the map in a narrow window. The default is true. */
  readonly isRead?: boolean
  readonly at?: number | undefined
  readonly history?: HistoryEntry
}

type HistoryEntry = 'push' | 'replace'

export async function open(given: string, { fly = true, isRead = true, at, history = 'push' }: OpenOptions = {}): Promise<void> {
  if (api.value === undefined) return
  const id = bareId(given)
  const { value: pathBefore } = path
  pointed.value = undefined
  openGroups.value = NONE
  focus.value = id
  line.value = at
  const isOnePane = matchMedia(hasList.value ? '(width < 1000px)' : '(width < 700px)').matches
  if (isRead && isOnePane) pane.value = 'note'
  writeAddress(history)
  try {
    await showFocus(id)
  } catch (error) {
    return fail(error)
  }
  // The next step needs a drawn note, so it waits for the refresh.
  if (focused.value === undefined && isPart.value) await refreshing
  // A path that has been found in the meantime stays in view.
  const isOnlyNote = path.value.length === 0 || path.value === pathBefore
  const { value: center } = focused
  if (fly && isOnlyNote && center !== undefined && graph.value !== undefined) map.view?.goTo(nearby(graph.value, center), center)
}

export function deselect(): void {
  if (!hasChoice.value) return
  if (openGroups.value.size > 0) map.view?.fit()
  // A path that starts at the note is kept.
  if (pathTo.value !== '' && pathFrom.value === '') pathFrom.value = focus.value
  openGroups.value = NONE
  focus.value = ''
  line.value = undefined
  note.value = undefined
  steps.value = 0
  document.title = 'Roux'
  announcement.value = 'No note is chosen.'
  writeAddress()
}

export function opensTab({ ctrlKey, metaKey, shiftKey, button }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey || button === 1
}

/** Opens a tab, which starts with a copy of the session storage. */
export function openTab(id: string): void {
  window.open(noteAddress(id, vault.value))
}

/**
 * Highlights the notes around the open one. By default, the distance grows by one link. After three links, all notes are
 * highlighted.
 */
export function showAround(links = (steps.value + 1) % 4): void {
  if (focused.value === undefined) {
    announcement.value = 'Choose a note first.'
    return
  }
  if (view.value !== 'map') showView('map')
  path.value = []
  steps.value = links
  announcement.value = steps.value === 0 ? 'Showing all notes.' : `Showing notes within ${amount(steps.value, 'link')}.`
  pane.value = 'map'
  writeAddress()
  const notes = lit.value
  if (notes !== undefined) map.view?.goTo([...notes])
}

export function showPath(): void {
  leavePath()
  pathFrom.value = focus.value
  showView('path')
}

export function leavePath(): void {
  pathFrom.value = ''
  pathTo.value = ''
}

export function showGroups(labels: ReadonlySet<string>, by: GroupedBy): void {
  const { value } = graph
  if (value === undefined) return
  if (focus.value !== '') deselect()
  openGroups.value = labels
  openBy.value = by
  announcement.value = `${[...labels].join(', ')}: chosen.`
  pane.value = 'map'
  map.view?.goTo(notesOf(value, labels, by))
}

export function notesOf(of: Graph, labels: ReadonlySet<string>, by: GroupedBy): readonly number[] {
  const grouping = groupingBy(of, by)
  return [...Array(of.count).keys()].filter((at) => labels.has(grouping.groups[grouping.of[at] ?? -1]?.label ?? ''))
}

/** Finds a note by title or alias, with tolerance for small misspellings. */
async function findByTitle(name: string): Promise<PageNote | null> {
  const args = { names: [name] }
  const answer = await api.value?.call<{ results: readonly { match?: string | null }[] }>('resolve_nodes', args, vault.value)
  const match = answer?.results[0]?.match
  return (match && (await api.value?.note(bareId(match), vault.value))) || null
}

export async function goToAddress(): Promise<void> {
  const [vaultBefore, viewBefore, hadAttachments] = [vault.value, view.value, withAttachments.value]
  readAddress()
  if (view.value !== viewBefore) showFirstPane()
  if (vault.value !== vaultBefore) resetVault()
  if (vault.value !== vaultBefore || withAttachments.value !== hadAttachments) await refresh()
  if (focus.value === '') note.value = undefined
  else if (focus.value !== note.value?.id) await openFocus()
}

function openFocus(): Promise<void> {
  const fly = view.value !== 'path' || path.value.length === 0
  return open(focus.value, { isRead: pane.value !== 'list', fly, history: 'replace' })
}

export function fail(error: unknown): void {
  failure.value = toRouxError(error)
}

/** Logs unexpected errors to the console. @param words message to show for an unexpected error */
export function toRouxError(error: unknown, words = messageOf(error)): RouxError {
  if (error instanceof RouxError) return error
  console.error(error)
  return new RouxError('PROVIDER_ERROR', words)
}

/** Replaces lone surrogates, which properties may contain. */
export function noteAddress(id: string, vault = ''): string {
  return `#${new URLSearchParams({ ...(vault === '' ? {} : { vault }), note: id })}`
}

const IN_ADDRESS = { vault, view, note: focus, from: pathFrom, to: pathTo, folder, tag, color: colorBy } as const

export function writeAddress(entry: HistoryEntry = 'push'): void {
  const words = new URLSearchParams()
  for (const [name, { value }] of Object.entries(IN_ADDRESS)) if (value !== '' && value !== DEFAULTS[name]) words.set(name, value)
  if (!withJournals.value) words.set('journals', 'no')
  if (!withOrphans.value) words.set('orphans', 'no')
  if (withAttachments.value) words.set('attachments', 'yes')
  if (steps.value > 0) words.set('steps', String(steps.value))
  const next = `#${words}`
  if (next === location.hash || (next === '#' && location.hash === '')) return
  if (entry === 'push') history.pushState(null, '', next)
  else history.replaceState(null, '', next)
}

const DEFAULTS: Readonly<Record<string, string>> = { view: 'map' }

function readAddress(): void {
  const words = new URLSearchParams(location.hash.slice(1))
  for (const [name, target] of Object.entries(IN_ADDRESS))
    (target as { value: string }).value = words.get(name) ?? DEFAULTS[name] ?? (name === 'vault' ? vault.value : '')
  if (pathTo.value !== '' && pathFrom.value === '') pathFrom.value = focus.value
  withJournals.value = words.get('journals') !== 'no'
  withOrphans.value = words.get('orphans') !== 'no'
  withAttachments.value = words.get('attachments') === 'yes'
  steps.value = Math.min(3, Math.max(0, Number(words.get('steps') ?? 0) || 0))
}
