import { effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Refused } from './api.ts'
import { towards } from './graph.ts'
import { MapView } from './map-view.ts'
import { plainText } from './plain-text.ts'
import {
  coloured,
  colouredBy,
  deselect,
  failure,
  focused,
  graph,
  groupedBy,
  hasList,
  isPart,
  layingOut,
  leavePath,
  lit,
  map,
  numberOf,
  open,
  openGroups,
  opensTab,
  openTab,
  pane,
  path,
  rearrange,
  said,
  showAround,
  showGroups,
  shown,
  showPath,
  showView,
  steps,
  vault,
  view,
} from './state.ts'
import { isDark } from './theme.ts'
import { useAnswer } from './use-answer.ts'

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The map. Everything on it is also in the table, for people who cannot see the canvas. */
export function NoteMap() {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pointed, setPointed] = useState<Pointed>()
  const [isImpossible, setImpossible] = useState(false)
  // Runs before anything is brought into view.
  useLayoutEffect(() => {
    if (canvas.current === null) return undefined
    let made: MapView
    try {
      made = new MapView(canvas.current, isDark.peek(), {
        onSelect(note, event) {
          const id = note === undefined ? undefined : graph.value?.picture.ids[note]
          if (id === undefined) deselect()
          else if (opensTab(event)) openTab(id)
          else void open(id, { fly: false })
        },
        onHover(note, x, y) {
          setPointed(note === undefined ? undefined : { note, x, y })
        },
        onGroup: (label) => showGroups(new Set([label]), 'community'),
        covered: () => coveredIn(canvas.current),
      })
    } catch (error) {
      console.warn('No map can be drawn:', error)
      setImpossible(true)
      return undefined
    }
    map.view = made
    // Lets tests and developer tools look up where notes are.
    Object.assign(canvas.current, { map: made })
    const stopTheme = effect(() => made.setTheme(isDark.value))
    const stop = effect(() => {
      const { value } = graph
      if (value === undefined) return
      const numbers = path.value.flatMap((id) => numberOf(id) ?? [])
      coloured.value = made.show(value, {
        shown: shown.value,
        colouredBy: colouredBy.value,
        last: coloured.peek(),
        groupedBy: groupedBy.value,
        focus: focused.value,
        lit: lit.value,
        path: numbers,
      })
    })
    return () => {
      stop()
      stopTheme()
      delete map.view
    }
  }, [])
  if (isImpossible) return <p class="waiting">This browser draws no map. The table shows the same notes.</p>
  return (
    <div class="map">
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-roledescription="map of notes"
        aria-label={`Map of ${graph.value?.notes ?? 0} notes. Arrow keys go to linked notes, Enter opens, t shows the same as a table.`}
        onKeyDown={onKey}
      />
      {graph.value === undefined && failure.value === undefined && <p class="waiting over">{waitingFor(layingOut.value)}</p>}
      {graph.value?.count === 0 && <p class="waiting over">There are no notes here yet.</p>}
      {pointed && <Card key={pointed.note} of={pointed} canvas={canvas.current} />}
      {isPart.value && <Part />}
      <div class="zoom">
        <button type="button" aria-label="Zoom in" onClick={() => map.view?.zoom(1.4)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => map.view?.zoom(1 / 1.4)}>
          −
        </button>
        <button type="button" aria-label="Show everything" onClick={() => map.view?.fit()}>
          ⤢
        </button>
        <button type="button" aria-label="Save as PNG" title="Save as PNG" onClick={() => map.view?.save(vault.value || 'notes')}>
          ⤓
        </button>
      </div>
      {graph.value?.picture.is_crowded && (
        <p class="crowded">
          The map can be arranged better by now.{' '}
          <button type="button" onClick={() => void rearrange()}>
            Rearrange the map
          </button>
        </p>
      )}
      <Legend />
    </div>
  )
}

/** The note under the pointer, and where that is. */
interface Pointed {
  readonly note: number
  readonly x: number
  readonly y: number
}

interface CardAnswer {
  readonly node: { readonly content: string; readonly incomingCount?: number; readonly outgoingCount?: number } | null
}

/** Shows facts about the note under the pointer. Its links and first sentence follow when the server answers. */
function Card({ of, canvas }: { readonly of: Pointed; readonly canvas: HTMLElement | null }) {
  const { value } = graph
  const id = value?.picture.ids[of.note]
  const answer = useAnswer<CardAnswer>('get_node', id === undefined ? undefined : { id, depth: 1, max_chars: 600 })
  if (value === undefined || id === undefined) return null
  const found = answer instanceof Refused ? undefined : answer?.node
  const sentence = firstSentence(found?.content ?? '')
  return (
    <div class="tip" style={tipPlace(of, canvas)}>
      <strong>{value.picture.titles[of.note]}</strong>
      <small>
        <span class="dot" style={{ background: coloured.value?.cssOf(of.note) }} />{' '}
        {coloured.value?.nameOf(of.note) ?? 'no group'}
        {found?.incomingCount !== undefined && ` · ${found.incomingCount} in · ${found.outgoingCount} out`}
      </small>
      {sentence !== '' && <p>{sentence}</p>}
    </div>
  )
}

/** Maximum length of a sentence on a card, in characters. */
const SENTENCE = 160

