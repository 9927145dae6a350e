import { type Coloured, coloursOf, INDEX, PALETTE } from './colours.ts'
import { element } from './element.ts'
import { type ColourBy, type Graph, groupingBy, isElsewhere, neighbours } from './graph.ts'
import { type Area, areasOf, isInside } from './map-areas.ts'
import { fitInto } from './map-fit.ts'
import { Dots, type Label, Labels, NameLayer, type Words } from './map-labels.ts'
import {
  type Box,
  bent,
  type Camera,
  drawingOf,
  type Frame,
  type Highlight,
  type Look,
  type Mark,
  placeIn,
  pointIn,
  radiusIn,
  Scene,
  type Theme,
  type Tie,
} from './map-scene.ts'
import { svgOf } from './map-svg.ts'

/** The part of a graph to show, and its colors. */
export interface Wish extends Omit<Look, 'colours' | 'palette' | 'isColouredByGroup'> {
  readonly colouredBy: ColourBy
  /** The last colors of this vault, which groups keep. */
  readonly last?: Coloured | undefined
}

export interface MapEvents {
  /** Called when a note is clicked, or with `undefined` for an empty place. */
  onSelect(note: number | undefined, event: MouseEvent): void
  onHover(note: number | undefined, x: number, y: number): void
  /** Called for a menu about a note: of the right button on it, or of a key for the note in focus. */
  onMenu?(note: number, event: MouseEvent): void
  /** Called when the name of a partly drawn community is clicked. */
  onGroup?(label: string): void
  /** Returns the elements that cover the canvas, where no names are drawn. */
  covered?(): readonly DOMRect[]
}

interface Group {
  readonly label: string
  readonly notes: number
  /** Palette index of the notes. */
  readonly colour: number
  /** The middle of its area, or the position of the note closest to the middle. */
  readonly x: number
  readonly y: number
  readonly area: Area | undefined
}

/** Everything is drawn after this many milliseconds without movement. */
const STILL_MS = 140
/** A note is hovered after this many milliseconds. A pointer that only crosses it changes nothing. */
const HOVER_MS = 80
/** Duration of a change of highlight, and of a flight, in milliseconds. */
const FADE_MS = 150
const FLIGHT_MS = 350
/** Duration of a change of the layout, in milliseconds. */
const GLIDE_MS = 300
/** A map that has grown by more than this factor is fitted into the view again, unless the user has moved the view. */
const GROWN = 1.2
/** Opacity of everything that is not highlighted. */
const DIMMED = 0.12
const FONT = "'Inter Variable', system-ui, sans-serif"
/**
 * Maximum number of names at once, and while the whole map is in a window of `area` square pixels: of groups, of notes on a map of up
 * to `few` notes, and of notes on a larger one.
 */
const NAMED = { most: 160, groups: 11, few: 100, ofFew: 100, ofMany: 15, around: 40, area: 900_000 }
/** From this radius in pixels, notes are recognizable individually. */
const SEEN = 2.5
/** From this radius in pixels, a note is too large to be covered by a name. */
const WIDE = 8
/** How much of small notes a name may hide: less than one of them. */
const HIDDEN = 10
/** Up to this many notes, names of groups are next to their notes rather than on them. */
const FEW = 300
/** Minimum distance in pixels between the name of a group beside its notes and the sides of the view. */
const EDGE = 12
/** Sizes of the names of groups in pixels, by the number of their notes. On small maps and in windows below `narrow`, all have the least. */
const GROUP_FONT = { least: 14, most: 19, narrow: 700 }
/** The colors of remarks. */
const MARKS: Readonly<Record<Mark | 'gained' | 'lost' | 'gap', string>> = {
  problem: '#d7263d',
  lost: '#d7263d',
  added: '#2a9d4a',
  gained: '#2a9d4a',
  edited: '#c98a00',
  gap: '#8b5fbf',
}
/** Duration of a pulse, in milliseconds. */
const PULSE_MS = 1_200
/** Maximum scale to fit notes at, in pixels per unit. */
const NEAREST = 60

/**
 * Draws a graph on a canvas. Notes, links and names are drawn once to images, which are then only moved or faded. Nothing is drawn
 * while nothing moves.
 */
