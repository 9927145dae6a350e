import { computed, effect, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { PageNote } from '../../app/read/page-note.ts'
import { amount } from '../../core/text/format.ts'
import { colorsOf, INDEX_COLOR, type Legend as Listed } from './colors.ts'
import { type ColorBy, DIRECTIONS, dateOf, today, towards } from './graph.ts'
import { useAnswer } from './hooks.ts'
import { focusMap } from './keys.ts'
import { MapView } from './map-view.ts'
import { plainText } from './plain-text.ts'
import { copyText, obsidianAddress } from './reader.tsx'
import {
  announcement,
  api,
  colorBy,
  colored,
  coloredBy,
  deselect,
  drawnMarks,
  drawnTies,
  fail,
  failure,
  focus,
  focused,
  folder,
  graph,
  groupedBy,
  hasList,
  isFolded,
  isPart,
  isStartOpen,
  layingOut,
  lit,
  map,
  NOW,
  numberOf,
  open,
  openBy,
  openGroups,
  opensTab,
  openTab,
  type Pointed,
  pane,
  path,
  pointed,
  rearrange,
  showAround,
  showGroups,
  shown,
  showPath,
  showView,
  steps,
  tag,
  titleOf,
  until,
  vault,
  writeAddress,
} from './state.ts'
import { isDark } from './theme.ts'

export { GroupPanel } from './group-panel.tsx'

const pulsing = computed(() => (pointed.value?.isLink === true ? numberOf(pointed.value.id) : undefined))

/** A map of the notes. For people who cannot see the canvas, the table has the same content. */
export function NoteMap() {
  const drawing = useRef<HTMLDivElement>(null)
  const [menu, setMenu] = useState<Spot>()
  const [isImpossible, setImpossible] = useState(false)
  useLayoutEffect(() => {
    if (drawing.current === null) return undefined
    let made: MapView
    try {
      made = new MapView(drawing.current, isDark.peek(), {
        onSelect(note, event) {
          const id = note === undefined ? undefined : graph.value?.picture.ids[note]
          if (id === undefined) deselect()
          else if (opensTab(event)) openTab(id)
          else void open(id, { fly: false })
        },
        onHover(note, x, y) {
          const id = note === undefined ? undefined : graph.value?.picture.ids[note]
          const { left = 0, top = 0, width = 0 } = drawing.current?.getBoundingClientRect() ?? {}
          const at = { x: left + x, y: top + y, middle: left + width / 2, isLink: false }
          pointed.value = id === undefined ? undefined : { id, ...at }
        },
        onMenu(note, { clientX: x, clientY: y }) {
          const id = graph.value?.picture.ids[note]
          setMenu(id === undefined ? undefined : { id, x, y })
        },
        onGroup: (label) => showGroups(new Set([label]), 'community'),
        covered() {
          const covered = coveredIn(drawing.current)
          coveredBefore = JSON.stringify(covered)
          return covered
        },
      })
    } catch (error) {
      console.warn('No map can be drawn:', error)
      setImpossible(true)
      return undefined
    }
    map.view = made
    // Tests and developer tools read this property.
    Object.assign(drawing.current, { map: made })
    const stopTheme = effect(() => made.setTheme(isDark.value))
    const stop = effect(() => {
      const { value } = graph
      if (value === undefined) return
      const colors = colorsOf(value, coloredBy.value, colored.peek())
      colored.value = colors
      made.show(value, {
        shown: shown.value,
        colored: colors,
        groupedBy: groupedBy.value,
        focus: focused.value,
        lit: lit.value,
        path: path.value.flatMap((id) => numberOf(id) ?? []),
        marks: drawnMarks.value,
        ties: drawnTies.value,
        pulse: pulsing.value,
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
      <div
        ref={drawing}
        class="drawing"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application has keys
        tabIndex={0}
        role="application"
        aria-roledescription="map of notes"
        aria-label={`Map of ${graph.value?.notes ?? 0} notes. Arrow keys go to linked notes, Enter opens, t shows the same as a table.`}
        onKeyDown={onKey}
      />
      {graph.value === undefined && failure.value === undefined && <p class="waiting over">{waitingFor(layingOut.value)}</p>}
      {graph.value?.count === 0 && <p class="waiting over">There are no notes here yet.</p>}
      {menu && <Menu key={menu.id} at={menu} onClose={() => setMenu(undefined)} />}
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
        <details>
          <summary aria-label="Save the map" title="Save the map">
            ⤓
          </summary>
          <div>
            {(['PNG', 'SVG'] as const).map((format) => (
              <button
                type="button"
                key={format}
                aria-label={`Save as ${format}`}
                onClick={() => map.view?.save(vault.value || 'notes', format)}
              >
                {format}
              </button>
            ))}
          </div>
        </details>
        <button
          type="button"
          aria-label="How the vault grew"
          title="How the vault grew"
          aria-pressed={until.value !== NOW}
          onClick={() => (until.value = until.value === NOW ? today() : NOW)}
        >
          ◷
        </button>
      </div>
      {until.value !== NOW && <Growth />}
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

/** Times in milliseconds. */
const REPLAY = { all: 12_000, step: 60 }

function Growth() {
  const [isPlaying, setPlaying] = useState(false)
  const picture = graph.value?.picture
  const created = picture !== undefined && 'created' in picture ? picture.created.filter((day) => day >= 0) : []
  const [first, last] = [created.reduce((least, day) => Math.min(least, day), today()), today()]
  const day = Math.min(last, Math.max(first, until.value))
  const notes = shown.value.reduce((sum, one) => sum + one, 0)
  useEffect(() => {
    if (!isPlaying) return undefined
    const step = Math.max(1, Math.round(((last - first) * REPLAY.step) / REPLAY.all))
    const timer = setInterval(() => {
      until.value = Math.min(last, until.value + step)
      if (until.value === last) setPlaying(false)
    }, REPLAY.step)
    return () => clearInterval(timer)
  }, [isPlaying, first, last])
  if (first === last) return <p class="growth">By their dates, all notes were created today.</p>
  const play = (): void => {
    if (!isPlaying && day === last) until.value = first
    setPlaying(!isPlaying)
  }
  return (
    <p class="growth">
      <button type="button" aria-label={isPlaying ? 'Pause' : 'Play'} onClick={play}>
        {isPlaying ? '❚❚' : '▶'}
      </button>
      <input
        type="range"
        aria-label="Notes created until"
        aria-valuetext={dateOf(day)}
        min={first}
        max={last}
        value={day}
        onInput={(event) => (until.value = Number(event.currentTarget.value))}
      />
      <output>
        {dateOf(day)} · {amount(notes, 'note')}
      </output>
    </p>
  )
}

interface Spot {
  readonly id: string
  readonly x: number
  readonly y: number
}

/** A menu. Esc and a press outside close it. A popover would close when the right button is released. */
function Menu({ at: { id, x, y }, onClose }: { readonly at: Spot; readonly onClose: () => void }) {
  const list = useRef<HTMLUListElement>(null)
  const [of, setOf] = useState<PageNote>()
  useLayoutEffect(() => {
    list.current?.querySelector('button')?.focus()
    void api.value?.note(id, vault.value).then((found) => found !== null && setOf(found), fail)
    const onPress = ({ target }: PointerEvent): void => {
      if (list.current?.contains(target as Node) !== true) onClose()
    }
    addEventListener('pointerdown', onPress)
    return () => removeEventListener('pointerdown', onPress)
  }, [])
  const close = (): void => {
    onClose()
    focusMap()
  }
  const onMenuKey = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') {
      close()
      return
    }
    const items = [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])]
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 && event.key !== 'Escape') return
    event.preventDefault()
    if (step === 0) close()
    else items.at((items.indexOf(document.activeElement as HTMLElement) + step) % items.length)?.focus()
  }
  const entries: readonly (readonly [name: string, act: () => void])[] = [
    ['Open', () => void open(id, { fly: false })],
    ['Open in a new tab', () => openTab(id)],
    ['Path from here', () => void open(id, { fly: false, isRead: false }).then(showPath)],
    ['Copy link', () => void copyText(`[[${titleOf(id)}]]`, 'Link')],
  ]
  return (
    <ul
      ref={list}
      class="menu"
      role="menu"
      tabIndex={-1}
      aria-label={titleOf(id)}
      style={{ left: `${Math.min(x, innerWidth - 200)}px`, top: `${Math.min(y, innerHeight - 210)}px` }}
      onKeyDown={onMenuKey}
    >
      {entries.map(([name, act]) => (
        <li key={name} role="none">
          <button
            type="button"
            role="menuitem"
            onClick={() => {
              close()
              act()
            }}
          >
            {name}
          </button>
        </li>
      ))}
      {of?.path !== undefined && (
        <li role="none">
          <a role="menuitem" href={obsidianAddress(of.folder, of.path)} onClick={close}>
            Open in Obsidian
          </a>
        </li>
      )}
    </ul>
  )
}

export function Depth() {
  if (isFolded.value)
    return (
      <p class="depth">
        <button type="button" class="start" onClick={() => (isStartOpen.value = true)}>
          Where to start
        </button>
      </p>
    )
  if (focused.value === undefined) return null
  return (
    <p class="depth">
      <bdi>{titleOf(focus.value)}</bdi>
      <span class="quiet">within</span>
      {[1, 2, 3].map((links) => (
        <button
          type="button"
          key={links}
          aria-pressed={steps.value === links}
          aria-label={`Show ${amount(links, 'link')} around`}
          onClick={() => showAround(steps.value === links ? 0 : links)}
        >
          {links}
        </button>
      ))}
      <span class="quiet">links</span>
      <button type="button" aria-label="Close the note" onClick={deselect}>
        ✕
      </button>
    </p>
  )
}

interface CardAnswer {
  readonly node: { readonly content: string; readonly incomingCount?: number; readonly outgoingCount?: number } | null
}

export function Card({ of }: { readonly of: Pointed }) {
  const { answer } = useAnswer<CardAnswer>('get_node', { id: of.id, depth: 1, max_chars: 600 })
  const found = answer?.node
  const number = numberOf(of.id)
  const sentence = firstSentence(found?.content ?? '')
  return (
    <div class="tip" style={tipPlace(of)}>
      <strong>{titleOf(of.id)}</strong>
      <small>
        <span class="dot" style={{ background: colored.value?.cssOf(number) }} />{' '}
        {colored.value?.nameOf(number ?? -1) ?? 'no group'}
        {found?.incomingCount !== undefined && ` · ${found.incomingCount} in · ${found.outgoingCount} out`}
      </small>
      {sentence !== '' && <p>{sentence}</p>}
    </div>
  )
}

/** The maximum length of a sentence in characters. */
const SENTENCE = 160

function firstSentence(markdown: string): string {
  const lines = markdown.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const text = plainText(lines.join('\n').replace(/\.\.\. \[truncated\]$/, '…'))
  const [sentence = text] = /^.{12,}?[.!?…](?=\s|$)/.exec(text) ?? []
  return sentence.length > SENTENCE ? `${sentence.slice(0, SENTENCE).trimEnd()}…` : sentence
}

function tipPlace({ x, y, middle }: Pointed): Record<string, string> {
  return {
    ...(x < middle ? { left: `${x + 14}px` } : { right: `${innerWidth - x + 14}px` }),
    ...(y < innerHeight / 2 ? { top: `${y + 10}px` } : { bottom: `${innerHeight - y + 10}px` }),
  }
}

function waitingFor(share: number | undefined): string {
  if (share === undefined) return 'Reading the vault …'
  return `The notes are laid out, ${Math.round(share * 100)} % so far. That is done once: they keep their places.`
}

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

const EXPLAINED: Readonly<Record<string, string>> = {
  other: 'other: small groups or none',
  'index notes': 'index notes: linked with many',
}

const legendChoice = signal<boolean | undefined>(undefined)

const LEGEND_GROUPS = 7
const isWholeLegend = signal(false)

function entry({ name, color, notes, isRest = false }: Listed) {
  return (
    <li key={`${name} ${isRest}`}>
      <LegendEntry name={name} isRest={isRest}>
        <span class={color === INDEX_COLOR ? 'dot index' : 'dot'} style={{ background: color }} />
        <bdi>{isRest ? (EXPLAINED[name] ?? name) : name}</bdi> <small>{notes}</small>
      </LegendEntry>
    </li>
  )
}

/** The elements over the map when it was last drawn or fitted. */
let coveredBefore = ''

function Legend() {
  const hasGroups = (colored.value?.legend.length ?? 0) > 0
  // The map is fitted beside the legend before it is first drawn.
  useLayoutEffect(() => map.view?.refresh(), [hasGroups])
  // The legend is empty until communities are known.
  if (!hasGroups)
    return graph.value?.picture.is_grouping && graph.value.count > 0 ? (
      <p class="legend finding">Finding out what belongs together; colors follow …</p>
    ) : null
  const unlinked = graph.value?.degrees.filter((links) => links === 0).length ?? 0
  // The legend stays closed on narrow maps, and while a note or group is open.
  const isAlone = focus.value === '' && openGroups.value.size === 0
  const isOpen = legendChoice.value ?? (isAlone && matchMedia(hasList.value ? '(width >= 1500px)' : '(width >= 900px)').matches)
  const groups = colored.value?.legend.filter(({ isRest = false }) => !isRest) ?? []
  const rest = colored.value?.legend.filter(({ isRest = false }) => isRest) ?? []
  const hidden = isWholeLegend.value ? 0 : Math.max(0, groups.length - LEGEND_GROUPS)
  return (
    <details
      class="legend"
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== isOpen) legendChoice.value = event.currentTarget.open
        if (JSON.stringify(coveredIn(event.currentTarget)) !== coveredBefore) map.view?.refresh()
      }}
    >
      <summary>Colors</summary>
      <select
        aria-label="Colors by"
        value={coloredBy.value}
        onChange={(event) => {
          colorBy.value = event.currentTarget.value as ColorBy
          writeAddress()
        }}
      >
        <option value="community">community</option>
        <option value="region">region: links alone</option>
        <option value="folder">folder</option>
        <option value="tag">tag</option>
        <option value="age">last change</option>
      </select>
      <ul>
        {groups.slice(0, groups.length - hidden).map(entry)}
        {hidden > 0 && (
          <li>
            <button type="button" onClick={() => (isWholeLegend.value = true)}>
              <span class="dot none" /> {hidden} more
            </button>
          </li>
        )}
        {rest.map(entry)}
        <li>
          <span>
            <span class="dot small" />
            <span class="dot" /> the larger, the more links
          </span>
        </li>
        {unlinked > 0 && (
          <li>
            <span>
              <span class="dot none" /> below the map: no links <small>{unlinked}</small>
            </span>
          </li>
        )}
      </ul>
    </details>
  )
}