/** Returns the first sentence below the headings of a text, shortened if it is long. */
function firstSentence(markdown: string): string {
  const lines = markdown.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const text = plainText(lines.join('\n').replace(/\.\.\. \[truncated\]$/, '…'))
  const [sentence = text] = /^.{12,}?[.!?…](?=\s|$)/.exec(text) ?? []
  return sentence.length > SENTENCE ? `${sentence.slice(0, SENTENCE).trimEnd()}…` : sentence
}

/** Places the tooltip next to the pointer, on the side with more room. */
function tipPlace({ x, y }: { readonly x: number; readonly y: number }, canvas: HTMLElement | null): Record<string, string> {
  const { clientWidth: width = 0, clientHeight: height = 0 } = canvas ?? {}
  return {
    ...(x < width / 2 ? { left: `${x + 14}px` } : { right: `${width - x + 14}px` }),
    ...(y < height / 2 ? { top: `${y + 10}px` } : { bottom: `${height - y + 10}px` }),
  }
}

function waitingFor(share: number | undefined): string {
  if (share === undefined) return 'Reading the vault …'
  return `The notes are laid out, ${Math.round(share * 100)} % so far. That is done once: they keep their places.`
}

/** Explains that not everything is drawn, and how to see the rest. */
function Part() {
  const { value } = graph
  if (value === undefined) return null
  const shownGroups = [...openGroups.value]
  return (
    <p class="part">
      {value.notes.toLocaleString()} of {value.vault.notes.toLocaleString()} notes are drawn, the best linked.{' '}
      {shownGroups.length === 0 ? (
        'Choose a community or a folder to see more of it, or search for a note.'
      ) : (
        <button type="button" onClick={() => showView('map')}>
          {shownGroups.join(', ')} ✕
        </button>
      )}
    </p>
  )
}

/** True if the user opened or closed the legend. */
const legendChoice = signal<boolean | undefined>(undefined)

function Legend() {
  // Before communities are known, there is nothing to name.
  if ((coloured.value?.legend.length ?? 0) === 0)
    return graph.value?.picture.is_grouping && graph.value.count > 0 ? (
      <p class="legend finding">Finding out what belongs together; colours follow …</p>
    ) : null
  // On a narrow map, it would hide what it explains.
  const isOpen = legendChoice.value ?? matchMedia(hasList.value ? '(width >= 1500px)' : '(width >= 900px)').matches
  return (
    <details
      class="legend"
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen) legendChoice.value = event.currentTarget.open
        map.view?.refresh()
      }}
    >
      <summary>Colours</summary>
      <ul>
        {coloured.value?.legend.map(({ name, colour, notes, isRest = false }) => (
          <li key={`${name} ${isRest}`}>
            <LegendEntry name={name} isRest={isRest}>
              <span class="dot" style={{ background: colour }} />
              <bdi>{name}</bdi> <small>{notes}</small>
            </LegendEntry>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface LegendEntryOptions {
  readonly name: string
  /** True for the entry of all smaller groups. */
  readonly isRest: boolean
  readonly children: ComponentChildren
}

/** Communities and regions are shown by a click. Folders and tags have filters. */
function LegendEntry({ name, isRest, children }: LegendEntryOptions) {
  const { value: by } = colouredBy
  if (isRest || (by !== 'community' && by !== 'region')) return <span>{children}</span>
  return (
    <button type="button" onClick={() => showGroups(new Set([name]), by)}>
      {children}
    </button>
  )
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Enter' && focused.value !== undefined) {
    pane.value = 'note'
    // If only one pane is visible, it appears in the next frame.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.right')?.focus())
    return
  }
  const direction = DIRECTIONS[event.key]
  const { value } = graph
  if (value === undefined || direction === undefined) return
  event.preventDefault()
  const from = focused.value
  if (from === undefined) {
    map.view?.pan(direction[0] * 0.2, direction[1] * 0.2)
    return
  }
  const next = towards(value, from, { direction, shown: shown.value })
  const id = next === undefined ? undefined : value.picture.ids[next]
  if (id === undefined) said.value = 'No linked note in that direction.'
  else void open(id)
}

/** Returns the areas over the map where no names are drawn. */
function coveredIn(canvas: HTMLElement | null): readonly DOMRect[] {
  const over = canvas?.closest('.middle')?.querySelectorAll('.legend, .zoom, .crowded, .narrowed, .part') ?? []
  return [...over].map((one) => one.getBoundingClientRect())
}

/** Handles the page's keys, except in input fields. */
export function onPageKey(event: KeyboardEvent, switchHelp: () => void): void {
  const target = event.target as HTMLElement
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (target.closest('input, select, textarea') !== null) {
    if (event.key === 'Escape') target.blur()
    return
  }
  // The key has already closed something.
  if (event.defaultPrevented) return
  const act = KEYS[event.key]
  if (event.key === '?') switchHelp()
  else if (act !== undefined) act()
  else return
  event.preventDefault()
}

const KEYS: Readonly<Record<string, () => void>> = {
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('#search')
    search?.focus()
    search?.select()
  },
  n: showAround,
  p: showPath,
  t: () => showView(view.value === 'table' ? 'map' : 'table'),
  '+': () => map.view?.zoom(1.4),
  '-': () => map.view?.zoom(1 / 1.4),
  '0': () => map.view?.fit(),
  Escape: () => {
    steps.value = 0
    path.value = []
    leavePath()
    showView('map')
  },
}
