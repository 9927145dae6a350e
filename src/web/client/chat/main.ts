import { messageOf } from '../../../core/errors.ts'
import type { PartialPicture } from '../../../core/insight/picture.ts'
import { amount } from '../../../core/text/format.ts'
import { button, buttonItem, byId, element } from '../element.ts'
import { type Graph, graphOf, neighbors } from '../graph.ts'
import { type PlainMap, plainMap } from '../plain-map.ts'
import { type Fields, fieldsOf, type MapAnswer, readAnswer } from './answer.ts'
import { openBridge } from './bridge.ts'

const MAX_NOTES = 500
const MAX_CHARS = 6_000
/** The number of retries while communities are being computed. `after` is in milliseconds. */
const GROUP_RETRIES = { times: 3, after: 2_000 }

let context: Fields = {}
let args: Fields = {}
let currentAnswer: MapAnswer | undefined
let graph: Graph | undefined
let map: PlainMap | undefined
let selected: number | undefined
let highlighted: readonly number[] = []

const bridge = openBridge(window.parent, {
  onNotification(method, params) {
    if (method === 'ui/notifications/tool-input') args = fieldsOf(params.arguments)
    else if (method === 'ui/notifications/tool-result') showAnswer(params)
    else if (method === 'ui/notifications/tool-cancelled') showStatus('The call was cancelled.')
    else if (method === 'ui/notifications/host-context-changed') setContext(params)
  },
  onRequest(method) {
    // The page ends after the response has been sent.
    if (method === 'ui/resource-teardown') setTimeout(end)
    return ['ui/resource-teardown', 'ping'].includes(method) ? {} : undefined
  },
})

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
darkScheme.addEventListener('change', setTheme)
const resizeObserver = new ResizeObserver(sendSize)
start().catch(showStatus)

async function start(): Promise<void> {
  setTheme()
  const initialized = await bridge.request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'roux-map', title: 'Roux', version: '1' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  })
  setContext(fieldsOf(fieldsOf(initialized).hostContext))
  bridge.notify('ui/notifications/initialized', {})
  resizeObserver.observe(document.body)
}

function setContext(change: Fields): void {
  context = { ...context, ...change }
  const root = document.documentElement
  for (const [name, value] of Object.entries(fieldsOf(fieldsOf(change.styles).variables)))
    if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
  const fillsFrame = context.displayMode === 'fullscreen' || typeof fieldsOf(context.containerDimensions).height === 'number'
  root.toggleAttribute('data-whole', fillsFrame)
  const modes = context.availableDisplayModes
  byId('whole').hidden = !(Array.isArray(modes) && modes.includes('fullscreen')) || context.displayMode === 'fullscreen'
  setTheme()
}

function setTheme(): void {
  const { style, dataset } = document.documentElement
  const isDark = context.theme === 'dark' || (context.theme !== 'light' && darkScheme.matches)
  style.colorScheme = dataset.theme = isDark ? 'dark' : 'light'
  map?.view.setTheme(isDark)
}

function sendSize(): void {
  const { height } = document.body.getBoundingClientRect()
  bridge.notify('ui/notifications/size-changed', { width: innerWidth, height: Math.ceil(height) })
}

byId('whole').onclick = () => {
  const changed = bridge.request('ui/request-display-mode', { mode: 'fullscreen' })
  changed.then((result) => setContext({ displayMode: fieldsOf(result).mode })).catch(showStatus)
}

// The wheel scrolls the conversation. It zooms only a focused or maximized map, or with the Ctrl key.
byId('map').addEventListener(
  'wheel',
  (event) => {
    const isInUse = document.activeElement?.matches('.drawing') || event.ctrlKey || context.displayMode === 'fullscreen'
    if (!isInUse) event.stopPropagation()
  },
  { capture: true, passive: true },
)

function showAnswer(result: Fields): void {
  currentAnswer = readAnswer(result, args)
  selected = undefined
  showStatus(currentAnswer.message)
  listNotes(currentAnswer)
  if (currentAnswer.notes.length > 0) void draw(currentAnswer, GROUP_RETRIES.times)
}

async function draw(answer: MapAnswer, retries: number): Promise<void> {
  if (answer !== currentAnswer) return
  byId('part').textContent = 'Getting the map …'
  try {
    const ids = [answer.center ?? [], answer.notes.map(({ id }) => id)].flat()
    const picture = await callTool<PartialPicture>('map_picture', { id: answer.notes[0]?.id, notes: ids.slice(0, MAX_NOTES) })
    if (answer !== currentAnswer) return
    graph = graphOf(picture)
    const center = centerOf(answer, picture)
    selected ??= center
    highlighted = [highlightedBy(answer, picture), center ?? []].flat()
    byId('part').textContent =
      picture.count > graph.count ? `on a map of the ${graph.count} best linked of ${picture.count} notes` : ''
    byId('map').hidden = false
    map ??= plainMap(byId('map'), document.documentElement.dataset.theme === 'dark', (number) =>
      open(graph?.picture.ids[number] ?? ''),
    )
    show()
    if (answer.communities.length > 0) map.view.fit()
    else map.view.goTo(highlighted)
    listNotes(answer)
    if (picture.is_grouping && retries > 0) setTimeout(() => void draw(answer, retries - 1), GROUP_RETRIES.after)
  } catch (error) {
    if (answer === currentAnswer) byId('part').textContent = messageOf(error)
  }
}

