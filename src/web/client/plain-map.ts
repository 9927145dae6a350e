import { type Colored, colorsOf } from './colors.ts'
import { element } from './element.ts'
import { around, DIRECTIONS, type Graph, overviewBy, towards } from './graph.ts'
import { MapView } from './map-view.ts'

export interface Highlight {
  /**
   * The notes that are highlighted in addition to the note in focus and its neighbors. If there are none, all notes are
   * highlighted.
   */
  readonly notes?: Iterable<number> | undefined
  readonly path?: readonly number[]
  readonly focus?: number | undefined
}

export type PlainMap = ReturnType<typeof plainMap>

const NAMED = 6

/** @throws Error if the browser does not support canvas */
export function plainMap(parent: HTMLElement, isDark: boolean, onSelect: (note: number) => void) {
  const drawing = element('div', { className: 'drawing', tabIndex: 0, role: 'application', ariaRoleDescription: 'map of notes' })
  const tip = element('div', { className: 'tip', hidden: true })
  const legend = element('ul', { className: 'legend', ariaLabel: 'Colors' })
  let graph: Graph | undefined
  let shown = new Uint8Array()
  let colored: Colored | undefined
  let highlight: Highlight = {}
  let chosen: string | undefined
  parent.replaceChildren(drawing, tip)
  const view = new MapView(drawing, isDark, {
    onSelect: (note) => note !== undefined && onSelect(note),
    onHover(note, x, y) {
      tip.hidden = note === undefined
      tip.textContent = graph?.picture.titles[note ?? -1] ?? ''
      tip.style.left = `${x + 14}px`
      tip.style.top = `${y + 10}px`
    },
    covered: () => [zoom, legend].map((part) => part.getBoundingClientRect()),
  })
  const actions = [
    { key: '+', sign: '+', label: 'Zoom in', act: () => view.zoom(1.4) },
    { key: '-', sign: '−', label: 'Zoom out', act: () => view.zoom(1 / 1.4) },
    { key: '0', sign: '⤢', label: 'Show everything', act: () => view.fit() },
  ]
  const buttons = actions.map(({ sign, label, act }) =>
    element('button', { type: 'button', textContent: sign, ariaLabel: label, onclick: act }),
  )
  const zoom = element('div', { className: 'zoom' }, buttons)
  parent.append(zoom, legend)
  // Tests and developer tools read this property.
  Object.assign(drawing, { map: view })
  drawing.addEventListener('keydown', (event) => {
    const action = actions.find(({ key }) => key === event.key)
    const direction = DIRECTIONS[event.key]
    if (action !== undefined) action.act()
    else if (direction === undefined) return
    else if (graph === undefined || highlight.focus === undefined) view.pan(direction[0] * 0.2, direction[1] * 0.2)
    else {
      const next = towards(graph, highlight.focus, direction)
      if (next !== undefined) onSelect(next)
    }
    event.preventDefault()
  })
  const notesIn = (group: string): readonly number[] => [...shown.keys()].filter((note) => colored?.nameOf(note) === group)
  const draw = (of: Graph): void => {
    const groupedBy = overviewBy(of)
    colored = colorsOf(of, groupedBy, colored)
    const { notes = [], path = [], focus } = chosen === undefined ? highlight : { notes: notesIn(chosen), path: highlight.path }
    const lit = new Set([...notes, ...(focus === undefined ? [] : around(of, focus, 1))])
    legend.replaceChildren(
      ...colored.legend.slice(0, NAMED).map(({ name, color, notes: count, isRest = false }, at) => {
        const dot = element('span', { className: 'dot' })
        dot.style.background = color
        const label = [dot, element('bdi', { textContent: name }), ` ${count}`]
        if (isRest) return element('li', {}, label)
        const choose = (): void => {
          chosen = chosen === name ? undefined : name
          draw(of)
          legend.querySelectorAll('button')[at]?.focus()
          if (chosen === undefined) view.fit()
          else view.goTo(notesIn(name))
        }
        const entry = element('button', { type: 'button', ariaPressed: String(chosen === name), onclick: choose }, label)
        return element('li', {}, [entry])
      }),
    )
    // The legend has its final size now, so no name is drawn below it.
    view.show(of, { shown, groupedBy, colored, lit: lit.size === 0 ? undefined : lit, path, focus })
  }
  return {
    view,
    show(next: Graph, nextHighlight: Highlight): void {
      if (next !== graph) shown = new Uint8Array(next.count).fill(1)
      graph = next
      highlight = nextHighlight
      chosen = undefined
      drawing.ariaLabel = `Map of ${next.count} notes. Arrow keys go to linked notes.`
      draw(next)
    },
  }
}
