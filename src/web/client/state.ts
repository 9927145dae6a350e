import { computed, effect, signal } from '@preact/signals'
import type { PageNote } from '../../app/read/page-note.ts'
import type { PartialPicture } from '../../core/insight/picture.ts'
import { Api, type Connection, Refused } from './api.ts'
import { withFiles } from './files-on-map.ts'
import {
  around,
  type Graph,
  type GroupedBy,
  graphOf,
  groupingBy,
  isJournal,
  neighbours,
  noteAddress,
  overviewBy,
} from './graph.ts'
import type { MapView } from './map-view.ts'

export type View = 'map' | 'table' | 'path' | 'problems' | 'gaps' | 'changes'
export type ColourBy = GroupedBy | 'folder' | 'tag'

/** The state in the address, which can be bookmarked and revisited; never a secret. */
export const vault = signal('')
export const view = signal<View>('map')
export const focus = signal('')
/** The start of the path; empty for the note in focus. */
export const pathFrom = signal('')
export const pathTo = signal('')
export const folder = signal('')
export const tag = signal('')
export const withJournals = signal(true)
export const withOrphans = signal(true)
/** True if the map includes attachments and canvases. */
export const withAttachments = signal(false)
/** Empty: what tells notes apart best. */
export const colourBy = signal<ColourBy | ''>('')
/** How many steps around the focus stand out; 0: everything does. */
export const steps = signal(0)
/** On narrow screens one of these is in front. */
export const pane = signal<'map' | 'note' | 'list'>('map')

export const api = signal<Api | undefined>(undefined)
export const graph = signal<Graph | undefined>(undefined)
export const note = signal<PageNote | null | undefined>(undefined)
export const failure = signal<Refused | undefined>(undefined)
/** How much of laying the notes out is done, 0–1, while that is waited for. */
export const layingOut = signal<number | undefined>(undefined)
export const connection = signal<Connection>('there')
export const said = signal('')
/** The notes of the path that is shown. */
export const path = signal<readonly string[]>([])
export const map: { view?: MapView } = {}
/** Grows with every change that the server tells. */
export const changes = signal(0)

/** 1 for each note that the filters let through. */
export const shown = computed(() => {
  const { value } = graph
  const mask = new Uint8Array(value?.count ?? 0)
  if (value === undefined) return mask
  const { picture, degrees } = value
  const wanted = picture.tag_names.map((name) => name === tag.value || name.startsWith(`${tag.value}/`))
  for (let at = 0; at < value.notes; at++) {
    const inFolder = folder.value === '' || isWithin(picture.folder_names[picture.folders[at] ?? 0] ?? '', folder.value)
    const tagged = tag.value === '' || (picture.tags[at] ?? []).some((one) => wanted[one])
    const linked = withOrphans.value || (degrees[at] ?? 0) > 0
    const kept = withJournals.value || !isJournal(picture.ids[at] ?? '')
    if (inFolder && tagged && linked && kept) mask[at] = 1
  }
  for (let at = value.notes; at < value.count; at++) if (neighbours(value, at).some((note) => mask[note] === 1)) mask[at] = 1
  return mask
})

export const focused = computed(() => numberOf(focus.value))

/** The folders of notes, and those that hold them, in order. */
export const folders = computed(() => {
  const found = new Set<string>()
  for (const name of graph.value?.picture.folder_names ?? []) {
    for (let end = name.length; end > 0; end = name.lastIndexOf('/', end - 1)) found.add(name.slice(0, end))
  }
  return [...found].sort(COLLATOR.compare)
})

/** Names in the order that people expect of them. */
export const COLLATOR = new Intl.Collator(undefined, { numeric: true })

/** The views that have a list beside the map. */
const WITH_LIST: ReadonlySet<View> = new Set(['path', 'problems', 'gaps', 'changes'])

/** Shows another vault; nothing of the one before stays. */
export function showVault(name: string): void {
  vault.value = name
  forgetVault()
  focus.value = ''
  leavePath()
  steps.value = 0
  folder.value = ''
  tag.value = ''
  writeAddress()
  void refresh()
}

/** Drops what was loaded or opened of a vault and does not stand in the address. */
function forgetVault(): void {
  graph.value = undefined
  note.value = undefined
  openGroups.value = NONE
  path.value = []
  line.value = undefined
}

/** Opens a view; on narrow screens its first pane. */
export function showView(name: View): void {
  view.value = name
  openGroups.value = NONE
  pane.value = firstPane()
  writeAddress()
}

/** True if there is a list beside the map. */
export const hasList = computed(() => WITH_LIST.has(view.value))

/** The pane a narrow window shows first. */
function firstPane(): 'list' | 'map' {
  return hasList.value ? 'list' : 'map'
}

