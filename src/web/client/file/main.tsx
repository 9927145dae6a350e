import { type ComponentChildren, render } from 'preact'
import type { PageLink, PageText } from '../../../app/read/page-note.ts'
import type { VaultPicture } from '../../../core/insight/picture.ts'
import { amount } from '../../../core/text/format.ts'
import { buttonItem, byId, element } from '../element.ts'
import { graphOf, neighbors } from '../graph.ts'
import { renderMarkdown } from '../markdown.ts'
import { parseMarkdown } from '../markdown-tree.ts'
import { type PlainMap, plainMap } from '../plain-map.ts'
import { plainText } from '../plain-text.ts'

interface ExportedMap {
  readonly name: string
  readonly picture: VaultPicture
  /** The texts by note number, with `null` for unreadable notes. They are omitted if the page was exported without text. */
  readonly texts?: readonly (PageText | null)[]
  /** The linked notes by note number, each with the sentence that contains the link. They are omitted if not requested. */
  readonly quotes?: readonly (readonly (readonly [to: number, text: string])[])[]
}

/**
 * The maximum number of special characters. This page cannot use workers, and parsing a larger note could block it for minutes.
 */
const MAX_MARKS = 5_000

const MAX_RESULTS = 40

const { name, picture, texts, quotes = [] } = JSON.parse(byId('vault').textContent ?? '') as ExportedMap
const graph = graphOf(picture)
const foldedTitles = picture.titles.map((title) => title.toLowerCase())
const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const search = byId('search') as HTMLInputElement
let map: PlainMap | undefined
let selected: number | undefined

document.title = `${name}: map of notes`
byId('name').textContent = name
byId('said').textContent = `${graph.count} notes, ${graph.pairs.length / 2} links`
try {
  map = plainMap(byId('map'), darkScheme.matches, (note) => select(note))
  show()
} catch (error) {
  console.warn('No map can be drawn:', error)
  byId('map').textContent = 'This browser draws no map. Search finds the same notes.'
}
darkScheme.addEventListener('change', () => map?.view.setTheme(darkScheme.matches))
search.addEventListener('input', () => find(search.value.trim().toLowerCase()))
search.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') byId('found').querySelector('button')?.click()
  if (event.key === 'Escape') find('')
})
document.addEventListener('keydown', (event) => {
  if (event.target === search) return
  if (event.key === '/') search.focus()
  else if (event.key === 'Escape') close()
  else return
  event.preventDefault()
})

function find(query: string): void {
  const matches: number[] = []
  for (let note = 0; note < graph.count && query !== ''; note++) if (foldedTitles[note]?.includes(query)) matches.push(note)
  const rank = (note: number): number => (foldedTitles[note] === query ? 0 : foldedTitles[note]?.startsWith(query) ? 1 : 2)
  matches.sort((a, b) => rank(a) - rank(b) || (graph.degrees[b] ?? 0) - (graph.degrees[a] ?? 0) || a - b)
  byId('found').replaceChildren(...matches.slice(0, MAX_RESULTS).map((note) => choice(note)))
  byId('found').hidden = matches.length === 0
  if (query !== '') byId('said').textContent = matches.length === 0 ? 'No title has that in it.' : ''
}

function choice(note: number, children: readonly Node[] = []): HTMLElement {
  return buttonItem(titleOf(note), () => go(note), children)
}

function go(note: number): void {
  find('')
  map?.view.goTo([note])
  select(note)
}

function titleOf(note: number): string {
  return picture.titles[note] || (picture.ids[note] ?? '')
}

function select(note: number): void {
  selected = note
  show()
  const linked = neighbors(graph, note).toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1))
  const tags = (picture.tags[note] ?? []).map((tag) => `#${picture.tag_names[tag] ?? ''}`)
  byId('note').replaceChildren(
    element('h2', { textContent: titleOf(note) }),
    element('p', { className: 'quiet', textContent: picture.ids[note] ?? '' }),
    ...(tags.length === 0 ? [] : [element('p', { textContent: tags.join(' ') })]),
    ...bodyOf(texts?.[note] ?? undefined),
    element('p', { className: 'quiet', textContent: amount(linked.length, 'linked note') }),
    element(
      'ul',
      {},
      linked.map((other) => choice(other, quotesBetween(note, other))),
    ),
  )
  byId('note').hidden = false
  byId('said').textContent = `${titleOf(note)}, ${amount(linked.length, 'link')}`
}

function quotesBetween(note: number, other: number): readonly HTMLElement[] {
  return [
    [note, other],
    [other, note],
  ].flatMap(([from = -1, to]) => {
    const [, text = ''] = quotes[from]?.find(([target]) => target === to) ?? []
    return text === '' ? [] : [element('blockquote', { textContent: plainText(text) })]
  })
}

function bodyOf(text: PageText | undefined): readonly HTMLElement[] {
  if (text === undefined || text.text === '') return []
  const body = element('div', { className: 'body' })
  const link = (to: string, label: ComponentChildren): ComponentChildren => {
    const target = graph.numberOf.get(to)
    if (target === undefined) return <em>{label}</em>
    return (
      <button type="button" class="link" onClick={() => go(target)}>
        {label}
      </button>
    )
  }
  const slots = {
    link: ({ to }: PageLink, label: string) => link(to, label),
    embed: ({ to }: PageLink, label: string) => link(to, `↳ ${label}`),
  }
  render(
    <>
      {renderMarkdown(text, parseMarkdown(text, { maxMarks: MAX_MARKS }), slots)}
      {text.left_out > 0 && <p>{text.left_out} more characters are not shown here.</p>}
    </>,
    body,
  )
  return [body]
}

function close(): void {
  selected = undefined
  byId('note').hidden = true
  show()
}

function show(): void {
  map?.show(graph, { focus: selected })
}