function centerOf({ center }: MapAnswer, { named, titles }: PartialPicture): number | undefined {
  if (center === undefined) return undefined
  const [number = -1] = named
  const found = number >= 0 ? number : titles.findIndex((title) => title.toLowerCase() === center.toLowerCase())
  return found < 0 ? undefined : found
}

function highlightedBy(answer: MapAnswer, picture: PartialPicture): readonly number[] {
  // If there are several vaults, ids of communities start with the vault's name.
  const ids = new Set(answer.communities.map(({ id }) => id.slice(id.lastIndexOf(':') + 1)))
  const wanted = new Set(picture.groups.flatMap(({ id }, group) => (ids.has(id) ? [group] : [])))
  const notes = picture.communities.flatMap((group, note) => (wanted.has(group) ? [note] : []))
  return notes.length > 0 ? notes : picture.named.filter((number) => number >= 0)
}

function show(): void {
  if (graph !== undefined) map?.show(graph, { notes: highlighted, path: numbersOf(currentAnswer?.path ?? []), focus: selected })
}

function numbersOf(ids: readonly string[]): readonly number[] {
  return ids.flatMap((id) => graph?.numberOf.get(id) ?? [])
}

/** Lists the notes for keyboards and screen readers, and in case no map can be drawn. */
function listNotes({ notes, communities, path }: MapAnswer): void {
  const communityItems = communities.map(({ label, notes: size, key }) =>
    buttonItem(`${label} · ${size}`, () => {
      map?.view.goTo(numbersOf(key.map(({ id }) => id)))
      const [first] = key
      if (first !== undefined) open(first.id, first.title)
    }),
  )
  const noteItems = notes.map(({ id, title = titleOf(id), detail }) =>
    buttonItem(path.length > 0 || detail === undefined ? title : `${title} · ${detail}`, () => {
      map?.view.goTo(numbersOf([id]))
      open(id, title, path.length > 0 ? detail : undefined)
    }),
  )
  byId('notes').replaceChildren(...(communities.length > 0 ? communityItems : noteItems))
}

function titleOf(id: string): string {
  return graph?.picture.titles[graph.numberOf.get(id) ?? -1] ?? id
}

function open(id: string, title = titleOf(id), sentence = ''): void {
  selected = graph?.numberOf.get(id)
  show()
  const text = element('pre', { hidden: true, tabIndex: 0 })
  const showText = (message: string): void => void Object.assign(text, { hidden: false, textContent: message })
  const fail = (error: unknown): void => showText(messageOf(error))
  const read = (): void => {
    showText('Reading …')
    void contentOf(id).then(showText, fail)
  }
  const links = graph && selected !== undefined ? ` · ${amount(neighbors(graph, selected).length, 'link')} on this map` : ''
  byId('note').replaceChildren(
    element('h2', { textContent: title }),
    element('p', { className: 'quiet', textContent: id + links }),
    ...(sentence === '' ? [] : [element('p', { textContent: sentence })]),
    element('p', {}, [button('Ask about it', () => void askAbout(id, title).catch(fail)), button('Read it here', read)]),
    text,
  )
  byId('note').hidden = false
}

async function askAbout(id: string, title: string): Promise<void> {
  const question = `Tell me about the note ${JSON.stringify(title)} (${id}).`
  const result = await bridge.request('ui/message', { role: 'user', content: [{ type: 'text', text: question }] })
  if (fieldsOf(result).isError === true) throw new Error('The chat did not accept the message.')
}

async function contentOf(id: string): Promise<string> {
  const { node } = await callTool<{ readonly node?: unknown }>('get_node', { id, max_chars: MAX_CHARS })
  return String(fieldsOf(node).content ?? 'There is no such note (any more).')
}

async function callTool<T>(name: string, toolArgs: Fields): Promise<T> {
  const result = fieldsOf(await bridge.request('tools/call', { name, arguments: toolArgs }))
  const content = fieldsOf(result.structuredContent)
  if (result.isError === true) throw new Error(String(fieldsOf(content.error).message ?? 'The tool failed.'))
  return content as T
}

function showStatus(message: unknown): void {
  byId('said').textContent = messageOf(message)
}

function end(): void {
  currentAnswer = undefined
  resizeObserver.disconnect()
  bridge.end()
  document.body.replaceChildren()
}