/** The line of the note in focus that was asked for. */
export const line = signal<number | undefined>(undefined)

const NONE: ReadonlySet<string> = new Set()

/** Labels of the highlighted groups. */
export const openGroups = signal(NONE)
const openBy = signal<GroupedBy>('community')

/** True if the vault has more notes than are drawn at once. */
export const isPart = computed(() => graph.value !== undefined && graph.value.notes < graph.value.vault.notes)

/** The groups named on the map; for a partly drawn vault communities, because not all links are known. */
export const groupedBy = computed<GroupedBy>(() => {
  if (colourBy.value === 'community' || colourBy.value === 'region') return colourBy.value
  return graph.value === undefined || isPart.value ? 'community' : overviewBy(graph.value)
})

/** What colours say. */
export const colouredBy = computed<ColourBy>(() => colourBy.value || groupedBy.value)

/** The notes a person looks at; a partly drawn vault must include them. */
const looked = computed(() => {
  const isOpen = ({ label }: { readonly label: string }) => openBy.value === 'community' && openGroups.value.has(label)
  const groups = graph.value?.picture.groups.filter(isOpen) ?? []
  return {
    notes: [...new Set([focus.value, ...path.value.map(bareId)])].filter((id) => id !== ''),
    groups: groups.map(({ id }) => id),
    folder: folder.value,
    tag: tag.value,
  }
})
const lookedKey = computed(() => JSON.stringify(looked.value))

/** Notes that stand out; absent: all do. */
export const lit = computed(() => {
  const { value } = graph
  if (value === undefined) return undefined
  if (path.value.length > 0) return new Set(path.value.flatMap((id) => numberOf(id) ?? []))
  if (openGroups.value.size > 0) return new Set(notesOf(value, openGroups.value, openBy.value))
  return steps.value > 0 && focused.value !== undefined ? around(value, focused.value, steps.value) : undefined
})

/** An id without the name of its vault, which answers put before it where there are several. */
export function bareId(id: string): string {
  return vault.value !== '' && id.startsWith(`${vault.value}:`) ? id.slice(vault.value.length + 1) : id
}

/** The number of a note on the map, by its id with the name of its vault or without. */
export function numberOf(id: string): number | undefined {
  const numbers = graph.value?.numberOf
  return numbers?.get(id) ?? numbers?.get(`${vault.value}:${id}`)
}

export function titleOf(id: string): string {
  const number = numberOf(id)
  return number === undefined ? id : (graph.value?.picture.titles[number] ?? id)
}

function isWithin(folder: string, parent: string): boolean {
  return folder === parent || folder.startsWith(`${parent}/`)
}

/** Opens the page: its session, what the address says, and the vault. */
export async function start(): Promise<void> {
  try {
    api.value = await Api.open()
    readAddress()
    pane.value = firstPane()
    // The note that the page begins at may be in any of them.
    const ofNote = api.value.vaults.find((name) => focus.value.startsWith(`${name}:`))
    if (vault.value === '') vault.value = ofNote ?? api.value.vaults[0] ?? ''
    void api.value.follow(
      () => void refresh(),
      (state) => {
        const wasLost = connection.value === 'lost'
        connection.value = state
        if (wasLost && state === 'there') void refresh()
      },
    )
    // The note is asked for once, below.
    await getAgain()
    // Draws the notes a person looks at, whatever else is drawn.
    effect(() => {
      if (lookedKey.value !== drawnFor && isPart.peek()) void getAgain()
    })
    if (focus.value !== '') await openFocus()
  } catch (error) {
    fail(error)
  }
}

/** When a picture without communities is asked for again, ms: a large vault takes its time, and its picture is large. */
const GROUPS_AFTER = { first: 2_000, most: 30_000 }
let groupsAfter = GROUPS_AFTER.first
let groupsLater: ReturnType<typeof setTimeout> | undefined

let refreshing: Promise<void> | undefined
let isStale = false
/** The vault may have changed since the notes and lists that are shown were asked for. */
let isChanged = false
/** The notes a person looked at when the picture was requested. */
let drawnFor = ''

/** How soon it is asked again while notes are laid out, ms: the server answers when it has something to say. */
const LAID_OUT_AFTER = 300

/** Reloads the picture and the open note; notes keep their places. Changes during a reload trigger one more. */
export function refresh(): Promise<void> {
  isChanged = true
  return getAgain()
}

function getAgain(): Promise<void> {
  isStale = refreshing !== undefined
  refreshing ??= getPicture().finally(() => {
    refreshing = undefined
    if (isStale) void getAgain()
  })
  return refreshing
}