export class MapView {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #whole = new Scene()
  readonly #names = new NameLayer()
  /** The highlighted notes, on top of the dimmed ones. */
  readonly #part = new Scene()
  readonly #partNames = new NameLayer()
  readonly #events: MapEvents
  #graph: Graph | undefined
  #look: Look | undefined
  #theme: Theme
  #camera: Camera = { x: 0, y: 0, scale: 1 }
  #frame = 0
  #still: ReturnType<typeof setTimeout> | undefined
  #hovered: number | undefined
  #hoverSoon: ReturnType<typeof setTimeout> | undefined
  /** The note that is hovered next. */
  #hoverNext: number | undefined
  #highlight: Highlight | undefined
  /** The highlight in view, which outlasts `#highlight` while it fades. */
  #shownHighlight: Highlight | undefined
  /** How far it is faded in, 0–1, and when that was computed. */
  #shade = 0
  #shadedAt = 0
  readonly #widths = new Map<string, number>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  #moved = 0
  #isMoved = false
  /** Names of communities in the last frame. */
  #groupNames: readonly Label[] = []
  #flight = 0
  #gliding = 0
  /** Scale and number of notes when the whole map was last fitted into the view. */
  #wholeScale = 1
  #wholeCount = 0
  /** Restores what was last brought into view, until the user moves the view. */
  #goal: (() => void) | undefined

