import { element } from './element.ts'
import { DIRECTIONS, type Graph, overviewBy, towards } from './graph.ts'
import { MapView } from './map-view.ts'

export interface Highlight {
  /** Highlighted notes, while the others are faded. By default, none are faded. */
  readonly lit?: ReadonlySet<number> | undefined
  readonly path: readonly number[]
  readonly focus?: number | undefined
}

export type PlainMap = ReturnType<typeof plainMap>

/** Maximum number of colors to name below the map. */
const NAMED = 6

/** Draws a map into an element, with tooltips, buttons, keys and a legend. @throws Error if there is no canvas */
export function plainMap(parent: HTMLElement, isDark: boolean, onSelect: (note: number) => void) {
  const drawing = element('div', { className: 'drawing', tabIndex: 0 })
  drawing.setAttribute('role', 'application')
  drawing.setAttribute('aria-roledescription', 'map of notes')
  const tip = element('div', { className: 'tip', hidden: true })
  const legend = element('ul', { className: 'legend', ariaLabel: 'Colours' })
  let graph: Graph | undefined
  let highlight: Highlight = { path: [] }
  /** The chosen entry of the legend. */
  let chosen: string | undefined
  parent.replaceChildren(drawing, tip)
  const view = new MapView(drawing, isDark, {
    onSelect(note) {
      if (note !== undefined) onSelect(note)
    },
    onHover(note, x, y) {
      tip.hidden = note === undefined
      tip.textContent = note === undefined ? '' : (graph?.picture.titles[note] ?? '')
      tip.style.left = `${x + 14}px`
      tip.style.top = `${y + 10}px`
    },
  })
  const button = (text: string, label: string, act: () => void) =>
    element('button', { type: 'button', textContent: text, ariaLabel: label, onclick: act })
  const buttons = [
    button('+', 'Zoom in', () => view.zoom(1.4)),
    button('−', 'Zoom out', () => view.zoom(1 / 1.4)),
    button('⤢', 'Show everything', () => view.fit()),
  ]
  parent.append(element('div', { className: 'zoom' }, buttons), legend)
  // Tests and developer tools use it to look up where notes are.
  Object.assign(drawing, { map: view })
  drawing.addEventListener('keydown', (event) => {
    const direction = DIRECTIONS[event.key]
    if (event.key === '+') view.zoom(1.4)
    else if (event.key === '-') view.zoom(1 / 1.4)
    else if (event.key === '0') view.fit()
    else if (direction !== undefined && graph !== undefined && highlight.focus !== undefined) {
      const next = towards(graph, highlight.focus, direction)
      if (next !== undefined) onSelect(next)
    } else if (direction !== undefined) view.pan(direction[0] * 0.2, direction[1] * 0.2)
    else return
    event.preventDefault()
  })
  const draw = (shownGraph: Graph): void => {
    const groupedBy = overviewBy(shownGraph)
    const look = {
      shown: new Uint8Array(shownGraph.count).fill(1),
      groupedBy,
      colouredBy: groupedBy,
      lit: highlight.lit,
      path: highlight.path,
      focus: highlight.focus,
    }
    const coloured = view.show(shownGraph, look)
    const notesOf = (group: string): readonly number[] =>
      [...Array(shownGraph.count).keys()].filter((note) => coloured.nameOf(note) === group)
    if (chosen !== undefined) view.show(shownGraph, { ...look, lit: new Set(notesOf(chosen)), focus: undefined })
    legend.replaceChildren(
      ...coloured.legend.slice(0, NAMED).map(({ name, colour, notes, isRest = false }, at) => {
        const dot = element('span', { className: 'dot' })
        dot.style.background = colour
        const label = [dot, element('bdi', { textContent: name }), ` ${notes}`]
        if (isRest) return element('li', {}, label)
        const choose = (): void => {
          chosen = chosen === name ? undefined : name
          draw(shownGraph)
          legend.querySelectorAll('button')[at]?.focus()
          if (chosen === undefined) view.fit()
          else view.goTo(notesOf(name))
        }
        const entry = element('button', { type: 'button', ariaPressed: String(chosen === name), onclick: choose }, label)
        return element('li', {}, [entry])
      }),
    )
  }
  return {
    show(next: Graph, nextHighlight: Highlight): void {
      graph = next
      highlight = nextHighlight
      chosen = undefined
      drawing.setAttribute('aria-label', `Map of ${next.count} notes. Arrow keys go to linked notes.`)
      draw(next)
    },
    goTo: (notes: readonly number[]) => view.goTo(notes),
    fit: () => view.fit(),
    setTheme: (dark: boolean) => view.setTheme(dark),
  }
}