async function getPicture(): Promise<void> {
  if (api.value === undefined) return
  const { value: asked } = vault
  try {
    drawnFor = lookedKey.value
    const picture = await api.value.picture(asked, { move: isLookedAt() ? 'nothing' : 'once', ...looked.value })
    const made = 'laying_out' in picture ? picture : await drawn(asked, picture)
    // Another vault was chosen since, whose picture is asked for next.
    if (asked !== vault.value) return
    clearTimeout(groupsLater)
    failure.value = undefined
    if ('laying_out' in made) {
      layingOut.value = made.laying_out.share
      groupsLater = setTimeout(() => void getAgain(), LAID_OUT_AFTER)
      return
    }
    layingOut.value = undefined
    graph.value = made
    if (isChanged) {
      isChanged = false
      if (focus.value !== '') await showFocus(focus.value)
      changes.value++
    }
    if (made.picture.is_grouping) {
      groupsLater = setTimeout(() => void getAgain(), groupsAfter)
      groupsAfter = Math.min(groupsAfter * 2, GROUPS_AFTER.most)
    } else groupsAfter = GROUPS_AFTER.first
  } catch (error) {
    // The first map of a very large vault may take longer than a server holds a connection; what it computes until then is kept.
    if (graph.value === undefined && isNoAnswer(error) && connection.value === 'there')
      groupsLater = setTimeout(() => void refresh(), GROUPS_AFTER.first)
    else fail(error)
  }
}

/** The graph of a picture, with attachments where they are wanted; without them nothing is asked for. */
async function drawn(of: string, picture: PartialPicture): Promise<Graph> {
  const made = graphOf(picture)
  if (!withAttachments.value || api.value === undefined) return made
  const { files, left_out } = await api.value.files(of)
  if (left_out > 0) said.value = `${left_out} more attachments are not on the map.`
  return withFiles(made, files)
}

/** True if the person has already found a place on the map, which must not move. */
function isLookedAt(): boolean {
  return graph.value !== undefined && (focus.value !== '' || map.view?.isMoved === true)
}

function isNoAnswer(error: unknown): boolean {
  return error instanceof Refused && error.isNoAnswer
}

/** Lays everything out again, rotated to resemble the previous map. */
export async function rearrange(): Promise<void> {
  if (api.value === undefined) return
  said.value = 'The map is rearranged.'
  try {
    const picture = await api.value.picture(vault.value, { move: 'all', ...looked.value })
    // Where that takes long it is asked for until it is there.
    if ('laying_out' in picture) return await getAgain()
    graph.value = await drawn(vault.value, picture)
    map.view?.fit()
  } catch (error) {
    fail(error)
  }
}

/** Gets the note that is in focus; a name that leads to one gives way to its id. */
async function showFocus(id: string): Promise<void> {
  const named = (await api.value?.note(id, vault.value)) ?? null
  // The note's name may be the missing target.
  const isMeant = named !== null && (named.kind !== 'missing' || named.id === id)
  const found = isMeant ? named : ((await noteCalled(id)) ?? named)
  if (focus.value !== id) return
  const isShown = found !== null && found.id === note.value?.id
  note.value = found
  if (found !== null && found.id !== id) {
    focus.value = found.id
    // The id takes the place of the name: on the way back the name would lead here again.
    writeAddress('replace')
  }
  // With the note, not later: by then something else may have been said.
  if (!isShown) sayFocus()
}

/** Says which note is in focus. */
function sayFocus(): void {
  const title = note.value?.title ?? focus.value
  const links = focused.value === undefined ? undefined : graph.value?.degrees[focused.value]
  document.title = `${title} – Roux`
  said.value = links === undefined ? title : `${title}, ${links} ${links === 1 ? 'link' : 'links'}`
}

interface OpenOptions {
  /** The map moves to the note. */
  readonly fly?: boolean
  /** A narrow window turns to its text. */
  readonly isRead?: boolean
  /** The line that is meant. */
  readonly at?: number | undefined
  /** True if Back leads to what was shown before. */
  readonly history?: HistoryEntry
}

type HistoryEntry = 'push' | 'replace'

/** Brings a note into focus and shows it. */
export async function open(given: string, { fly = true, isRead = true, at, history = 'push' }: OpenOptions = {}): Promise<void> {
  if (api.value === undefined) return
  const id = bareId(given)
  const { value: pathBefore } = path
  openGroups.value = NONE
  focus.value = id
  line.value = at
  if (isRead && takesTurns()) pane.value = 'note'
  writeAddress(history)
  try {
    await showFocus(id)
  } catch (error) {
    return fail(error)
  }
  // Where it is not drawn yet, it will be.
  if (focused.value === undefined && isPart.value) await refreshing
  // A path that was found meanwhile stays in view.
  const isOnlyNote = path.value.length === 0 || path.value === pathBefore
  if (fly && isOnlyNote && focused.value !== undefined) map.view?.goTo([focused.value], isCalm())
}