  constructor(canvas: HTMLCanvasElement, isDark: boolean, events: MapEvents) {
    this.#canvas = canvas
    const context = canvas.getContext('2d', drawingOf())
    if (context === null) throw new Error('This browser draws no canvas.')
    this.#context = context
    this.#theme = themeOf(isDark)
    this.#events = events
    canvas.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false })
    canvas.addEventListener('pointerdown', (event) => this.#onDown(event))
    canvas.addEventListener('pointermove', (event) => this.#onMove(event))
    canvas.addEventListener('pointerup', (event) => this.#onUp(event))
    canvas.addEventListener('pointercancel', (event) => this.#pointers.delete(event.pointerId))
    canvas.addEventListener('contextmenu', (event) => this.#onContextMenu(event))
    canvas.addEventListener('pointerleave', () => this.#hover(undefined, 0, 0))
    new ResizeObserver(() => this.#resize()).observe(canvas)
    this.#resize()
  }

  /**
   * Shows a graph, and returns its colors. The first one is fitted into the view. Later ones leave the view unchanged, unless most
   * notes have moved.
   */
  show(graph: Graph, { colouredBy, last, ...wish }: Wish): Coloured {
    const coloured = coloursOf(graph, colouredBy, last)
    const look: Look = { ...wish, colours: coloured.colours, palette: PALETTE, isColouredByGroup: colouredBy === wish.groupedBy }
    const before = this.#graph
    const lookBefore = this.#look
    const isNew = before === undefined || isElsewhere(before, graph)
    this.#graph = graph
    this.#look = look
    if (before !== graph || lookBefore?.shown !== look.shown || lookBefore.colours !== look.colours) this.#forget()
    this.#names.forget()
    this.#choose()
    cancelAnimationFrame(this.#gliding)
    // While a vault is read for the first time, its map grows.
    const hasGrown = !this.#isMoved && graph.count > GROWN * this.#wholeCount
    if (isNew || hasGrown) this.fit()
    if (isNew && before !== undefined && !isCalm()) this.#glide(before, graph)
    this.#ask()
    return coloured
  }

  /** Lets the user save the map as it is in view. */
  save(name: string, format: 'PNG' | 'SVG'): void {
    const labels = this.draw()
    const frame = this.#frameNow()
    const download = (picture: Blob | null): void => {
      if (picture === null) return
      const href = URL.createObjectURL(picture)
      element('a', { href, download: `${name}.${format.toLowerCase()}` }).click()
      URL.revokeObjectURL(href)
    }
    if (format === 'PNG') this.#canvas.toBlob(download)
    else if (frame !== undefined) download(new Blob([svgOf(frame, labels, this.#highlight)], { type: 'image/svg+xml' }))
  }

  /** Moves the notes from their positions on one map to those on the next. */
  #glide(from: Graph, to: Graph): void {
    const began = performance.now()
    const start = to.places.slice()
    for (const [id, note] of to.numberOf) {
      const was = from.numberOf.get(id)
      if (was !== undefined) start.set(from.places.subarray(was * 2, was * 2 + 2), note * 2)
    }
    const step = (): void => {
      const share = Math.min(1, (performance.now() - began) / GLIDE_MS)
      const eased = 1 - (1 - share) ** 3
      const places = start.map((place, at) => place + ((to.places[at] ?? 0) - place) * eased)
      this.#graph = share === 1 ? to : { ...to, places }
      this.#forget()
      this.#ask()
      if (share < 1) this.#gliding = requestAnimationFrame(step)
    }
    step()
  }

  /** Adapts to changed elements that cover the map, and to a font that has loaded. */
  refresh(): void {
    this.#widths.clear()
    this.#names.forget()
    this.#partNames.forget()
    this.#goal?.()
    this.#ask()
  }

  setTheme(isDark: boolean): void {
    this.#theme = themeOf(isDark)
    this.#forget()
    this.#ask()
  }

  #forget(): void {
    for (const layer of [this.#whole, this.#part, this.#names, this.#partNames]) layer.forget()
  }

  /** Fits the visible notes into the view. */
  fit(): void {
    if (this.#graph === undefined) return
    this.#goal = () => this.fit()
    const camera = this.#around(this.#shownNotes())
    this.#wholeScale = camera.scale
    this.#wholeCount = this.#graph.count
    this.#moveTo(camera)
  }

  #shownNotes(): readonly number[] {
    return [...Array(this.#graph?.count ?? 0).keys()].filter((note) => this.#look?.shown[note] !== 0)
  }

  /** Brings notes into view. */
  goTo(notes: readonly number[]): void {
    if (notes.length === 0) return
    this.#isMoved = true
    this.#goal = () => this.#moveTo(this.#around(notes))
    this.#fly(this.#around(notes))
  }

  zoom(factor: number): void {
    this.#leaveGoal()
    const { width, height } = this.#size()
    this.#zoomAt(factor, width / 2, height / 2)
  }

  /** Moves the view by a fraction of its size. */
  pan(x: number, y: number): void {
    this.#leaveGoal()
    const { width, height } = this.#size()
    this.#moveTo({
      ...this.#camera,
      x: this.#camera.x + (x * width) / this.#camera.scale,
      y: this.#camera.y + (y * height) / this.#camera.scale,
    })
  }

  /** Draws immediately and returns the names, so tests can check for overlaps. */
  draw(): readonly Label[] {
    const frame = this.#frameNow()
    if (frame === undefined) return []
    const { width, height, ratio, theme } = frame
    const context = this.#context
    const isMoving = this.#still !== undefined
    const shade = this.#fade()
    const highlight = this.#shownHighlight
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = theme.ground
    // Covers the last pixel completely, because a partial one would show through.
    context.fillRect(0, 0, Math.ceil(width) + 1, Math.ceil(height) + 1)
    context.globalAlpha = 1 - (1 - DIMMED) * shade
    this.#whole.place(context, frame, { isMoving })
    if (highlight !== undefined) {
      context.globalAlpha = shade
      this.#part.place(context, frame, { isMoving, highlight })
    }
    context.globalAlpha = 1
    this.#drawMarks(frame)
    if (shade < 1) {
      context.globalAlpha = 1 - shade
      this.#names.place(context, frame, { isMoving, write: (on) => this.#writeNames(on, frame) })
    }
    if (highlight !== undefined) {
      context.globalAlpha = shade
      this.#partNames.place(context, frame, { isMoving, write: (on) => this.#writeNamesOf(on, frame, highlight) })
    }
    context.globalAlpha = 1
    const isPulsing = frame.look.pulse !== undefined && !isCalm()
    if (isPulsing || shade !== Number(this.#highlight !== undefined)) this.#ask()
    return this.#namesNow.placed
  }

  #frameNow(): Frame | undefined {
    if (this.#graph === undefined || this.#look === undefined) return undefined
    const ratio = this.#ratio()
    return { graph: this.#graph, look: this.#look, theme: this.#theme, camera: this.#camera, ratio, ...this.#size() }
  }

  /** Returns how far the highlight is faded in by now, 0–1. */
  #fade(): number {
    const now = performance.now()
    const goal = Number(this.#highlight !== undefined)
    const most = isCalm() ? 1 : (now - this.#shadedAt) / FADE_MS
    this.#shade = goal > this.#shade ? Math.min(goal, this.#shade + most) : Math.max(goal, this.#shade - most)
    this.#shadedAt = now
    if (this.#shade === 0) this.#shownHighlight = undefined
    return this.#shade
  }

  /** Chooses what to highlight: what is around the hovered note, or else what the look says. */
  #choose(): void {
    const graph = this.#graph
    const look = this.#look
    const centre = this.#hovered ?? (look?.lit === undefined ? look?.focus : undefined)
    const before = this.#highlight
    if (graph === undefined || look === undefined) this.#highlight = undefined
    else if (centre !== undefined) this.#highlight = { notes: new Set([centre, ...neighbours(graph, centre)]), centre }
    else this.#highlight = look.lit && { notes: look.lit, centre: undefined }
    if (this.#highlight !== undefined) this.#shownHighlight = this.#highlight
    if ((before === undefined) !== (this.#highlight === undefined)) this.#shadedAt = performance.now()
    this.#partNames.forget()
  }

  get #namesNow(): NameLayer {
    return this.#highlight === undefined ? this.#names : this.#partNames
  }

  /** The position of each note in the view, by id. */
  spots(): ReadonlyMap<string, readonly [x: number, y: number]> {
    const frame = this.#frameNow()
    return new Map(frame?.graph.picture.ids.map((id, note) => [id, placeIn(frame, note)]))
  }

  /** Number of labels in the last frame. */
  get labels(): number {
    return this.#namesNow.placed.length
  }

  get size(): { readonly notes: number; readonly links: number } {
    return { notes: this.#graph?.count ?? 0, links: (this.#graph?.pairs.length ?? 0) / 2 }
  }

  /** True if the user moved the view or brought a part into view. */
  get isMoved(): boolean {
    return this.#isMoved
  }

  /** True if everything is drawn and no frame is requested. */
  get isStill(): boolean {
    return this.#frame === 0 && this.#still === undefined && this.#hoverSoon === undefined && this.#graph !== undefined
  }

  /** Width of the view divided by its height. */
  get aspect(): number {
    const { width, height } = this.#size()
    return width / height
  }

  get camera(): Readonly<Camera> {
    return this.#camera
  }

  /** Once the user has moved the view, it no longer returns to an earlier goal. */
  #leaveGoal(): void {
    this.#goal = undefined
    this.#isMoved = true
  }

  #ask(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.draw()
    })
  }

  #moveTo(camera: Camera): void {
    this.#camera = camera
    // The note moves away from under the pointer.
    this.#hover(undefined, 0, 0)
    clearTimeout(this.#still)
    this.#still = setTimeout(() => {
      this.#still = undefined
      this.#ask()
    }, STILL_MS)
    this.#ask()
  }

  #fly(goal: Camera): void {
    cancelAnimationFrame(this.#flight)
    if (isCalm()) {
      this.#moveTo(goal)
      return
    }
    const from = { ...this.#camera }
    const began = performance.now()
    const step = (): void => {
      const share = Math.min(1, (performance.now() - began) / FLIGHT_MS)
      const eased = 1 - (1 - share) ** 3
      this.#moveTo({
        x: from.x + (goal.x - from.x) * eased,
        y: from.y + (goal.y - from.y) * eased,
        scale: from.scale * (goal.scale / from.scale) ** eased,
      })
      if (share < 1) this.#flight = requestAnimationFrame(step)
    }
    step()
  }

  /** Draws a path, what lists say, and rings around the hovered note and the one in focus. */
  #drawMarks(frame: Frame): void {
    const context = this.#context
    const { look, theme } = frame
    const ring = (note: number | undefined, colour: string, gap = 3): void => {
      if (note === undefined || look.shown[note] === 0) return
      context.strokeStyle = colour
      context.beginPath()
      context.arc(...placeIn(frame, note), radiusIn(frame, note) + gap, 0, 7)
      context.stroke()
    }
    context.strokeStyle = theme.accent
    if (look.path.length > 1) {
      context.lineWidth = 3
      context.beginPath()
      for (const note of look.path) context.lineTo(...placeIn(frame, note))
      context.stroke()
    }
    context.lineWidth = 2.5
    for (const tie of look.ties ?? []) this.#drawTie(frame, tie)
    for (const [note, mark] of look.marks ?? []) ring(note, MARKS[mark])
    for (const note of [look.focus, this.#hovered, look.pulse]) ring(note, theme.accent)
    const phase = isCalm() ? 0 : (performance.now() % PULSE_MS) / PULSE_MS
    context.globalAlpha = 1 - phase
    ring(look.pulse, theme.accent, 5 + 14 * phase)
    context.globalAlpha = 1
  }

  /** Draws an arrowhead at the end of a step of a path, or an arc between two notes, dashed where there is no link. */
  #drawTie(frame: Frame, { from, to, kind }: Tie<number>): void {
    const context = this.#context
    const [x, y] = placeIn(frame, from)
    const [toX, toY] = placeIn(frame, to)
    context.beginPath()
    if (kind === 'step') {
      const angle = Math.atan2(toY - y, toX - x)
      const at = (back: number, aside: number): [x: number, y: number] => [
        toX - back * Math.cos(angle) - aside * Math.sin(angle),
        toY - back * Math.sin(angle) + aside * Math.cos(angle),
      ]
      const gap = radiusIn(frame, to) + 3
      for (const [back, aside] of [[gap, 0] as const, [gap + 13, 7] as const, [gap + 13, -7] as const])
        context.lineTo(...at(back, aside))
      context.fillStyle = this.#theme.accent
      context.fill()
      return
    }
    context.setLineDash(kind === 'gained' ? [] : [7, 5])
    context.strokeStyle = MARKS[kind]
    context.moveTo(x, y)
    context.quadraticCurveTo(...bent(x, y, toX, toY, 0.18), toX, toY)
    context.stroke()
    context.setLineDash([])
  }

  /** Writes the names of groups, and then of notes. */
  #writeNames(on: CanvasRenderingContext2D, frame: Frame): readonly Label[] {
    const { graph } = frame
    const writing: Writing = { on, frame, labels: this.#labelsIn(frame) }
    this.#groupNames = this.#labelGroups(writing)
    // A group is named after one of its notes. On a large map, that name is not drawn twice, unless a large dot would have none.
    const named = new Set(graph.count < FEW ? [] : this.#groupNames.map(({ text }) => text))
    const most = writing.labels.placed.length + this.#mostNames(graph.count <= NAMED.few ? NAMED.ofFew : NAMED.ofMany, 2)
    for (const note of worthALabel(frame, this.#byLinks(graph))) {
      if (writing.labels.placed.length >= most) break
      if (frame.look.colours[note] === INDEX || !named.has(graph.picture.titles[note] ?? '')) this.#labelNote(note, writing)
    }
    return writing.labels.placed
  }

  /** Writes the names of highlighted notes: the most important ones first, in bold. */
  #writeNamesOf(on: CanvasRenderingContext2D, frame: Frame, highlight: Highlight): readonly Label[] {
    const { look, graph } = frame
    const writing: Writing = { on, frame, labels: this.#labelsIn(frame, highlight) }
    this.#groupNames = []
    const wanted = [highlight.centre, ...look.path, look.focus].filter((note) => note !== undefined)
    const first = new Set(wanted.filter((note) => highlight.notes.has(note)))
    for (const note of first) this.#labelNote(note, { ...writing, isBold: true })
    const notes = [...highlight.notes].sort((a, b) => (graph.degrees[b] ?? 0) - (graph.degrees[a] ?? 0) || a - b)
    const most = this.#mostNames(NAMED.around, 2)
    for (const note of worthALabel(frame, notes)) {
      if (writing.labels.placed.length >= most) break
      if (!first.has(note)) this.#labelNote(note, writing)
    }
    return writing.labels.placed
  }

  /** Returns the maximum number of names. `whole`: while the whole map is in view. `power`: how fast it grows with the scale. */
  #mostNames(whole: number, power: 1 | 2): number {
    const { width, height } = this.#size()
    const room = Math.min(1.3, Math.sqrt((width * height) / NAMED.area))
    const nearer = Math.max(1, this.#camera.scale / this.#wholeScale) ** power
    return Math.min(NAMED.most, Math.round(whole * room * nearer))
  }

  /** Returns an empty set of labels for a frame, with the places that they must not cover. */
  #labelsIn(frame: Frame, highlight?: Highlight): Labels {
    const [small, large] = [new Dots(frame.width, frame.height), new Dots(frame.width, frame.height)]
    for (const note of highlight?.notes ?? frame.graph.degrees.keys()) {
      const radius = radiusIn(frame, note)
      if (frame.look.shown[note] === 0 || radius < SEEN) continue
      const [x, y] = placeIn(frame, note)
      // The square inside the circle.
      const half = radius * 0.8
      ;(radius < WIDE ? small : large).add([x - half, y - half, x + half, y + half])
    }
    return new Labels(frame, { covered: this.#covered(), large, small })
  }

  /** Returns where elements cover the view. */
  #covered(): readonly Box[] {
    const { left, top } = this.#canvas.getBoundingClientRect()
    const covered = this.#events.covered?.() ?? []
    return covered.map((one) => [one.left - left, one.top - top, one.right - left, one.bottom - top])
  }

  #labelNote(note: number, { on, frame, labels, isBold = false }: Writing): void {
    if (frame.look.shown[note] === 0) return
    const [x, y] = placeIn(frame, note)
    const font = `${isBold ? 650 : 400} 12.5px ${FONT}`
    const text = this.#shortened(frame.graph.picture.titles[note] ?? '')
    const width = this.#widthOf(text, font)
    const words: Words = { text, width, height: 17 }
    const gap = radiusIn(frame, note) + 4
    const [slant, high] = [gap * 0.7, gap * 0.7 + 6]
    // Next to the note, or below, above or diagonal to it.
    const near: readonly (readonly [x: number, y: number])[] = [
      [x + gap, y],
      [x - gap - width, y],
      [x - width / 2, y + gap + 7],
      [x - width / 2, y - gap - 7],
      [x + slant, y + high],
      [x + slant, y - high],
      [x - slant - width, y + high],
      [x - slant - width, y - high],
    ]
    // The selected note is labelled wherever there is room close to it.
    const further = (isBold ? [0, 18, 36] : []).flatMap((more) =>
      [gap + 7 + more, -gap - 7 - more].map((off) => [this.#within(x - width / 2, width), y + off] as const),
    )
    const mayHide =
      isBold || frame.look.colours[note] === INDEX ? Number.POSITIVE_INFINITY : frame.graph.count > NAMED.few ? HIDDEN : 0
    const box = labels.place(words, near, mayHide) ?? labels.place(words, further, mayHide)
    if (box !== undefined) write(on, text, { box, font, colour: this.#theme.text, edge: this.#theme.ground })
  }

  /** Shortens a title to a single line that is not too long, especially in a narrow view. */
  #shortened(title: string): string {
    const line = title.replace(/\s+/g, ' ')
    const most = Math.max(12, Math.min(42, Math.floor(this.#size().width / 10)))
    // Does not split surrogate pairs.
    return line.length > most ? `${[...line.slice(0, 2 * most)].slice(0, most - 2).join('')}…` : line
  }

  /** Moves a start so that the whole width is in view. */
  #within(left: number, width: number): number {
    return Math.min(this.#size().width - width - 4, Math.max(4, left))
  }

  #labelGroups({ on, frame, labels }: Writing): readonly Label[] {
    const { graph, look } = frame
    const names: Label[] = []
    const groups = this.#groups(graph, look)
    const most = this.#mostNames(NAMED.groups, 1)
    for (const { label, colour, x, y, area, notes } of groups) {
      if (names.length >= most) break
      const share = Math.sqrt(notes / (groups[0]?.notes ?? 1))
      const isOther = colour === look.palette.length - 1
      const isSmall = isOther || graph.count < FEW || frame.width < GROUP_FONT.narrow
      const size = GROUP_FONT.least + (isSmall ? 0 : (GROUP_FONT.most - GROUP_FONT.least) * share)
      const font = `${isOther ? 600 : 700} ${size.toFixed(1)}px ${FONT}`
      const text = this.#shortened(label)
      const words: Words = { text, width: this.#widthOf(text, font), height: size + 4 }
      const [middle, line] = pointIn(frame, x, y)
      // A name whose center is in view is moved completely into view. Others are not drawn.
      if (middle < 0 || middle > frame.width) continue
      // If another name or a large note is already there, uses the lines above and below it, and then positions beside them.
      const onNotes = [0, -size, size, -2 * size, 2 * size, -3 * size, 3 * size].map((off) => line + off)
      const within = [0, -50, 50].flatMap((aside) => onNotes.map((at) => [middle + aside, at] as const))
      const wishes = (all: readonly (readonly [x: number, y: number])[]) =>
        all.map(([at, down]) => [this.#within(at - words.width / 2, words.width), down] as const)
      const beside = graph.count < FEW && area !== undefined ? besideArea(frame, area, words) : []
      const box = labels.place(words, wishes(beside), 0) ?? labels.place(words, wishes(within), Number.POSITIVE_INFINITY)
      if (box === undefined) continue
      write(on, text, { box, font, colour: mixed(look.palette[colour] ?? '', this.#theme.text), edge: this.#theme.ground })
      names.push({ text: label, box })
    }
    return names
  }

  #groupCache: { readonly key: readonly unknown[]; readonly groups: readonly Group[] } | undefined

  #groups(graph: Graph, look: Look): readonly Group[] {
    const key = [graph, look.shown, look.colours, look.groupedBy]
    if (this.#groupCache?.key.every((one, at) => one === key[at]) !== true)
      this.#groupCache = { key, groups: groupsOf(graph, look) }
    return this.#groupCache?.groups ?? []
  }

  #order: { readonly graph: Graph; readonly notes: readonly number[] } | undefined

  #byLinks(graph: Graph): readonly number[] {
    if (this.#order?.graph !== graph) {
      this.#order = {
        graph,
        notes: [...graph.degrees.keys()].sort((a, b) => (graph.degrees[b] ?? 0) - (graph.degrees[a] ?? 0) || a - b),
      }
    }
    return this.#order.notes
  }

  #widthOf(text: string, font: string): number {
    const key = `${font} ${text}`
    const known = this.#widths.get(key)
    if (known !== undefined) return known
    this.#context.font = font
    const { width } = this.#context.measureText(text)
    if (this.#widths.size > 20_000) this.#widths.clear()
    this.#widths.set(key, width)
    return width
  }

  #around(notes: readonly number[]): Camera {
    const places = this.#graph?.places
    const points = notes.flatMap((note) => [places?.[note * 2] ?? 0, places?.[note * 2 + 1] ?? 0])
    return fitInto(points, { ...this.#size(), covered: this.#covered(), most: NEAREST })
  }

  #sizeCache = { width: 1, height: 1 }

  #size(): { readonly width: number; readonly height: number } {
    return this.#sizeCache
  }

  #ratio(): number {
    return Math.min(2, globalThis.devicePixelRatio || 1)
  }

  #resize(): void {
    const { width, height } = this.#canvas.getBoundingClientRect()
    this.#sizeCache = { width: Math.max(1, width), height: Math.max(1, height) }
    this.#canvas.width = Math.round(width * this.#ratio())
    this.#canvas.height = Math.round(height * this.#ratio())
    this.#forget()
    this.#goal?.()
    this.#ask()
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault()
    this.#leaveGoal()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    this.#zoomAt(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY)
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const { width, height } = this.#size()
    const { x: cx, y: cy, scale } = this.#camera
    const next = Math.min(120, Math.max(0.02, scale * factor))
    // The point under the pointer stays in place.
    const dx = (x - width / 2) * (1 / scale - 1 / next)
    const dy = (y - height / 2) * (1 / scale - 1 / next)
    this.#moveTo({ x: cx + dx, y: cy + dy, scale: next })
  }

  #onDown(event: PointerEvent): void {
    // The other buttons open menus and tabs.
    if (event.button > 1) return
    this.#canvas.setPointerCapture(event.pointerId)
    cancelAnimationFrame(this.#flight)
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY })
    this.#moved = 0
  }

  #onMove(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId)
    if (before === undefined) {
      const { offsetX: x, offsetY: y } = event
      const isOnName = this.#groupAt(x, y) !== undefined
      this.#hoverLater(isOnName ? undefined : this.#noteAt(x, y), x, y)
      this.#canvas.style.cursor = isOnName || this.#hoverNext !== undefined ? 'pointer' : 'grab'
      return
    }
    const [other] = [...this.#pointers].flatMap(([id, point]) => (id === event.pointerId ? [] : [point]))
    const now = { x: event.offsetX, y: event.offsetY }
    this.#pointers.set(event.pointerId, now)
    this.#moved += Math.hypot(now.x - before.x, now.y - before.y)
    this.#leaveGoal()
    if (other === undefined) {
      const { x, y, scale } = this.#camera
      this.#moveTo({ x: x - (now.x - before.x) / scale, y: y - (now.y - before.y) / scale, scale })
    } else {
      const was = Math.hypot(before.x - other.x, before.y - other.y)
      const is = Math.hypot(now.x - other.x, now.y - other.y)
      if (was > 0) this.#zoomAt(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2)
    }
  }

  #onUp(event: PointerEvent): void {
    const isClick = this.#pointers.size === 1 && this.#moved < 5
    this.#pointers.delete(event.pointerId)
    if (!isClick) return
    const name = this.#groupAt(event.offsetX, event.offsetY)
    const note = name === undefined ? this.#noteAt(event.offsetX, event.offsetY) : undefined
    // A panel may now cover the map, in which case the pointer never leaves it.
    this.#hover(undefined, 0, 0)
    if (name === undefined) this.#events.onSelect(note, event)
    else this.#events.onGroup?.(name)
  }

  #onContextMenu(event: MouseEvent): void {
    // A key has no position.
    const note = event.button === 2 ? this.#noteAt(event.offsetX, event.offsetY) : this.#look?.focus
    if (note === undefined || this.#events.onMenu === undefined) return
    event.preventDefault()
    this.#hover(undefined, 0, 0)
    this.#events.onMenu(note, event)
  }

  /** Hovers a note, or none, at once. */
  #hover(note: number | undefined, x: number, y: number): void {
    clearTimeout(this.#hoverSoon)
    this.#hoverSoon = undefined
    this.#hoverNext = note
    if (note === this.#hovered) return
    this.#hovered = note
    this.#events.onHover(note, x, y)
    this.#choose()
    this.#ask()
  }

  /** Hovers a note, or none, if the pointer stays there for a moment. */
  #hoverLater(note: number | undefined, x: number, y: number): void {
    if (note === this.#hoverNext) return
    clearTimeout(this.#hoverSoon)
    this.#hoverNext = note
    this.#hoverSoon = setTimeout(() => this.#hover(note, x, y), HOVER_MS)
  }

  /** Returns the community whose name is at a position of the view. If all notes are drawn, names are not clickable. */
  #groupAt(x: number, y: number): string | undefined {
    if (this.#graph === undefined || this.#graph.notes === this.#graph.vault.notes) return undefined
    return this.#groupNames.find(({ box: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom)
      ?.text
  }

  /** Returns the note at a position of the view, with tolerance for fingers and small dots. */
  #noteAt(x: number, y: number): number | undefined {
    const frame = this.#frameNow()
    if (frame === undefined) return undefined
    let best: number | undefined
    let least = 6
    for (let note = 0; note < frame.graph.count; note++) {
      if (frame.look.shown[note] === 0) continue
      const [left, top] = placeIn(frame, note)
      const distance = Math.hypot(left - x, top - y) - radiusIn(frame, note)
      if (distance < least) {
        least = distance
        best = note
      }
    }
    return best
  }
}

/** Where names are written, and what is written already. */
interface Writing {
  readonly on: CanvasRenderingContext2D
  readonly frame: Frame
  readonly labels: Labels
  readonly isBold?: boolean
}

interface Ink {
  readonly box: Box
  readonly font: string
  readonly colour: string
  /** Color of the edge that separates the text from what is below it. */
  readonly edge: string
}

function write(context: CanvasRenderingContext2D, text: string, { box: [left, top, , bottom], font, colour, edge }: Ink): void {
  const middle = (top + bottom) / 2
  context.font = font
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 3
  context.strokeStyle = edge
  context.strokeText(text, left, middle)
  context.fillStyle = colour
  context.fillText(text, left, middle)
}

/** Mixes two colors (`#rrggbb`), so a name in a group's color can be read. */
function mixed(a: string, b: string): string {
  const part = (from: number): string => {
    const [x, y] = [a, b].map((colour) => Number.parseInt(colour.slice(from, from + 2), 16))
    return Math.round(0.6 * (x ?? 0) + 0.4 * (y ?? 0))
      .toString(16)
      .padStart(2, '0')
  }
  return `#${part(1)}${part(3)}${part(5)}`
}

/** Returns centers for a name around an area and in no other one: above it first, then below, then beside it. */
function besideArea(frame: Frame, area: Area, { width, height }: Words): readonly (readonly [x: number, y: number])[] {
  const { graph, look, camera } = frame
  const others = areasOf(graph, look).filter((one) => one !== area)
  const isFree = (x: number, y: number): boolean => {
    const [atX, atY] = [camera.x + (x - frame.width / 2) / camera.scale, camera.y + (y - frame.height / 2) / camera.scale]
    return !others.some((one) => isInside(one, atX, atY))
  }
  const corners = area.outline.flatMap((_, at, all) => (at % 8 === 0 ? [pointIn(frame, all[at] ?? 0, all[at + 1] ?? 0)] : []))
  const [middleX = 0, middleY = 0] = [0, 1].map(
    (axis) => corners.reduce((sum, corner) => sum + (corner[axis] ?? 0), 0) / corners.length,
  )
  return corners
    .map(([x, y]) => {
      const away = Math.hypot(x - middleX, y - middleY) || 1
      const [dx, dy] = [(x - middleX) / away, (y - middleY) / away]
      return { x: x + dx * (width / 2 + 6), y: y + dy * (height / 2 + 4), cost: dy < 0 ? 1 + dy : 1.3 - dy }
    })
    .filter(
      ({ x, y }) =>
        Math.abs(x - frame.width / 2) < (frame.width - width) / 2 - EDGE &&
        [-0.3, 0, 0.3].every((side) => isFree(x + side * width, y)),
    )
    .sort((a, b) => a.cost - b.cost)
    .map(({ x, y }) => [x, y] as const)
}

/** Yields those of the notes that are in view. */
function* worthALabel(frame: Frame, notes: readonly number[]): Generator<number> {
  let looked = 0
  for (const note of notes) {
    if (frame.look.shown[note] === 0) continue
    const [x, y] = placeIn(frame, note)
    if (x < 0 || y < 0 || x > frame.width || y > frame.height) continue
    if (looked++ > 600) return
    yield note
  }
}

function themeOf(isDark: boolean): Theme {
  return isDark
    ? { ground: '#131519', text: '#e8e6e3', link: '#aab4c4', accent: '#ffb454', area: 0.14 }
    : { ground: '#fcfbf9', text: '#1d2129', link: '#5b6675', accent: '#c2410c', area: 0.11 }
}

/** True if the user wants no motion. */
function isCalm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Returns the groups of visible notes, largest first. */
function groupsOf(graph: Graph, look: Look): readonly Group[] {
  const { places } = graph
  const { shown, colours, groupedBy, isColouredByGroup } = look
  const areas = areasOf(graph, look)
  const { of, groups } = groupingBy(graph, groupedBy)
  const members = groups.map((): number[] => [])
  for (let note = 0; note < graph.count; note++) if (shown[note] === 1) members[of[note] ?? -1]?.push(note)
  return members
    .flatMap((notes, group) => (notes.length === 0 ? [] : [{ label: groups[group]?.label ?? '', notes }]))
    .sort((a, b) => b.notes.length - a.notes.length)
    .map(({ label, notes }) => {
      const linked = notes.filter((note) => (graph.degrees[note] ?? 0) > 0)
      const near = linked.length === 0 ? notes : linked
      const [xs, ys] = [0, 1].map((axis) => near.map((note) => places[note * 2 + axis] ?? 0).sort((a, b) => a - b))
      // Notes without links lie elsewhere. Uses the median, because a community can be in two places and its name belongs to one of them.
      const [x = 0, y = 0] = [xs, ys].map((sorted) => sorted?.[Math.floor(near.length / 2)])
      const distance = (note: number): number => Math.hypot((places[note * 2] ?? 0) - x, (places[note * 2 + 1] ?? 0) - y)
      const nearest = notes.reduce((best, note) => (distance(note) < distance(best) ? note : best), notes[0] ?? 0)
      const colour = colours[nearest] ?? 0
      const area = isColouredByGroup ? areas.find((one) => one.colour === colour) : undefined
      const [atX = 0, atY = 0] = [0, 1].map((axis) => {
        const along = area?.outline.filter((_, at) => at % 2 === axis) ?? [places[nearest * 2 + axis] ?? 0]
        return along.reduce((sum, one) => sum + one, 0) / along.length
      })
      return { label, notes: notes.length, colour, x: atX, y: atY, area }
    })
}