function LegendEntry({
  name,
  isRest = false,
  children,
}: Pick<Listed, 'name' | 'isRest'> & { readonly children: ComponentChildren }) {
  const { value: by } = coloredBy
  if (isRest || name === '/' || by === 'age') return <span>{children}</span>
  const show = (): void => {
    if (by === 'community' || by === 'region') showGroups(new Set([name]), by)
    else {
      const filter = by === 'tag' ? tag : folder
      filter.value = name
      writeAddress()
      map.view?.fit()
    }
  }
  const isOpen = openBy.value === by && openGroups.value.has(name)
  return (
    <button type="button" aria-pressed={isOpen} onClick={isOpen ? deselect : show}>
      {children}
    </button>
  )
}

function onKey(event: KeyboardEvent): void {
  if (event.key === 'Enter' && focused.value !== undefined) {
    pane.value = 'note'
    // The pane gets the focus in the next frame, because it appears only then.
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
  const next = towards(value, from, direction, shown.value)
  const id = next === undefined ? undefined : value.picture.ids[next]
  if (id === undefined) announcement.value = 'No linked note in that direction.'
  else void open(id)
}

function coveredIn(drawing: HTMLElement | null): readonly DOMRect[] {
  const over = drawing?.closest('.middle')?.querySelectorAll('.legend, .zoom, .growth, .crowded, .narrowed, .part, .depth') ?? []
  return [...over].map((one) => one.getBoundingClientRect())
}