/** True if the window is too narrow to show the note beside all else. */
function takesTurns(): boolean {
  return matchMedia(hasList.value ? '(width < 1000px)' : '(width < 700px)').matches
}

/** Closes the note in focus. */
export function deselect(): void {
  if (focus.value === '' && openGroups.value.size === 0) return
  // A path that begins at the note stays.
  if (pathTo.value !== '' && pathFrom.value === '') pathFrom.value = focus.value
  openGroups.value = NONE
  focus.value = ''
  line.value = undefined
  note.value = undefined
  steps.value = 0
  document.title = 'Roux'
  said.value = 'No note is chosen.'
  writeAddress()
}

/** True if a click asks for a new tab. */
export function opensTab({ ctrlKey, metaKey, shiftKey, button }: MouseEvent): boolean {
  return ctrlKey || metaKey || shiftKey || button === 1
}

/** Opens a note in a tab of its own. Opened by this page it begins with a copy of this tab's storage, and so of its session. */
export function openTab(id: string): void {
  window.open(noteAddress(id, vault.value))
}

/** Shows the notes one more link away from the open note; after three links, all notes. */
export function showAround(): void {
  if (focused.value === undefined) {
    said.value = 'Choose a note first.'
    return
  }
  if (view.value !== 'map') showView('map')
  path.value = []
  steps.value = (steps.value + 1) % 4
  said.value =
    steps.value === 0 ? 'Showing all notes.' : `Showing notes within ${steps.value} ${steps.value === 1 ? 'link' : 'links'}.`
  pane.value = 'map'
  writeAddress()
  const notes = lit.value
  if (notes !== undefined) map.view?.goTo([...notes], isCalm())
}

/** Looks for a path from the note in focus to another, which is not chosen yet. */
export function showPath(): void {
  leavePath()
  pathFrom.value = focus.value
  showView('path')
}

/** The ends of a path are not looked for any more. */
export function leavePath(): void {
  pathFrom.value = ''
  pathTo.value = ''
}

/** The notes of communities or regions of these labels stand out, and are brought into view. */
export function showGroups(labels: ReadonlySet<string>, by: GroupedBy): void {
  const { value } = graph
  if (value === undefined) return
  openGroups.value = labels
  openBy.value = by
  pane.value = 'map'
  map.view?.goTo(notesOf(value, labels, by), isCalm())
}

function notesOf(of: Graph, labels: ReadonlySet<string>, by: GroupedBy): readonly number[] {
  const grouping = groupingBy(of, by)
  return [...Array(of.count).keys()].filter((at) => labels.has(grouping.groups[grouping.of[at] ?? -1]?.label ?? ''))
}

/** The id of the note of a title or alias, also of one that is not spelt quite so. */
export async function idCalled(name: string): Promise<string | undefined> {
  const answer = await api.value?.call<{ results: readonly { readonly match?: string | null }[] }>(
    'resolve_nodes',
    { names: [name] },
    vault.value,
  )
  const match = answer?.results[0]?.match
  return typeof match === 'string' ? bareId(match) : undefined
}

/** The note of a title or alias, such as one that "roux open --note" names. */
async function noteCalled(name: string): Promise<PageNote | null> {
  const id = await idCalled(name)
  return id === undefined || api.value === undefined ? null : api.value.note(id, vault.value)
}

/** Shows what the address says, such as after the browser's own way back. */
export async function goToAddress(): Promise<void> {
  const before = vault.value
  const viewBefore = view.value
  const hadAttachments = withAttachments.value
  readAddress()
  if (view.value !== viewBefore) pane.value = firstPane()
  if (vault.value !== before) {
    forgetVault()
    await refresh()
  } else if (withAttachments.value !== hadAttachments) await refresh()
  if (focus.value === '') note.value = undefined
  else if (focus.value !== note.value?.id) await openFocus()
}

/** Shows the note in the address and keeps the rest of the address. */
function openFocus(): Promise<void> {
  return open(focus.value, {
    isRead: pane.value !== 'list',
    fly: view.value !== 'path' || path.value.length === 0,
    history: 'replace',
  })
}

export function isCalm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

export function fail(error: unknown): void {
  failure.value = refusalOf(error)
}

/** The message for a person, in `words` if no server sent one; developers see the error in the console. */
export function refusalOf(error: unknown, words = error instanceof Error ? error.message : String(error)): Refused {
  if (error instanceof Refused) return error
  console.error(error)
  return new Refused(words)
}

const IN_ADDRESS = { vault, view, note: focus, from: pathFrom, to: pathTo, folder, tag, colour: colourBy } as const

/** Writes what is shown into the address, as a new entry of the browser's history or in place of the last. */
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
