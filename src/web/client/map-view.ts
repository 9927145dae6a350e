import { type Coloured, coloursOf, mixed, PALETTE } from './colours.ts'
import { element } from './element.ts'
import { type ColourBy, type Graph, groupingBy, isElsewhere, isIndex, neighbours, placeOf } from './graph.ts'
import { areasOf, boundsOfMost, landPartsOf, partsWithin } from './map-areas.ts'
import { fitInto } from './map-fit.ts'
import { type Box, Dots, EDGE, type Label, Labels, type Point, type Words, wrapped } from './map-labels.ts'
import {
  ARC_BEND,
  bandsIn,
  bent,
  type Camera,
  closestTo,
  coverNotes,
  drawAll,
  FEW,
  type Frame,
  farnessOf,
  groundAt,
  type Highlight,
  HUB,
  type Look,
  type Mark,
  placeIn,
  pointIn,
  radiusIn,
  Scene,
  Sheet,
  smallNotesIn,
  type Theme,
  type Tie,
  weightsOf,
} from './map-scene.ts'
import { svgOf } from './map-svg.ts'
import { memoizeLast } from './memoize-last.ts'

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
  /** Returns the elements that cover the map, where no names are drawn. */
  covered?(): readonly DOMRect[]
}

/** Safari's event for a pinch on a trackpad, which other browsers report as a wheel. */
interface GestureEvent extends UIEvent {
  /** Distance between the fingers, divided by their distance at the start. */
  readonly scale: number
  readonly clientX: number
  readonly clientY: number
}

interface Group {
  readonly label: string
  readonly notes: readonly number[]
  /** Palette index of the notes. */
  readonly colour: number
  /** Bounds of most of them. */
  readonly bounds: Box
  /** The note with the same name. */
  readonly namesake?: number | undefined
  /** Checks whether a point of the layout is in the group, if that is a part of a land. */
  has?(x: number, y: number): boolean
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
const FONT = "'Inter Variable', system-ui, sans-serif"
/**
 * Maximum number of names at once, and while the whole map is in a window of `area` square pixels: of groups, unless they have a color
 * of their own, and those without need at least `least` notes; of parts of lands; of notes on a map
 * of up to `few` notes, and on a larger one; and of highlighted notes, of those around the open note, and there in narrow windows.
 */
const NAMED = {
  most: 120,
  groups: 14,
  least: 8,
  parts: 12,
  partsOfGroup: 30,
  few: 100,
  ofFew: 100,
  ofMany: 20,
  lit: 40,
  around: 26,
  aroundNarrow: 8,
  area: 900_000,
}
/**
 * Minimum distance between two named notes of a large map, in pixels at the scale of the whole map: the best linked of each
 * neighborhood is named. It shrinks with the root of the scale.
 */
const APART = 190
/** Maximum number of notes whose names are tried. */
const MOST_LOOKED = 600
/** Notes with at least this share of the largest radius are `large`. */
const LARGE = 0.45
/**
 * Where the name of a note may be, in order of preference: on the note's own land, or anywhere. The numbers are the maximum area of
 * other notes that the name may cover there, in grid cells, if no place is free.
 */
const RULES = {
  chosen: { anywhere: Infinity },
  index: { land: Infinity, anywhere: Infinity },
  large: { land: 20 },
  linked: { anywhere: 0 },
  other: { land: 0 },
  apart: { land: 30 },
} as const satisfies Record<string, Partial<Record<'land' | 'anywhere', number>>>
/** Titles of at least `may` characters may have two lines, and those of more than `should` have them if there is room. */
const LONG = { may: 12, should: 28 }
/** How much larger the name of the best linked note is, on large maps from near. From this share of its links on, names are bold. */
const NAME_GROWTH = 0.15
const BOLD = 0.4
/** How much larger the name of the open note is. */
const CHOSEN_NAME = 1.3
/** Space for a ring around a note, in pixels. */
const RING = 6
/** From this radius in pixels, notes are recognizable individually. */
const SEEN = 2
/** Sizes of the names of groups in pixels. Groups with a diagonal of `large` pixels have the largest name. */
const GROUP_FONT = { least: 12, most: 23, large: 750 }
/** Windows below this width, in pixels, have fewer and smaller names. */
const NARROW = 700
/** Space between letters of these names, as a share of the size. */
const SPACED = 0.08
/** Sizes to try for such a name, and steps between places to try, in pixels. */
const SMALLER = [1, 0.9, 0.8, 0.7, 0.6]
const STEP = 6
/** Names of notes grow with this power of the scale, from that many times the whole map on, up to this factor. */
const GROWTH = { from: 3, power: 0.3, most: 1.1 }
/** From this `farness` down, notes are named wherever there is room. */
const NEAR = 0.35
/** When the map is magnified this many times, parts of lands are named instead of the lands. */
const PARTS_FROM = 3
/** Sizes of the names of parts of lands in pixels, by the number of their notes, from far and from near. */
const PART_FONT = { far: { least: 10, most: 12 }, near: { least: 10.5, most: 14.5 } }
/** How much of notes a name beside the note of the same name may hide, in grid cells, if there is a free place elsewhere. */
const FEW_HIDDEN = 8
/** Share of its width that must be on the land if a name may reach out of it. */
const REACH_OUT = 0.85
/** Opacity of the names of groups that are not highlighted. */
const FADED = 0.7
/** Maximum number of places to try. */
const PLACES = 800
/** The colors of lists' comments. */
const MARKS: Readonly<Record<Mark | 'gained' | 'lost' | 'gap', string>> = {
  problem: '#d7263d',
  lost: '#d7263d',
  added: '#2a9d4a',
  gained: '#2a9d4a',
  edited: '#c98a00',
  gap: '#8b5fbf',
}
/** Duration of a pulse in milliseconds, and its largest distance from the note in pixels. */
const PULSE_MS = 1_200
const PULSE = 18
/** Maximum scale to fit notes at, in pixels per unit. */
const NEAREST = 60
/** Maximum scale to fit some notes at, as a multiple of `#wholeScale`. */
const CLOSEST = 8
/** Space for names beside notes that are fitted into the view, in pixels. */
const NAMES = 60

/**
 * Draws a graph in an element. Notes, links and names are drawn once to images larger than the view, which are then only moved. Nothing
 * is drawn while nothing moves.
 */
export class MapView {
  readonly #element: HTMLElement
  /** Measures text. */
  readonly #context: CanvasRenderingContext2D
  readonly #scene = new Scene()
  readonly #plain = new Sheet()
  /** With the highlighted notes on top of the dimmed ones. It lies on the plain one, and fades in and out. */
  readonly #lit = new Sheet()
  /** Pulses around a note that is pointed at elsewhere. */
  readonly #ring = element('div')
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
  readonly #widths = new Map<string, number>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  /** True if the map was last used with a key. Browsers do not agree on what an event for a menu says about its button. */
  #isKeyLast = false
  /** The scale of the last event of a pinch on a trackpad. */
  #pinched = 1
  #moved = 0
  #isMoved = false
  /** Names of communities in the last frame. */
  #groupNames: readonly Label[] = []
  #flight = 0
  #gliding = 0
  /** Number of notes when the whole map was last fitted into the view. */
  #wholeCount = 0
  /** Restores what was last brought into view, until the user moves the view. */
  #goal: (() => void) | undefined

  /** Draws in this element. @throws Error if the browser draws no canvas */
  constructor(parent: HTMLElement, isDark: boolean, events: MapEvents) {
    this.#element = parent
    const context = element('canvas').getContext('2d')
    if (context === null) throw new Error('This browser draws no canvas.')
    this.#context = context
    this.#theme = themeOf(isDark)
    this.#events = events
    Object.assign(parent.style, { position: 'relative', isolation: 'isolate', overflow: 'hidden' })
    this.#lit.image.style.opacity = '0'
    Object.assign(this.#ring.style, { position: 'absolute', borderRadius: '50%', pointerEvents: 'none' })
    parent.append(this.#plain.image, this.#lit.image)
    parent.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false })
    for (const type of ['gesturestart', 'gesturechange'])
      parent.addEventListener(type, (event) => this.#onGesture(event as GestureEvent))
    parent.addEventListener('pointerdown', (event) => this.#onDown(event))
    parent.addEventListener('pointermove', (event) => this.#onMove(event))
    parent.addEventListener('pointerup', (event) => this.#onUp(event))
    parent.addEventListener('pointercancel', (event) => this.#pointers.delete(event.pointerId))
    parent.addEventListener('keydown', () => {
      this.#isKeyLast = true
    })
    parent.addEventListener('contextmenu', (event) => this.#onContextMenu(event))
    parent.addEventListener('pointerleave', () => this.#hover(undefined, 0, 0))
    new ResizeObserver(() => this.#resize()).observe(parent)
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
    if (before !== graph || lookBefore?.shown !== look.shown || lookBefore.colours !== look.colours) this.#scene.forget()
    this.#plain.forget()
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
    const frame = this.#frameNow()
    const highlight = this.#highlight
    const download = (picture: Blob | null): void => {
      if (picture === null) return
      const href = URL.createObjectURL(picture)
      element('a', { href, download: `${name}.${format.toLowerCase()}` }).click()
      URL.revokeObjectURL(href)
    }
    if (format === 'PNG') this.picture()?.toBlob(download)
    else if (frame !== undefined) {
      const svg = svgOf(frame, (on, dim) => {
        drawAll(on, frame, highlight, dim)
        if (highlight === undefined) this.#writeNames(on, frame)
        else this.#writeNamesOf(on, frame, highlight)
      })
      download(new Blob([svg], { type: 'image/svg+xml' }))
    }
  }

  /** Returns a picture of the view. */
  picture(): HTMLCanvasElement | undefined {
    this.draw()
    const frame = this.#frameNow()
    return frame && this.#namesNow.cut(frame)
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
    this.#forget()
    this.#goal?.()
    this.#ask()
  }

  setTheme(isDark: boolean): void {
    this.#theme = themeOf(isDark)
    this.#forget()
    this.#ask()
  }

  #forget(): void {
    for (const image of [this.#scene, this.#plain, this.#lit]) image.forget()
  }

  /** Fits the visible notes into the view. */
  fit(): void {
    if (this.#graph === undefined) return
    this.#goal = () => this.fit()
    this.#wholeCount = this.#graph.count
    this.#moveTo(this.#around(this.#shownNotes()))
  }

  #shownNotes(): readonly number[] {
    return [...Array(this.#graph?.count ?? 0).keys()].filter((note) => this.#look?.shown[note] !== 0)
  }

  /** Brings notes into view, without those that lie apart because they have no links. Puts `focus` near the middle. */
  goTo(all: readonly number[], focus?: number): void {
    const linked = all.filter((note) => (this.#graph?.degrees[note] ?? 0) > 0)
    const notes = linked.length > 0 ? linked : all
    if (notes.length === 0) return
    this.#isMoved = true
    const around = (): Camera => this.#around(notes, { most: CLOSEST * this.#wholeScale, across: NAMES, focus })
    this.#goal = () => this.#moveTo(around())
    this.#fly(around())
  }

  zoom(factor: number): void {
    this.#leaveGoal()
    const { width, height } = this.#size
    this.#zoomAt(factor, width / 2, height / 2)
  }

  /** Moves the view by a fraction of its size. */
  pan(x: number, y: number): void {
    this.#leaveGoal()
    const { width, height } = this.#size
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
    const highlight = this.#highlight
    const isMoving = this.#still !== undefined
    // Before the view moves, no note is hovered any more.
    const isBrief = this.#hovered !== undefined && !isMoving
    const painting = { scene: this.#scene, isMoving, isBrief, highlight }
    const write = (on: CanvasRenderingContext2D) =>
      highlight === undefined ? this.#writeNames(on, frame) : this.#writeNamesOf(on, frame, highlight)
    this.#namesNow.update(frame, { ...painting, write })
    for (const sheet of [this.#plain, this.#lit]) sheet.move(frame)
    const transition = isCalm() ? '' : `opacity ${FADE_MS}ms`
    Object.assign(this.#lit.image.style, { transition, opacity: highlight === undefined ? '0' : '1' })
    this.#drawPulse(frame)
    return this.#namesNow.names
  }

  #frameNow(): Frame | undefined {
    if (this.#graph === undefined || this.#look === undefined) return undefined
    const ratio = this.#ratio()
    const frame = { graph: this.#graph, look: this.#look, theme: this.#theme, camera: this.#camera, ratio, ...this.#size }
    return { ...frame, farness: farnessOf(frame) }
  }

  /** Chooses what to highlight: the surroundings of the hovered note, or otherwise the highlight of the look. */
  #choose(): void {
    const graph = this.#graph
    const look = this.#look
    const centre = this.#hovered ?? (look?.lit === undefined ? look?.focus : undefined)
    if (graph === undefined || look === undefined) this.#highlight = undefined
    else if (centre !== undefined) this.#highlight = { notes: new Set([centre, ...neighbours(graph, centre)]), centre }
    else this.#highlight = look.lit && { notes: look.lit, centre: undefined }
    this.#lit.forget()
  }

  get #namesNow(): Sheet {
    return this.#highlight === undefined ? this.#plain : this.#lit
  }

  /** The position of each note in the view, by id. */
  spots(): ReadonlyMap<string, readonly [x: number, y: number]> {
    const frame = this.#frameNow()
    return new Map(frame?.graph.picture.ids.map((id, note) => [id, placeIn(frame, note)]))
  }

  /** Number of labels in the last frame. */
  get labels(): number {
    return this.#namesNow.names.length
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
    const isAsked = this.#frame !== 0 || this.#still !== undefined || this.#hoverSoon !== undefined
    return !isAsked && this.#graph !== undefined && this.#lit.image.getAnimations().length === 0
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

  /** Draws a path, lists' comments, and rings around the hovered note and the note in focus. */
  #drawMarks(context: CanvasRenderingContext2D, frame: Frame): void {
    const { look, theme } = frame
    context.strokeStyle = theme.accent
    if (look.path.length > 1) {
      context.lineWidth = 3
      context.beginPath()
      for (const note of look.path) context.lineTo(...placeIn(frame, note))
      context.stroke()
    }
    context.lineWidth = 2.5
    for (const tie of look.ties ?? []) drawTie(context, frame, tie)
    for (const [note, mark] of look.marks ?? []) drawRing(context, frame, note, MARKS[mark])
    for (const note of [look.focus, this.#hovered, look.pulse])
      if (note !== undefined) drawRing(context, frame, note, theme.accent)
  }

  #drawPulse(frame: Frame): void {
    const note = frame.look.pulse
    if (note === undefined || isCalm()) {
      for (const animation of this.#ring.getAnimations()) animation.cancel()
      this.#ring.remove()
      return
    }
    const [x, y] = placeIn(frame, note)
    const radius = radiusIn(frame, note) + PULSE
    const [left, top, width] = [x - radius, y - radius, 2 * radius].map((size) => `${size}px`)
    Object.assign(this.#ring.style, { left, top, width, height: width, border: `2.5px solid ${frame.theme.accent}` })
    if (this.#ring.isConnected) return
    this.#element.append(this.#ring)
    this.#ring.animate({ scale: [0.5, 1], opacity: [1, 0] }, { duration: PULSE_MS, iterations: Infinity })
  }

  /** Writes the names of groups, notes and parts of groups. */
  #writeNames(on: CanvasRenderingContext2D, frame: Frame): readonly Label[] {
    const { graph } = frame
    const writing = this.#writingIn(frame)
    this.#groupNames = this.#labelGroups(writing)
    if (this.#namesParts) this.#labelParts(writing)
    const most = this.#mostNames(graph.count <= NAMED.few ? NAMED.ofFew : NAMED.ofMany, 2)
    this.#labelNotes(writing, this.#byWeight(graph), most)
    if (!this.#namesParts) this.#labelParts(writing)
    return this.#writeTexts(on, writing)
  }

  /** Writes the names of highlighted notes: those of a path and the one in focus first, in bold. Then those of groups, faded where they are not highlighted. */
  #writeNamesOf(on: CanvasRenderingContext2D, frame: Frame, highlight: Highlight): readonly Label[] {
    const { look, graph } = frame
    const { notes, centre } = highlight
    const writing = this.#writingIn(frame, highlight)
    for (const note of [centre, ...look.path, look.focus])
      if (note !== undefined && notes.has(note)) this.#labelNote(note, writing, 'chosen')
    this.#groupNames = []
    if (centre !== undefined) this.#labelAround(centre, writing)
    else if (partsWithin(landPartsOf(graph, look), notes).length > 0) {
      const indexes = [...notes].filter((note) => isIndex(graph, note))
      this.#labelNotes(writing, indexes, indexes.length)
      this.#labelParts(writing, notes)
    } else {
      this.#groupNames = this.#labelGroups(writing, notes, true)
      const kind = this.#groupNames.length > 0 ? 'other' : 'linked'
      this.#labelNotes(writing, sortedBy(weightsOf(graph), [...notes]), NAMED.lit, kind)
    }
    this.#labelGroups(writing, notes, false)
    return this.#writeTexts(on, writing)
  }

  #writingIn(frame: Frame, highlight?: Highlight): Writing {
    return { frame, highlight, labels: this.#labelsIn(frame, highlight), named: new Set(), texts: [] }
  }

  /** Draws marks and the texts of placed labels. Small notes that the names of groups would hide in part are covered first. */
  #writeTexts(on: CanvasRenderingContext2D, { frame, highlight, labels, texts }: Writing): readonly Label[] {
    const small = smallNotesIn(frame)
    const dimmed = small.filter(({ note }) => highlight?.notes.has(note) !== true)
    for (const { label, ground, isGroup, isFaded } of texts)
      if (isGroup) coverNotes(on, isFaded ? dimmed : small, label.box, ground)
    this.#drawMarks(on, frame)
    for (const text of texts) {
      on.globalAlpha = text.isFaded ? FADED : 1
      write(on, text)
    }
    on.globalAlpha = 1
    return labels.placed
  }

  /** True if the map is magnified enough to name parts of lands instead of the lands. */
  get #namesParts(): boolean {
    return this.#camera.scale > PARTS_FROM * this.#wholeScale
  }

  /** Places the names of the notes that are closest to one, and how many more there are. */
  #labelAround(centre: number, writing: Writing): void {
    const { frame, labels } = writing
    const all = closestTo(frame, centre)
    const within = all.filter((note) => isInView(frame, note))
    const most = frame.graph.count <= FEW ? NAMED.lit : frame.width < NARROW ? NAMED.aroundNarrow : NAMED.around
    const before = labels.placed.length
    this.#labelNotes(writing, within, most, 'linked')
    const more = all.length - (labels.placed.length - before)
    if (more === 0) return
    const text = `+${more} more`
    const words = this.#words(text, [text], `400 11.5px ${FONT}`, 14)
    const label = labels.place(words, beside(frame, centre, words))
    if (label !== undefined) addText(writing, label, { colour: frame.theme.link, edge: 3 })
  }

  /** Returns the maximum number of names. `whole`: while the whole map is in view. `power`: how fast it grows with the scale. */
  #mostNames(whole: number, power: 1 | 2): number {
    const { width, height } = this.#size
    const room = Math.min(1.3, Math.sqrt((width * height) / NAMED.area))
    const nearer = Math.max(1, this.#camera.scale / this.#wholeScale) ** power
    return Math.min(NAMED.most, Math.round(whole * room * nearer))
  }

  /** Returns an empty set of labels for a frame, with the places that they must not cover. */
  #labelsIn(frame: Frame, highlight?: Highlight): Labels {
    const dots = new Dots(frame.width, frame.height)
    // No name hides an index note.
    const covered = [...this.#covered()]
    for (const note of highlight?.notes ?? frame.graph.degrees.keys()) {
      const radius = radiusIn(frame, note)
      if (frame.look.shown[note] === 0 || radius < SEEN) continue
      const [x, y] = placeIn(frame, note)
      const box: Box = [x - radius, y - radius, x + radius, y + radius]
      dots.add(box)
      if (isIndex(frame.graph, note)) covered.push(box)
    }
    const curves = curvesIn(frame, highlight)
    const lines = curves.length > 0 ? new Dots(frame.width, frame.height) : undefined
    for (const { start, over, end } of curves) lines?.addCurve(start, over, end)
    return new Labels({ ...this.#size, covered, dots, lines })
  }

  /** Returns the rectangles of the view that other elements cover. */
  #covered(): readonly Box[] {
    const { left, top } = this.#element.getBoundingClientRect()
    const covered = this.#events.covered?.() ?? []
    return covered.map((one) => [one.left - left, one.top - top, one.right - left, one.bottom - top])
  }

  /** Places the names of the first notes that have room for them. */
  #labelNotes(writing: Writing, notes: readonly number[], most: number, kind?: keyof typeof RULES): void {
    const { frame, labels } = writing
    const end = labels.placed.length + most
    const inView = notes.filter((note) => isInView(frame, note))
    const spots: Point[] = []
    const apart = APART / Math.sqrt(frame.camera.scale / this.#wholeScale)
    const isFree = ([x, y]: Point): boolean => spots.every(([left, top]) => Math.hypot(left - x, top - y) >= apart)
    for (const note of inView.slice(0, frame.graph.count <= FEW || isNear(frame) ? MOST_LOOKED : 3 * most)) {
      if (labels.placed.length >= end) return
      const how = isIndex(frame.graph, note) ? 'index' : (kind ?? this.#kindOf(frame, note))
      const spot = placeIn(frame, note)
      if (how === undefined || (how === 'apart' && !isFree(spot))) continue
      if (this.#labelNote(note, writing, how)) spots.push(spot)
    }
  }

  /** Returns how the name of a note is placed. On the whole of a large map, small notes have no names. */
  #kindOf(frame: Frame, note: number): keyof typeof RULES | undefined {
    if (frame.graph.count <= FEW) return 'other'
    if (isNear(frame)) return 'apart'
    return radiusIn(frame, note) >= LARGE * radiusIn(frame, this.#byWeight(frame.graph)[0] ?? 0) ? 'large' : undefined
  }

  /** Places the name of a note next to it, unless it has one or had no room before. Returns true if it was placed now. */
  #labelNote(note: number, writing: Writing, kind: keyof typeof RULES): boolean {
    const { frame, labels, named } = writing
    if (frame.look.shown[note] === 0 || named.has(note)) return false
    named.add(note)
    const text = this.#shortened(frame.graph.picture.titles[note] ?? '')
    if (labels.placed.some((other) => other.text === text)) return false
    const ways = this.#waysToWrite(text, this.#noteFont(frame, note, kind === 'chosen'))
    const home = areasOf(frame.graph, frame.look).colourAt(...placeOf(frame.graph, note))
    for (const [at, most] of Object.entries(RULES[kind]))
      for (const [mostHidden, words] of [...new Set([0, most])].flatMap((hidden) => ways.map((way) => [hidden, way] as const))) {
        const centres = beside(frame, note, words)
        const isAllowed = at === 'land' ? landTest(frame, words, landIs(frame, home)) : undefined
        const label = labels.place(words, centres, { mostHidden, isAllowed })
        if (label === undefined) continue
        addText(writing, label, { colour: frame.theme.text, edge: mostHidden > 0 ? 5 : 3 })
        return true
      }
    return false
  }

  /** Returns a title on one line and on two, the better first. */
  #waysToWrite(text: string, { weight, size }: { readonly weight: number; readonly size: number }): readonly Words[] {
    const ways = wrapped(text)
      .slice(0, text.length < LONG.may ? 1 : 2)
      .map((lines) => this.#words(text, lines, `${weight} ${size.toFixed(1)}px ${FONT}`, 1.25 * size))
    return text.length > LONG.should ? ways.toReversed() : ways
  }

  #noteFont(frame: Frame, note: number, isChosen: boolean): { readonly weight: number; readonly size: number } {
    const { graph, width, camera } = frame
    const nearer = Math.min(GROWTH.most, Math.max(1, camera.scale / this.#wholeScale / GROWTH.from) ** GROWTH.power)
    const linked = isNear(frame) ? (weightsOf(graph)[note] ?? 0) : 0
    const size = (width < NARROW ? 11.5 : 12.5) * nearer * (1 + NAME_GROWTH * linked)
    return isChosen ? { weight: 650, size: CHOSEN_NAME * size } : { weight: linked > BOLD ? 600 : 400, size }
  }

  #words(text: string, lines: readonly string[], font: string, lineHeight: number, spacing = 0): Words {
    return {
      text,
      lines,
      font,
      spacing,
      width: Math.max(...lines.map((line) => this.#widthOf(line, font) + spacing * line.length)),
      height: lines.length * lineHeight,
    }
  }

  /** Shortens a title to a single line without pictograms that is not too long, especially in a narrow view. */
  #shortened(title: string): string {
    const line =
      title
        .replace(/\p{Extended_Pictographic}|\uFE0F|\u200D/gu, '')
        .replace(/\s+/g, ' ')
        .trim() || title
    const most = Math.max(12, Math.min(56, Math.floor(this.#size.width / 9)))
    // Does not split surrogate pairs.
    return line.length > most ? `${[...line.slice(0, 2 * most)].slice(0, most - 2).join('')}…` : line
  }

  /**
   * Places the names of groups, or of those that `are` or are not `within` a set of notes with all of theirs, the largest first. A group
   * whose land has no room for its name gets none.
   */
  #labelGroups(writing: Writing, within?: ReadonlySet<number>, are = true): readonly Label[] {
    const { frame, named } = writing
    const { graph, look } = frame
    const names: Label[] = []
    const groups = this.#groups(graph, look)
    const most = this.#mostNames(NAMED.groups, 1)
    const divided = new Set(within === undefined && this.#namesParts ? landPartsOf(graph, look).map(({ colour }) => colour) : [])
    const isWanted = ({ colour, notes }: Group): boolean =>
      !divided.has(colour) && (within === undefined || hasAll(within, notes) === are)
    for (const group of groups.filter(isWanted)) {
      const { colour, notes, namesake, bounds } = group
      if (namesake !== undefined && named.has(namesake)) continue
      const isOther = colour === look.palette.length - 1
      // A color means nothing without a name, also in a small window.
      if (isOther && (!are || names.length >= most || notes.length < NAMED.least)) continue
      const diagonal = frame.camera.scale * Math.hypot(bounds[2] - bounds[0], bounds[3] - bounds[1])
      const sizes = sizesFrom(sizeFor(isOther || !are ? 0 : diagonal / GROUP_FONT.large, GROUP_FONT), PART_FONT.near.least)
      const label = this.#labelLand(writing, are ? group : { ...group, namesake: undefined }, sizes, !are)
      if (label === undefined) continue
      if (namesake !== undefined) named.add(namesake)
      names.push(label)
    }
    return names
  }

  /** Places the names of the largest parts of lands, or of those within a set of notes, each once. */
  #labelParts(writing: Writing, within?: ReadonlySet<number>): void {
    const { frame, labels } = writing
    const end = labels.placed.length + (within === undefined ? this.#mostNames(NAMED.parts, 1) : NAMED.partsOfGroup)
    const parts = landPartsOf(frame.graph, frame.look)
    const named = within === undefined ? parts.filter(({ isRest }) => isRest !== true) : partsWithin(parts, within)
    const font = within !== undefined || this.#namesParts ? PART_FONT.near : PART_FONT.far
    const largest = Math.max(...named.map(({ isRest, notes }) => (isRest ? 1 : notes.length)))
    for (const part of named) {
      if (labels.placed.length >= end) return
      const sizes = sizesFrom(sizeFor(Math.sqrt(part.notes.length / largest), font), font.least)
      if (!labels.placed.some(({ text }) => text === part.label)) this.#labelLand(writing, part, sizes)
    }
  }

  /** Places the name of a group, or of a part of its land, as large as there is room for. */
  #labelLand(writing: Writing, group: Group, sizes: readonly number[], isFaded = false): Label | undefined {
    const { frame, labels } = writing
    // Grey lands are less important than colored ones.
    const isLand = group.has === undefined && group.colour !== frame.look.palette.length - 1
    const title = this.#shortened(isLand ? group.label.toLocaleUpperCase() : group.label)
    const [weight, spacing] = isLand ? [700, SPACED] : [550, 0]
    const ways = sizes.map((size) =>
      wrapped(title).map((lines) =>
        this.#words(group.label, lines, `${weight} ${size.toFixed(1)}px ${FONT}`, 1.25 * size, spacing * size),
      ),
    )
    const label = placeInside(frame, labels, group, ways, isFaded ? 0 : Infinity)
    const { text } = frame.theme
    const colour = mixed(frame.look.palette[group.colour] ?? text, text, 0.5)
    if (label !== undefined) addText(writing, label, { colour, edge: 6, isGroup: true, isFaded })
    return label
  }

  #size = { width: 1, height: 1 }

  readonly #groups = memoizeLast((graph: Graph, look: Look) => [graph, look.shown, look.colours, look.groupedBy], groupsOf)

  /** All notes, index notes and the best linked first. */
  readonly #byWeight = memoizeLast(
    (graph: Graph) => [graph],
    (graph) => {
      const weights = weightsOf(graph)
      // Weights are at most 1.
      const order = Float32Array.from(weights, (weight, note) => (isIndex(graph, note) ? 1 + (graph.degrees[note] ?? 0) : weight))
      return sortedBy(order, [...order.keys()])
    },
  )

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

  /** Shows the whole map, or most of it. */
  get #wholeScale(): number {
    const { extent = 1 } = this.#graph && this.#look ? areasOf(this.#graph, this.#look) : {}
    return Math.hypot(this.#size.width, this.#size.height) / extent
  }

  #around(notes: readonly number[], { most = NEAREST, across = 0, focus }: Around = {}): Camera {
    const graph = this.#graph
    const points = graph === undefined ? [] : notes.flatMap((note) => placeOf(graph, note))
    const { reach = 0 } = graph && this.#look ? areasOf(graph, this.#look) : {}
    return fitInto(points, {
      ...this.#size,
      covered: this.#covered(),
      most: Math.min(NEAREST, most),
      across,
      reach,
      focus: graph && focus !== undefined ? placeOf(graph, focus) : undefined,
    })
  }

  #ratio(): number {
    return Math.min(2, globalThis.devicePixelRatio || 1)
  }

  #resize(): void {
    const { width, height } = this.#element.getBoundingClientRect()
    this.#size = { width: Math.max(1, width), height: Math.max(1, height) }
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

  /** Without this, Safari would zoom the page. On a touch screen, the fingers are pointers, too, and those zoom the map. */
  #onGesture(event: GestureEvent): void {
    event.preventDefault()
    const { type, scale, clientX, clientY } = event
    if (type === 'gesturechange' && this.#pointers.size === 0) {
      this.#leaveGoal()
      const { left, top } = this.#element.getBoundingClientRect()
      this.#zoomAt(scale / this.#pinched, clientX - left, clientY - top)
    }
    this.#pinched = scale
  }

  #zoomAt(factor: number, x: number, y: number): void {
    const { width, height } = this.#size
    const { x: cx, y: cy, scale } = this.#camera
    const next = Math.min(120, Math.max(0.02, scale * factor))
    // The point under the pointer stays in place.
    const dx = (x - width / 2) * (1 / scale - 1 / next)
    const dy = (y - height / 2) * (1 / scale - 1 / next)
    this.#moveTo({ x: cx + dx, y: cy + dy, scale: next })
  }

  #onDown(event: PointerEvent): void {
    this.#isKeyLast = false
    // The other buttons open menus and tabs.
    if (event.button > 1) return
    this.#element.setPointerCapture(event.pointerId)
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
      this.#element.style.cursor = isOnName || this.#hoverNext !== undefined ? 'pointer' : 'grab'
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
    // A key has no position. A press has: of the right button, of the left one with Ctrl on a Mac, or a long one of a finger.
    const note = this.#isKeyLast ? this.#look?.focus : this.#noteAt(event.offsetX, event.offsetY)
    if (note === undefined || this.#events.onMenu === undefined) return
    event.preventDefault()
    // Its release is no click.
    this.#pointers.clear()
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

function drawRing(context: CanvasRenderingContext2D, frame: Frame, note: number, colour: string): void {
  if (frame.look.shown[note] === 0) return
  context.strokeStyle = colour
  context.beginPath()
  context.arc(...placeIn(frame, note), radiusIn(frame, note) + 3, 0, 7)
  context.stroke()
}

/** Draws an arrowhead at the end of a step of a path, or an arc between two notes, dashed where there is no link. */
function drawTie(context: CanvasRenderingContext2D, frame: Frame, { from, to, kind }: Tie<number>): void {
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
    context.fillStyle = frame.theme.accent
    context.fill()
    return
  }
  context.setLineDash(kind === 'gained' ? [] : [7, 5])
  context.strokeStyle = MARKS[kind]
  context.moveTo(x, y)
  context.quadraticCurveTo(...bent(x, y, toX, toY, ARC_BEND), toX, toY)
  context.stroke()
  context.setLineDash([])
}

/** The names of a frame, which are placed first and then written. */
interface Writing {
  readonly frame: Frame
  readonly highlight: Highlight | undefined
  readonly labels: Labels
  /** The notes that have their names. */
  readonly named: Set<number>
  readonly texts: Text[]
}

/** A placed label and how it is written. */
interface Text {
  readonly label: Label
  readonly colour: string
  /** The color of the ground, and the width in pixels of an edge of it, which separates the text from what is below. */
  readonly ground: string
  readonly edge: number
  /** True for the names of lands and their parts. */
  readonly isGroup?: boolean
  readonly isFaded?: boolean
}

function addText({ frame, highlight, texts }: Writing, label: Label, text: Omit<Text, 'label' | 'ground'>): void {
  texts.push({ ...text, label, ground: groundBelow(frame, highlight, label) })
}

function write(context: CanvasRenderingContext2D, { label, colour, ground, edge }: Text): void {
  const { lines, font, spacing, height, box } = label
  context.font = font
  context.letterSpacing = `${spacing}px`
  context.textBaseline = 'middle'
  context.textAlign = 'center'
  context.lineJoin = 'round'
  context.lineWidth = edge
  context.strokeStyle = ground
  context.fillStyle = colour
  const middles = lines.map((line, at) => [line, (box[0] + box[2]) / 2, box[1] + ((at + 0.5) * height) / lines.length] as const)
  for (const middle of middles) context.strokeText(...middle)
  for (const middle of middles) context.fillText(...middle)
}

/** Returns the curves that names avoid: those between lands, or from an open note to the notes it is linked with. */
function curvesIn(frame: Frame, highlight: Highlight | undefined) {
  const { centre, notes = [] } = highlight ?? {}
  if (centre === undefined) return bandsIn(frame, highlight)
  if ((frame.graph.degrees[centre] ?? 0) > HUB) return []
  return [...notes].map((note) => {
    const [start, end] = [placeIn(frame, Math.min(centre, note)), placeIn(frame, Math.max(centre, note))]
    return { start, over: bent(...start, ...end), end }
  })
}

/** Returns the color of the ground below the middle of a label. */
function groundBelow(frame: Frame, highlight: Highlight | undefined, { box: [left, top, right, bottom] }: Label): string {
  const { camera, width, height } = frame
  return groundAt(frame, highlight, [
    camera.x + (left + right - width) / 2 / camera.scale,
    camera.y + (top + bottom - height) / 2 / camera.scale,
  ])
}

/** Returns centers to try for the name of a note: next to it, or below, above or diagonal to it. All are in view. */
function beside(frame: Frame, note: number, { width, height }: Words): readonly Point[] {
  const [x, y] = placeIn(frame, note)
  const radius = radiusIn(frame, note) + RING
  const [aside, off, slant] = [radius + width / 2, radius + height / 2, radius * 0.7 + 1]
  const around: [along: number, down: number][] = [
    [aside, 0],
    [-aside, 0],
  ]
  for (const along of [0, 0.25, -0.25]) around.push([along * width, off], [along * width, -off])
  for (const right of [1, -1]) for (const down of [1, -1]) around.push([right * (slant + width / 2), down * (slant + height / 2)])
  const within = (at: number): number => Math.min(frame.width - width / 2 - EDGE, Math.max(width / 2 + EDGE, at))
  return around.map(([along, down]) => [within(x + along), y + down])
}

/** Returns centers to try for a group's name, starting at the middle of the group. */
function centresFor(frame: Frame, { bounds }: Group): readonly Point[] {
  const [left, top] = pointIn(frame, bounds[0], bounds[1]).map((edge) => Math.max(0, edge)) as [number, number]
  const [toLeft, toTop] = pointIn(frame, bounds[2], bounds[3])
  const [right, bottom] = [Math.min(frame.width, toLeft), Math.min(frame.height, toTop)]
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2]
  const step = Math.max(STEP, Math.sqrt(((right - left) * (bottom - top)) / PLACES))
  const places: Point[] = []
  for (let down = top; down <= bottom; down += step)
    for (let along = left; along <= right; along += step) places.push([along, down])
  const far = ([along, down]: Point): number => (along - middleX) ** 2 + 2 * (down - middleY) ** 2
  return places.sort((a, b) => far(a) - far(b))
}

/** How to bring notes into view. */
interface Around {
  /** Maximum scale, in pixels per unit. */
  readonly most?: number
  /** Space for names at the sides, in pixels. */
  readonly across?: number
  /** The note to put near the middle. */
  readonly focus?: number | undefined
}

/** Where to try the name of a group. */
interface Place {
  /** Centers in order of preference. By default, those beside the note of the same name. */
  readonly centres?: readonly Point[]
  /** How much of notes may be hidden, in grid cells. */
  readonly hides: number
  readonly mayReachOut?: boolean
}

/** Places the name of a group on its land: next to the note of the same name, or else near the middle, over the fewest notes. */
function placeInside(
  frame: Frame,
  labels: Labels,
  group: Group,
  ways: readonly (readonly Words[])[],
  mostHidden: number,
): Label | undefined {
  const { namesake, colour } = group
  const isNext = namesake !== undefined && isInView(frame, namesake)
  const all = centresFor(frame, group)
  const middle = all.slice(0, all.length / 6)
  const isSmall = frame.graph.count < FEW
  const byNamesake: Place = { hides: isSmall ? 0 : Math.min(isNear(frame) ? Infinity : FEW_HIDDEN, mostHidden) }
  const passes: readonly (readonly Place[])[] = [
    // A name is read more easily where no notes are, and on a small map there is such a place.
    [byNamesake, { centres: middle, hides: 0 }, { centres: all, hides: 0 }],
    [{ hides: mostHidden }, { centres: middle, hides: mostHidden }, { centres: all, hides: mostHidden }],
    // A colored land without a name means nothing, so its name may reach a little beyond the land.
    colour === frame.look.palette.length - 1 ? [] : [{ centres: all, hides: mostHidden, mayReachOut: true }],
  ]
  for (const places of passes)
    for (const [words, { centres, hides, mayReachOut }] of ways.flatMap((size) =>
      places.flatMap((place) => size.map((words) => [words, place] as const)),
    )) {
      const isOwn = landTest(frame, words, group.has ?? landIs(frame, colour), mayReachOut)
      const isAllowed = frame.look.isColouredByGroup ? isOwn : undefined
      const next = isNext ? beside(frame, namesake, words) : []
      const label = labels.place(words, centres ?? next, { mostHidden: hides, isAllowed })
      if (label !== undefined) return label
    }
  return undefined
}

/** Returns a font size in pixels. A `share` of 1 or more gives the largest one. */
function sizeFor(share: number, { least, most }: { readonly least: number; readonly most: number }): number {
  return least + (most - least) * Math.min(1, share)
}

/** Returns the sizes to try for a name, in pixels. */
function sizesFrom(most: number, least: number): readonly number[] {
  return [...new Set(SMALLER.map((smaller) => Math.max(least, most * smaller)))]
}

/** Checks whether the view is so near that notes are named wherever there is room. */
function isNear({ graph, farness }: Frame): boolean {
  return graph.count > FEW && farness < NEAR
}

function hasAll(all: ReadonlySet<number>, some: readonly number[]): boolean {
  return some.every((note) => all.has(note))
}

function isInView(frame: Frame, note: number): boolean {
  const [x, y] = placeIn(frame, note)
  return frame.look.shown[note] === 1 && x >= 0 && y >= 0 && x <= frame.width && y <= frame.height
}

/** Returns a function that checks whether text around a point is on the same land. */
function landTest(
  { camera, width: wide, height: high }: Frame,
  { width, height }: Pick<Words, 'width' | 'height'>,
  has: (x: number, y: number) => boolean,
  mayReachOut = false,
): (at: Point) => boolean {
  const hasIn = (x: number, y: number): boolean =>
    has(camera.x + (x - wide / 2) / camera.scale, camera.y + (y - high / 2) / camera.scale)
  const [rows, share] = mayReachOut ? [[-0.5, 0.5], REACH_OUT] : [[-0.5, 0, 0.5], 1]
  return ([x, y]) =>
    rows.every((down) => [-0.5, -0.25, 0, 0.25, 0.5].every((along) => hasIn(x + along * share * width, y + down * height)))
}

/** Returns a check whether a point of the layout is on land of a color, or on none. */
function landIs({ graph, look }: Frame, colour: number | undefined): (x: number, y: number) => boolean {
  const { colourAt } = areasOf(graph, look)
  return (x, y) => colourAt(x, y) === colour
}

/** Sorts notes by the largest value first. */
function sortedBy(values: ArrayLike<number>, notes: number[]): readonly number[] {
  return notes.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
}

function themeOf(isDark: boolean): Theme {
  return isDark
    ? { ground: '#131519', text: '#e8e6e3', link: '#aab4c4', accent: '#ffb454', area: 0.14, dots: 0.8 }
    : { ground: '#fcfbf9', text: '#1d2129', link: '#5b6675', accent: '#c2410c', area: 0.13, dots: 1 }
}

/** True if the user wants no motion. */
function isCalm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Returns the groups of visible notes, largest first. */
function groupsOf(graph: Graph, look: Look): readonly Group[] {
  const { shown, colours, groupedBy, palette } = look
  const { of, groups } = groupingBy(graph, groupedBy)
  const members = groups.map((): number[] => [])
  for (let note = 0; note < graph.count; note++) if (shown[note] === 1) members[of[note] ?? -1]?.push(note)
  return members
    .flatMap((notes, group) => (notes.length === 0 ? [] : [{ label: groups[group]?.label ?? '', notes }]))
    .sort((a, b) => b.notes.length - a.notes.length)
    .map(({ label, notes }) => {
      const namesake = notes.find((note) => graph.picture.titles[note] === label)
      return {
        label,
        notes,
        colour: colours[notes.find((note) => (colours[note] ?? 0) < palette.length) ?? -1] ?? 0,
        bounds: boundsOfMost(graph, notes),
        namesake,
      }
    })
}
