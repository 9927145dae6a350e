import { type Colored, OTHER } from './colors.ts'
import { element } from './element.ts'
import { type Graph, groupingBy, isElsewhere, isIndex, neighbors, placeOf } from './graph.ts'
import { areasOf, boundsOfMost, byNumber, landPartsOf, partsWithin } from './map-areas.ts'
import { type Fitting, fitInto } from './map-fit.ts'
import { type Box, Dots, type Label, type Labels, type Point, placeLabel, type Words, within, wrapped } from './map-labels.ts'
import { Locator } from './map-locator.ts'
import {
  BEND,
  bandsIn,
  bent,
  type Camera,
  closestTo,
  coverNotes,
  drawAll,
  drawMarks,
  exitOf,
  FEW,
  type Frame,
  farnessOf,
  groundAt,
  type Highlight,
  HUB,
  isInView,
  type Look,
  landColor,
  placeIn,
  pointAt,
  pointIn,
  radiusIn,
  Scene,
  Sheet,
  smallNotesIn,
  THEMES,
  weightsOf,
} from './map-scene.ts'
import { SMALL_MAP } from './map-shape.ts'
import { svgOf } from './map-svg.ts'
import { memoizeLast } from './memoize-last.ts'

export interface Wish extends Omit<Look, 'colors' | 'isColoredByGroup'> {
  readonly colored: Colored
}

export interface MapEvents {
  /** A callback for a click. `note` is `undefined` for an empty place. */
  onSelect(note: number | undefined, event: MouseEvent): void
  onHover(note: number | undefined, x: number, y: number): void
  /** A callback for a right click on a note, or a menu key for the note in focus. */
  onMenu?(note: number, event: MouseEvent): void
  onGroup?(label: string): void
  covered?(): readonly DOMRect[]
}

/**
 * The event that Safari sends for a pinch on a trackpad. Other browsers send a wheel event. `scale` is the distance between the
 * fingers, relative to the start of the gesture.
 */
type GestureEvent = MouseEvent & { readonly scale: number }

interface Group {
  readonly label: string
  readonly notes: readonly number[]
  readonly color: number
  readonly bounds: Box
  readonly namesake?: number | undefined
  /** The position of its name before a highlight, in layout units. */
  readonly before?: Point | undefined
  has?(x: number, y: number): boolean
}

/** After this many milliseconds without movement, the map is redrawn with all links. */
const STILL_MS = 140
/** A pointer must stay on a note for this many milliseconds to hover it. */
const HOVER_MS = 80
const FADE_MS = 150
const FLIGHT_MS = 350
const GLIDE_MS = 300
/** A map that has grown by more than this factor is fitted again, unless the user has moved the view. */
const GROWN = 1.2
const FONT = "'Inter Variable', system-ui, sans-serif"
/** The maximum number of names in a window of `area` square pixels. Gray groups need at least `least` notes. */
const NAMED = {
  most: 120,
  groups: 14,
  least: 8,
  parts: 18,
  partsOfGroup: 30,
  ofFew: 100,
  some: 2_000,
  ofSome: 45,
  ofMany: 20,
  lit: 40,
  around: 24,
  aroundNarrow: 8,
  away: 8,
  area: 900_000,
}
/** The minimum distance between named notes on a large map, in pixels. It decreases with the root of the scale. */
const APART = 190
const MOST_LOOKED = 600
/** The radius from which a note is large, relative to the best linked one. */
const LARGE = { few: 0.7, many: 0.45 }
/**
 * The allowed positions of a note's name, in order of preference. The numbers limit how many grid cells of other notes the name
 * may cover.
 */
const RULES = {
  chosen: { anywhere: Infinity },
  index: { land: Infinity, nearLand: Infinity, anywhere: Infinity },
  large: { inside: 0, land: 24 },
  linked: { inside: 0, land: 0, anywhere: 0 },
  other: { inside: 0, land: 0 },
  apart: { inside: 0, land: 30 },
} as const satisfies Record<string, Partial<Record<'inside' | 'land' | 'nearLand' | 'anywhere', number>>>
/** The distance in pixels between the edge of an area and a name inside. */
const INSIDE = 8
/**
 * The length of a title in characters. A title longer than `may` may have two lines, and one longer than `should` prefers two.
 */
const LONGEST = { usual: 56, aroundNote: 36 }
const LONG = { may: 12, should: 28, word: 10 }
/** The growth of the font size by number of links, on large maps. From `BOLD` on, names are bold. */
const NAME_GROWTH = 0.15
const BOLD = 0.4
const CHOSEN_NAME = 1.3
const RING = 6
const SEEN = 2
/** The font sizes of group names in pixels. Groups with a diagonal of `LARGE_LAND` pixels have the largest name. */
const GROUP_FONT = { least: 12, most: 23 }
const LARGE_LAND = 750
const SPACED = 0.08
/** The free space in pixels beside the names of lands, which could otherwise be read as names of notes. */
const CLEAR = 5
/** The factors of the font size to try, and the distance between positions to try, in pixels. */
const SMALLER = [1, 0.9, 0.8, 0.7, 0.6]
const STEP = 6
/** The font size of notes: from a magnification of `from` on, it grows with the scale to the power of `power`, up to `most`. */
const GROWTH = { from: 3, power: 0.3, most: 1.1 }
/** If `farness` is at most this value, all notes with enough room are named. */
const NEAR = 0.35
/** The magnification from which the parts of areas are named. */
const PARTS_FROM = 3
const PART_FONT = { far: { least: 10, most: 12 }, near: { least: 10.5, most: 14.5 } }
/** Maximum number of grid cells with notes that a name next to its namesake, or in the middle of its area, may hide. */
const FEW_HIDDEN = { ofSome: 36, ofMany: 150 }
const REACH_OUT = 0.85
const FADED = 0.7
const PLACES = 1_500
/** The duration of a pulse in milliseconds. `PULSE` is the largest distance from the note, in pixels. */
const PULSE_MS = 1_200
const PULSE = 18
/** A window below this width, in pixels, has fewer and smaller names, and smaller notes. */
const NARROW = 700
/** In windows above this width, in pixels, names grow with its root. */
const WIDE = 1_600
const MOST_GROWN = 1.4
/** Maximum scale in pixels per layout unit. */
const NEAREST = 60
/** Maximum magnification when some notes are fitted into the view. */
const CLOSEST = 8
/** The space for names at the sides, in pixels. */
const NAMES = 60

/** Draws a graph. Images that are larger than the view are drawn once and then only moved. */
export class MapView {
  readonly #element: HTMLElement
  readonly #context: CanvasRenderingContext2D
  readonly #scene = new Scene()
  readonly #plain = new Sheet()
  /** The sheet of highlighted notes above dimmed ones. It fades in and out above `#plain`. */
  readonly #lit = new Sheet()
  readonly #ring = element('div')
  readonly #locator = new Locator()
  readonly #events: MapEvents
  #drawn: Pick<Frame, 'graph' | 'look'> | undefined
  #theme = THEMES.light
  camera: Camera = { x: 0, y: 0, scale: 1 }
  #frame = 0
  #still: ReturnType<typeof setTimeout> | undefined
  #hovered: number | undefined
  #hoverSoon: ReturnType<typeof setTimeout> | undefined
  #hoverNext: number | undefined
  /** The centers of the names of lands in the last frame without a highlight, in layout units. */
  readonly #nameCenters = new Map<string, Point>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  /**
   * True if the last input was a key, which may then open the menu. Browsers disagree about the button of a `contextmenu` event.
   */
  #isKeyLast = false
  #pinched = 1
  #moved = 0
  isMoved = false
  #groupNames: readonly Label[] = []
  #stopFlying = (): void => {}
  #stopGliding = (): void => {}
  #wholeCount = 0
  #goal: (() => void) | undefined

  /** @throws Error if the browser does not support canvas */
  constructor(parent: HTMLElement, isDark: boolean, events: MapEvents) {
    this.#element = parent
    const context = element('canvas').getContext('2d')
    if (context === null) throw new Error('This browser draws no canvas.')
    this.#context = context
    this.setTheme(isDark)
    this.#events = events
    Object.assign(parent.style, { position: 'relative', isolation: 'isolate', overflow: 'hidden' })
    this.#lit.image.style.opacity = '0'
    Object.assign(this.#ring.style, { position: 'absolute', borderRadius: '50%', pointerEvents: 'none' })
    parent.append(this.#plain.image, this.#lit.image, this.#locator.box)
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
    new ResizeObserver(() => {
      const { width, height } = parent.getBoundingClientRect()
      if (width !== this.#size.width || height !== this.#size.height) this.refresh()
    }).observe(parent)
    this.refresh()
  }

  /** Shows a graph. The first one is fitted into the view. Later ones keep the view unless most notes have moved. */
  show(graph: Graph, { colored: { colors, by }, ...wish }: Wish): void {
    const look: Look = { ...wish, colors, isColoredByGroup: by === wish.groupedBy }
    const before = this.#drawn?.graph
    const isNew = before === undefined || isElsewhere(before, graph)
    this.#drawn = { graph, look }
    this.#stopGliding()
    // The map grows while a vault is read for the first time.
    const hasGrown = !this.isMoved && graph.count > GROWN * this.#wholeCount
    if (isNew) this.#nameCenters.clear()
    if (isNew || hasGrown) this.fit()
    if (isNew && before !== undefined) this.#glide(before, { graph, look })
    this.#ask()
  }

  save(name: string, format: 'PNG' | 'SVG'): void {
    const frame = this.#frameNow()
    const download = (picture: Blob | null): void => {
      if (picture === null) return
      const href = URL.createObjectURL(picture)
      element('a', { href, download: `${name}.${format.toLowerCase()}` }).click()
      URL.revokeObjectURL(href)
    }
    if (format === 'PNG') this.picture()?.toBlob(download)
    else if (frame !== undefined) {
      const svg = svgOf(frame, (on) => {
        drawAll(on, frame)
        this.#writeAll(on, frame)
      })
      download(new Blob([svg], { type: 'image/svg+xml' }))
    }
  }

  picture(): HTMLCanvasElement | undefined {
    const frame = this.#frameNow()
    if (frame === undefined) return undefined
    const sheet = new Sheet()
    sheet.update(frame, { scene: this.#scene, isMoving: false, isBrief: true, write: (on) => this.#writeAll(on, frame) })
    return sheet.image
  }

  #writeAll(on: CanvasRenderingContext2D, frame: Frame): readonly Label[] {
    return frame.highlight === undefined ? this.#writeNames(on, frame) : this.#writeNamesOf(on, frame, frame.highlight)
  }

  #glide(from: Graph, { graph: to, look }: Pick<Frame, 'graph' | 'look'>): void {
    const start = to.places.slice()
    for (const [id, note] of to.numberOf) {
      const was = from.numberOf.get(id)
      if (was !== undefined) start.set(from.places.subarray(was * 2, was * 2 + 2), note * 2)
    }
    this.#stopGliding = animate(GLIDE_MS, (share) => {
      const places = start.map((place, at) => place + ((to.places[at] ?? 0) - place) * share)
      this.#drawn = { graph: share === 1 ? to : { ...to, places }, look }
      this.#ask()
    })
  }

  /** Draws again. The method must be called when the elements that cover the map change, or a font has loaded. */
  refresh(): void {
    const { width, height } = this.#element.getBoundingClientRect()
    this.#size = { width: Math.max(1, width), height: Math.max(1, height) }
    // Both sheets are painted again for a new look.
    if (this.#drawn !== undefined) this.#drawn = { ...this.#drawn, look: { ...this.#drawn.look } }
    this.#goal?.()
    this.#ask()
  }

  setTheme(isDark: boolean): void {
    this.#theme = THEMES[isDark ? 'dark' : 'light']
    this.#ask()
  }

  fit(): void {
    if (this.#drawn === undefined) return
    const { graph, look } = this.#drawn
    this.#goal = () => this.fit()
    this.#wholeCount = graph.count
    this.#moveTo(this.#around([...graph.degrees.keys()].filter((note) => look.shown[note] !== 0)))
  }

  /**
   * Fits notes into the view, with `focus` near the middle. Notes without links are ignored, because they are far from the
   * others.
   */
  goTo(all: readonly number[], focus?: number): void {
    const linked = all.filter((note) => (this.#drawn?.graph.degrees[note] ?? 0) > 0)
    const notes = linked.length > 0 ? linked : all
    if (notes.length === 0) return
    this.isMoved = true
    // The scale is computed each time, because the map may be hidden now.
    const around = (most = Math.min(NEAREST, CLOSEST * this.#wholeScale)) => this.#around(notes, focus, { most, across: NAMES })
    this.#goal = () => this.#moveTo(around())
    this.#stopFlying()
    const [from, to] = [this.camera, around()]
    this.#stopFlying = animate(FLIGHT_MS, (share) =>
      this.#moveTo({
        x: from.x + (to.x - from.x) * share,
        y: from.y + (to.y - from.y) * share,
        scale: from.scale * (to.scale / from.scale) ** share,
      }),
    )
  }

  /** Zooms the view. The point at `x` and `y`, by default the middle, stays in place. */
  zoom(factor: number, x = this.#size.width / 2, y = this.#size.height / 2): void {
    this.#leaveGoal()
    const { x: cx, y: cy, scale } = this.camera
    const next = Math.min(120, Math.max(0.02, scale * factor))
    const by = 1 / scale - 1 / next
    this.#moveTo({ x: cx + (x - this.#size.width / 2) * by, y: cy + (y - this.#size.height / 2) * by, scale: next })
  }

  /** Moves the view by a share of its size. */
  pan(x: number, y: number): void {
    this.#panBy(x * this.#size.width, y * this.#size.height)
  }

  #panBy(dx: number, dy: number): void {
    this.#leaveGoal()
    const { x, y, scale } = this.camera
    this.#moveTo({ x: x + dx / scale, y: y + dy / scale, scale })
  }

  draw(): readonly Label[] {
    const frame = this.#frameNow()
    if (frame === undefined) return []
    const isMoving = this.#still !== undefined
    // A hovered note loses its highlight before the view moves.
    const isBrief = this.#hovered !== undefined && !isMoving
    const isLit = frame.highlight !== undefined
    const write = (on: CanvasRenderingContext2D) => this.#writeAll(on, frame)
    const names = (isLit ? this.#lit : this.#plain).update(frame, { scene: this.#scene, isMoving, isBrief, write })
    this.#plain.move(frame)
    this.#lit.move(frame)
    const transition = isCalm() ? '' : `opacity ${FADE_MS}ms`
    Object.assign(this.#lit.image.style, { transition, opacity: isLit ? '1' : '0' })
    this.#drawPulse(frame)
    this.#locator.update(frame)
    return names
  }

  #frameNow(): Frame | undefined {
    if (this.#drawn === undefined) return undefined
    const { graph, look } = this.#drawn
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1)
    const highlight = this.#highlightOf(graph, look, this.#hovered)
    const [magnified, isNarrow] = [this.camera.scale / this.#wholeScale, this.#size.width < NARROW]
    return { graph, look, theme: this.#theme, camera: this.camera, ratio, highlight, magnified, isNarrow, ...this.#size }
  }

  readonly #highlightOf = memoizeLast((...args: Parameters<typeof highlightOf>) => args, highlightOf)

  /** Positions for tests, in CSS pixels of the view, by id. */
  spots(): ReadonlyMap<string, readonly [x: number, y: number]> {
    const frame = this.#frameNow()
    return new Map(frame?.graph.picture.ids.map((id, note) => [id, placeIn(frame, note)]))
  }

  get isStill(): boolean {
    const isAsked = this.#frame !== 0 || this.#still !== undefined || this.#hoverSoon !== undefined
    return !isAsked && this.#drawn !== undefined && this.#lit.image.getAnimations().length === 0
  }

  #leaveGoal(): void {
    this.#stopFlying()
    this.#goal = undefined
    this.isMoved = true
  }

  #ask(): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.draw()
    })
  }

  #moveTo(camera: Camera): void {
    const { x, y, scale } = this.camera
    if (camera.x === x && camera.y === y && camera.scale === scale) return
    this.camera = camera
    // The hover ends, because the note moves away from under the pointer.
    this.#hover(undefined, 0, 0)
    clearTimeout(this.#still)
    this.#still = setTimeout(() => {
      this.#still = undefined
      this.#ask()
    }, STILL_MS)
    this.#ask()
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

  #writeNames(on: CanvasRenderingContext2D, frame: Frame): readonly Label[] {
    const { graph } = frame
    const writing = this.#writingIn(frame)
    this.#groupNames = this.#labelGroups(writing)
    if (frame.magnified > PARTS_FROM) this.#labelParts(writing)
    const whole = graph.count <= NAMED.ofFew ? NAMED.ofFew : graph.count <= NAMED.some ? NAMED.ofSome : NAMED.ofMany
    this.#labelNotes(writing, this.#byWeight(graph), mostNames(frame, whole, 2))
    if (frame.magnified <= PARTS_FROM && !frame.isNarrow) this.#labelParts(writing)
    return this.#writeTexts(on, writing)
  }

  /**
   * Writes the names of notes of a path and of the note in focus first, and then those of groups, faded where they are not
   * highlighted.
   */
  #writeNamesOf(on: CanvasRenderingContext2D, frame: Frame, highlight: Highlight): readonly Label[] {
    const { look, graph } = frame
    const { notes, center } = highlight
    const writing = this.#writingIn(frame)
    for (const note of [center, ...look.path, look.focus])
      if (note !== undefined && notes.has(note)) this.#labelNote(note, writing, 'chosen')
    this.#groupNames = center === undefined ? this.#labelGroups(writing, notes, true) : []
    if (center !== undefined) this.#labelAround(center, writing)
    else if (partsWithin(landPartsOf(graph, look), notes).length > 0) {
      const indexes = [...notes].filter((note) => isIndex(graph, note))
      this.#labelNotes(writing, indexes, indexes.length)
      this.#labelParts(writing, notes)
    } else {
      const kind = this.#groupNames.length > 0 ? 'other' : 'linked'
      this.#labelNotes(writing, sortedBy(weightsOf(graph), [...notes]), NAMED.lit, kind)
    }
    if (center !== undefined) writing.labels.covered.push(squareAround(placeIn(frame, center), APART / 2))
    this.#labelGroups(writing, notes, false)
    return this.#writeTexts(on, writing)
  }

  /** Writes names. Small notes that names of groups would hide partially are covered. */
  #writeTexts(on: CanvasRenderingContext2D, { frame, labels, texts }: Writing): readonly Label[] {
    const small = smallNotesIn(frame)
    const dimmed = small.filter(({ note }) => frame.highlight?.notes.has(note) !== true)
    for (const { label, ground, isGroup, isFaded } of texts)
      if (isGroup) coverNotes(on, isFaded ? dimmed : small, label.box, ground)
    drawMarks(on, frame)
    for (const text of texts) {
      on.globalAlpha = text.isFaded ? FADED : 1
      write(on, text)
    }
    on.globalAlpha = 1
    return labels.placed
  }

  #labelAround(center: number, writing: Writing): void {
    const { frame, labels } = writing
    const all = closestTo(frame, center)
    const most = frame.graph.count <= FEW ? NAMED.lit : frame.isNarrow ? NAMED.aroundNarrow : NAMED.around
    const before = labels.placed.length
    // A land has no name if the note of the same name has none.
    const namesakes = new Set(this.#groups(frame.graph, frame.look).map(({ namesake }) => namesake))
    this.#labelNotes(writing, [...all.filter((note) => namesakes.has(note)), ...all], most, 'linked')
    const away = all.length > HUB ? [] : all.filter((note) => !isInView(frame, note))
    for (const note of away.slice(0, NAMED.away)) this.#labelEnd(center, note, writing)
    const more = all.length - (labels.placed.length - before)
    if (more === 0) return
    this.#label(writing, `+${more} more`, (words) => beside(frame, center, words))
  }

  #label(writing: Writing, text: string, centersOf: (words: Words) => readonly Point[]): void {
    const words = this.#words(text, [text], [400, 11.5])
    const label = placeLabel(writing.labels, words, centersOf(words))
    if (label !== undefined) addText(writing, label, { color: writing.frame.theme.link, edge: 3 })
  }

  /** Names a note outside the view, where the link to it leaves the view. */
  #labelEnd(center: number, note: number, writing: Writing): void {
    const { frame } = writing
    const { width, height } = frame
    const exit = exitOf({ ...frame, view: frame }, placeIn(frame, center), placeIn(frame, note), center < note ? BEND : -BEND)
    if (exit === undefined) return
    const [x, y] = exit
    const title = this.#shortened(frame.graph.picture.titles[note] ?? '', frame, LONGEST.aroundNote)
    const arrow = '→↓←↑'.at(Math.round(Math.atan2(y / height - 0.5, x / width - 0.5) / (Math.PI / 2)) & 3)
    this.#label(writing, `${arrow} ${title}`, (words) =>
      [0, 1, -1].map((line) => [within(x, width, words.width), within(y + line * words.height, height, words.height)]),
    )
  }

  #writingIn(frame: Frame): Writing {
    const dots = new Dots(frame.width, frame.height)
    // Names must not hide index notes.
    const { offsetLeft: x, offsetTop: y, offsetWidth, offsetHeight } = this.#locator.box
    const covered: Box[] = [...this.#covered(), [x, y, x + offsetWidth, y + offsetHeight]]
    for (const note of frame.highlight?.notes ?? frame.graph.degrees.keys()) {
      const radius = radiusIn(frame, note)
      if (frame.look.shown[note] === 0 || radius < SEEN) continue
      const box = squareAround(placeIn(frame, note), radius)
      dots.add(box)
      if (isIndex(frame.graph, note)) covered.push(box)
    }
    const curves = curvesIn(frame)
    const lines = curves.length > 0 ? new Dots(frame.width, frame.height) : undefined
    for (const { start, over, end } of curves) lines?.addCurve(start, over, end)
    return { frame, labels: { ...this.#size, covered, dots, lines, placed: [] }, named: new Set(), texts: [] }
  }

  #covered(): readonly Box[] {
    const { left, top } = this.#element.getBoundingClientRect()
    const covered = this.#events.covered?.() ?? []
    return covered.map((one) => [one.left - left, one.top - top, one.right - left, one.bottom - top])
  }

  #labelNotes(writing: Writing, notes: readonly number[], most: number, kind?: keyof typeof RULES): void {
    const { frame, labels } = writing
    const end = labels.placed.length + most
    const inView = notes.filter((note) => isInView(frame, note))
    const spots: Point[] = []
    const apart = APART / Math.sqrt(frame.magnified)
    const isFree = ([x, y]: Point): boolean => spots.every(([left, top]) => Math.hypot(left - x, top - y) >= apart)
    for (const note of inView.slice(0, frame.graph.count <= FEW || isNear(frame) ? MOST_LOOKED : 3 * most)) {
      if (labels.placed.length >= end) return
      const how = isIndex(frame.graph, note) ? 'index' : (kind ?? this.#kindOf(frame, note))
      const spot = placeIn(frame, note)
      if (how === undefined || (how === 'apart' && !isFree(spot))) continue
      if (this.#labelNote(note, writing, how)) spots.push(spot)
    }
  }

  #kindOf(frame: Frame, note: number): keyof typeof RULES | undefined {
    const isFew = frame.graph.count <= FEW
    if (!isFew && isNear(frame)) return 'apart'
    const share = radiusIn(frame, note) / radiusIn(frame, this.#byWeight(frame.graph)[0] ?? 0)
    return share >= (isFew ? LARGE.few : LARGE.many) ? 'large' : isFew ? 'other' : undefined
  }

  /** @returns true if the name was placed */
  #labelNote(note: number, writing: Writing, kind: keyof typeof RULES): boolean {
    const { frame, labels, named } = writing
    if (frame.look.shown[note] === 0 || named.has(note)) return false
    named.add(note)
    const home = areasOf(frame.graph, frame.look).colorAt(...placeOf(frame.graph, note))
    const { ways, color } = this.#waysToWrite(note, writing, home, kind === 'chosen')
    for (const [at, most] of Object.entries(RULES[kind]))
      for (const [mostHidden, words] of [...new Set([0, most])].flatMap((hidden) => ways.map((way) => [hidden, way] as const))) {
        const centers = beside(frame, note, words)
        const room = at === 'inside' ? { ...words, width: words.width + 2 * INSIDE } : words
        const isAllowed = at === 'anywhere' ? undefined : landTest(frame, room, landIs(frame, home), at === 'nearLand')
        const label = placeLabel(labels, words, centers, { mostHidden, clear: RING - 1, isAllowed })
        if (label === undefined) continue
        addText(writing, label, { color, edge: mostHidden > 0 ? 5 : 3 })
        return true
      }
    return false
  }

  /** Returns the ways to write the name of a note on the area `home`. A large map has no name twice. */
  #waysToWrite(note: number, { frame, labels }: Writing, home: number | undefined, isChosen: boolean) {
    const { graph, look, highlight, theme } = frame
    const isAround = highlight?.center !== undefined && highlight.center !== note
    const text = this.#shortened(graph.picture.titles[note] ?? '', frame, isAround ? LONGEST.aroundNote : LONGEST.usual)
    const isWritten = labels.placed.some((other) => other.text === text)
    // A land has no second name if the note of the same name has one.
    const groups = isChosen || isWritten || (isAround && graph.count <= SMALL_MAP) ? [] : this.#groups(graph, look)
    const isForLand = groups.some((group) => group.namesake === note && group.color === home && isColored(group))
    const font = this.#noteFont(frame, note, isChosen)
    const waysIn = (of: Font, isLand: boolean): readonly Words[] => {
      const ways = this.#linesOf(text, text, of, isLand).slice(0, text.length < LONG.may ? 1 : 2)
      return text.length > LONG.should && !isAround ? ways.toReversed() : ways
    }
    const plain = waysIn(isForLand ? [650, font[1]] : font, false)
    // Capitals need more room.
    const ways = isForLand ? [...waysIn(font, true), ...plain] : plain
    return { ways: isWritten && graph.count > SMALL_MAP ? [] : ways, color: isForLand ? landColor(frame, home) : theme.text }
  }

  /** Wraps a title in each possible way. Names of lands are in capitals, but in a narrow window there is no room for these. */
  #linesOf(text: string, title: string, [weight, size]: Font, isLand: boolean): readonly Words[] {
    const isCapital = isLand && this.#size.width >= NARROW
    return wrapped(isCapital ? title.toLocaleUpperCase() : title).map((lines) => {
      const words = this.#words(text, lines, [isLand ? 700 : weight, size], isCapital ? SPACED * size : 0)
      return isLand ? { ...words, width: words.width + 2 * CLEAR } : words
    })
  }

  #noteFont(frame: Frame, note: number, isChosen: boolean): Font {
    const { graph, isNarrow, magnified, highlight } = frame
    const nearer = Math.min(GROWTH.most, Math.max(1, magnified / GROWTH.from) ** GROWTH.power)
    // Around an open note all names look alike.
    const linked = isNear(frame) && highlight?.center === undefined ? (weightsOf(graph)[note] ?? 0) : 0
    const size = (isNarrow ? 11.5 : 12.5) * nearer * (1 + NAME_GROWTH * linked)
    return isChosen ? [650, CHOSEN_NAME * size] : [linked > BOLD ? 600 : 400, size]
  }

  #words(text: string, lines: readonly string[], [weight, size]: Font, spacing = 0): Words {
    const grown = Math.min(MOST_GROWN, Math.max(1, Math.sqrt(this.#size.width / WIDE)))
    const font = `${weight} ${(grown * size).toFixed(1)}px ${FONT}`
    this.#context.font = font
    return {
      text,
      lines,
      font,
      spacing: grown * spacing,
      width: Math.max(...lines.map((line) => this.#context.measureText(line).width + grown * spacing * line.length)),
      height: lines.length * 1.25 * grown * size,
    }
  }

  #shortened(title: string, { width }: Frame, longest = LONGEST.usual): string {
    const line =
      title
        .replace(/\p{Extended_Pictographic}|\uFE0F|\u200D/gu, '')
        .replace(/\s+/g, ' ')
        .trim() || title
    const most = Math.max(12, Math.min(longest, Math.floor(width / 9)))
    // The final cut falls between characters, so no surrogate pair is split.
    const start = [...line.slice(0, 2 * most)].slice(0, most - 1).join('')
    const end = start.lastIndexOf(' ') > most - LONG.word ? start.lastIndexOf(' ') : most
    return line.length > most
      ? `${start
          .slice(0, end)
          .replace(/[,;:-]$/, '')
          .trimEnd()}…`
      : line
  }

  /**
   * Names groups, the largest first. With `are`, only groups that are completely `within` get a name, or else only the others.
   * Groups without enough room get no name.
   */
  #labelGroups(writing: Writing, within?: ReadonlySet<number>, are = true): readonly Label[] {
    const { frame, named } = writing
    const { graph, look } = frame
    const names: Label[] = []
    const groups = this.#groups(graph, look)
    const most = mostNames(frame, NAMED.groups, 1)
    const divided = new Set(
      within === undefined && frame.magnified > PARTS_FROM ? landPartsOf(graph, look).map(({ color }) => color) : [],
    )
    const isWanted = ({ color, notes }: Group): boolean =>
      !divided.has(color) && (within === undefined || notes.every((note) => within.has(note)) === are)
    for (const group of groups.filter(isWanted)) {
      const { notes, namesake, bounds } = group
      const isNamed = namesake !== undefined && named.has(namesake)
      if (isNamed && (are || namesake === frame.highlight?.center || graph.count > SMALL_MAP)) continue
      const isOther = !isColored(group)
      // A color without a name has no meaning, even in a small window.
      if (isOther && (!are || names.length >= most || notes.length < NAMED.least)) continue
      const diagonal = frame.camera.scale * Math.hypot(bounds[2] - bounds[0], bounds[3] - bounds[1])
      const sizes = sizesFor(isOther || !are ? 0 : diagonal / LARGE_LAND, GROUP_FONT, PART_FONT.near.least)
      const label = this.#labelLand(writing, are ? group : { ...group, namesake: undefined }, sizes, !are)
      if (label === undefined) continue
      const [left, top, right, bottom] = label.box
      const isBeside = ([x, y]: Point): boolean => Math.hypot(x - (left + right) / 2, y - (top + bottom) / 2) < 1
      if (namesake !== undefined && (graph.count > SMALL_MAP || beside(frame, namesake, label).some(isBeside)))
        named.add(namesake)
      names.push(label)
    }
    return names
  }

  #labelParts(writing: Writing, within?: ReadonlySet<number>): void {
    const { frame, labels } = writing
    const end = labels.placed.length + (within === undefined ? mostNames(frame, NAMED.parts, 1) : NAMED.partsOfGroup)
    const parts = landPartsOf(frame.graph, frame.look)
    const named = within === undefined ? parts.filter(({ isRest }) => isRest !== true) : partsWithin(parts, within)
    const font = within !== undefined || frame.magnified > PARTS_FROM ? PART_FONT.near : PART_FONT.far
    const largest = Math.max(...named.map(({ isRest, notes }) => (isRest ? 1 : notes.length)))
    for (const part of named) {
      if (labels.placed.length >= end) return
      const sizes = sizesFor(Math.sqrt(part.notes.length / largest), font)
      if (!labels.placed.some(({ text }) => text === part.label)) this.#labelLand(writing, part, sizes)
    }
  }

  #labelLand(writing: Writing, group: Group, sizes: readonly number[], isFaded = false): Label | undefined {
    const { frame, labels } = writing
    const isLand = group.has === undefined && isColored(group)
    const ways = sizes.map((size) => this.#linesOf(group.label, this.#shortened(group.label, frame), [550, size], isLand))
    const before = isFaded ? this.#nameCenters.get(group.label) : undefined
    const label = placeInside(frame, labels, { ...group, before }, ways, isFaded ? 0 : Infinity)
    if (label === undefined) return undefined
    if (isLand && frame.highlight === undefined) this.#nameCenters.set(group.label, middleOf(frame, label))
    addText(writing, label, { color: landColor(frame, group.color), edge: 6, isGroup: true, isFaded })
    return label
  }

  #size = { width: 1, height: 1 }

  readonly #groups = memoizeLast((graph: Graph, look: Look) => [graph, look.shown, look.colors, look.groupedBy], groupsOf)

  readonly #byWeight = memoizeLast(
    (graph: Graph) => [graph],
    (graph) => {
      const weights = weightsOf(graph)
      // `weights` are at most 1, so index notes come first.
      const order = Float32Array.from(weights, (weight, note) => (isIndex(graph, note) ? 1 + (graph.degrees[note] ?? 0) : weight))
      return sortedBy(order, [...order.keys()])
    },
  )

  get #wholeScale(): number {
    const { extent = 1 } = this.#drawn ? areasOf(this.#drawn.graph, this.#drawn.look) : {}
    return Math.hypot(this.#size.width, this.#size.height) / extent
  }

  #around(notes: readonly number[], focus?: number, fitting: Partial<Fitting> = {}): Camera {
    if (this.#drawn === undefined) return this.camera
    const { graph, look } = this.#drawn
    const points = notes.flatMap((note) => placeOf(graph, note))
    const place = focus === undefined ? undefined : placeOf(graph, focus)
    const { reach } = areasOf(graph, look)
    return fitInto(points, { ...this.#size, covered: this.#covered(), most: NEAREST, reach, focus: place, ...fitting })
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault()
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
    this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0015)), event.offsetX, event.offsetY)
  }

  /** Prevents Safari from zooming the page. On touch screens, pointer events zoom the map. */
  #onGesture(event: GestureEvent): void {
    event.preventDefault()
    const { type, scale, clientX, clientY } = event
    if (type === 'gesturechange' && this.#pointers.size === 0) {
      const { left, top } = this.#element.getBoundingClientRect()
      this.zoom(scale / this.#pinched, clientX - left, clientY - top)
    }
    this.#pinched = scale
  }

  #onDown(event: PointerEvent): void {
    this.#isKeyLast = false
    // The other buttons open menus and tabs.
    if (event.button > 1) return
    this.#element.setPointerCapture(event.pointerId)
    this.#stopFlying()
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
    if (other === undefined) {
      this.#panBy(before.x - now.x, before.y - now.y)
      return
    }
    const was = Math.hypot(before.x - other.x, before.y - other.y)
    const is = Math.hypot(now.x - other.x, now.y - other.y)
    if (was > 0) this.zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2)
  }

  #onUp(event: PointerEvent): void {
    const isClick = this.#pointers.size === 1 && this.#moved < 5
    this.#pointers.delete(event.pointerId)
    if (!isClick) return
    const name = this.#groupAt(event.offsetX, event.offsetY)
    const note = name === undefined ? this.#noteAt(event.offsetX, event.offsetY) : undefined
    // A panel may now cover the map, so the pointer never leaves it.
    this.#hover(undefined, 0, 0)
    if (name === undefined) this.#events.onSelect(note, event)
    else this.#events.onGroup?.(name)
  }

  #onContextMenu(event: MouseEvent): void {
    // For a keyboard event, which has no position, the note in focus is used.
    const note = this.#isKeyLast ? this.#drawn?.look.focus : this.#noteAt(event.offsetX, event.offsetY)
    if (note === undefined || this.#events.onMenu === undefined) return
    event.preventDefault()
    // Clearing the pointers prevents a click when the pointer is released.
    this.#pointers.clear()
    this.#hover(undefined, 0, 0)
    this.#events.onMenu(note, event)
  }

  #hover(note: number | undefined, x: number, y: number): void {
    clearTimeout(this.#hoverSoon)
    this.#hoverSoon = undefined
    this.#hoverNext = note
    if (note === this.#hovered) return
    this.#hovered = note
    this.#events.onHover(note, x, y)
    this.#ask()
  }

  #hoverLater(note: number | undefined, x: number, y: number): void {
    if (note === this.#hoverNext) return
    clearTimeout(this.#hoverSoon)
    this.#hoverNext = note
    this.#hoverSoon = setTimeout(() => this.#hover(note, x, y), HOVER_MS)
  }

  /** Returns the group at a point of a partly drawn vault. In other vaults, names of groups are not clickable. */
  #groupAt(x: number, y: number): string | undefined {
    const { notes, vault } = this.#drawn?.graph ?? {}
    if (notes === vault?.notes) return undefined
    return this.#groupNames.find(({ box: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom)
      ?.text
  }

  /** Returns the note at a point, with a tolerance for fingers and small notes. */
  #noteAt(x: number, y: number): number | undefined {
    const frame = this.#frameNow()
    if (frame === undefined) return undefined
    let best: number | undefined
    let least = 6
    for (let note = 0; note < frame.graph.count; note++) {
      const [left, top] = placeIn(frame, note)
      const distance = Math.hypot(left - x, top - y) - radiusIn(frame, note)
      if (distance >= least || frame.look.shown[note] === 0) continue
      least = distance
      best = note
    }
    return best
  }
}

type Size = Pick<Words, 'width' | 'height'>
type Region = (x: number, y: number) => boolean
/** `size` is in pixels. */
type Font = readonly [weight: number, size: number]

interface Writing {
  readonly frame: Frame
  readonly labels: Labels
  readonly named: Set<number>
  readonly texts: Text[]
}

interface Text {
  readonly label: Label
  readonly color: string
  readonly ground: string
  readonly edge: number
  readonly isGroup?: boolean
  readonly isFaded?: boolean
}

function addText({ frame, texts }: Writing, label: Label, text: Omit<Text, 'label' | 'ground'>): void {
  texts.push({ ...text, label, ground: groundAt(frame, middleOf(frame, label)) })
}

function write(context: CanvasRenderingContext2D, { label, color, ground, edge }: Text): void {
  const { lines, font, spacing, height, box } = label
  Object.assign(context, { font, letterSpacing: `${spacing}px`, textBaseline: 'middle', textAlign: 'center' })
  Object.assign(context, { lineJoin: 'round', lineWidth: edge, strokeStyle: ground, fillStyle: color })
  const middles = lines.map((line, at) => [line, (box[0] + box[2]) / 2, box[1] + ((at + 0.5) * height) / lines.length] as const)
  for (const middle of middles) context.strokeText(...middle)
  for (const middle of middles) context.fillText(...middle)
}

/** Returns curves that names avoid: between areas, or from an open note to its linked notes. */
function curvesIn(frame: Frame) {
  const { center, notes = [] } = frame.highlight ?? {}
  if (center === undefined) return bandsIn(frame)
  if ((frame.graph.degrees[center] ?? 0) > HUB) return []
  return [...notes].map((note) => {
    const [start, end] = [placeIn(frame, Math.min(center, note)), placeIn(frame, Math.max(center, note))]
    return { start, over: bent(...start, ...end), end }
  })
}

function squareAround([x, y]: Point, radius: number): Box {
  return [x - radius, y - radius, x + radius, y + radius]
}

/** Returns the middle of a label in layout units. */
function middleOf(frame: Frame, { box: [left, top, right, bottom] }: Label): Point {
  return pointAt(frame, (left + right) / 2, (top + bottom) / 2)
}

/** Returns visible positions next to a note, below, above and diagonal. */
function beside(frame: Frame, note: number, { width, height }: Words): readonly Point[] {
  const [x, y] = placeIn(frame, note)
  const radius = radiusIn(frame, note) + (note === frame.highlight?.center ? 1.5 : 1) * RING
  const [aside, off, slant] = [radius + width / 2, radius + height / 2, radius * 0.7 + 1]
  const around: [along: number, down: number][] = [
    [aside, 0],
    [-aside, 0],
  ]
  for (const along of [0, 0.25, -0.25]) around.push([along * width, off], [along * width, -off])
  for (const right of [1, -1]) for (const down of [1, -1]) around.push([right * (slant + width / 2), down * (slant + height / 2)])
  return around.map(([along, down]) => [within(x + along, frame.width, width), y + down])
}

function centersFor(frame: Frame, { bounds }: Group): readonly Point[] {
  const { reach } = areasOf(frame.graph, frame.look)
  const [left, top] = pointIn(frame, bounds[0] - reach, bounds[1] - reach).map((edge) => Math.max(0, edge)) as [number, number]
  const [toLeft, toTop] = pointIn(frame, bounds[2] + reach, bounds[3] + reach)
  const [right, bottom] = [Math.min(frame.width, toLeft), Math.min(frame.height, toTop)]
  const [middleX, middleY] = [(left + right) / 2, (top + bottom) / 2]
  const step = Math.max(STEP, Math.sqrt(((right - left) * (bottom - top)) / PLACES))
  const places: Point[] = []
  for (let down = top; down <= bottom; down += step)
    for (let along = left; along <= right; along += step) places.push([along, down])
  const far = ([along, down]: Point): number => (along - middleX) ** 2 + 2 * (down - middleY) ** 2
  return places.sort((a, b) => far(a) - far(b))
}

interface Place {
  /** The centers to try, in order of preference. The default is next to the namesake. */
  readonly centers?: readonly Point[]
  /** Maximum number of grid cells with notes to hide. */
  readonly hides: number
  readonly mayReachOut?: boolean
}

/** Places a name next to its namesake, or near the center of the area. */
function placeInside(frame: Frame, labels: Labels, group: Group, ways: readonly (readonly Words[])[], mostHidden: number) {
  const { namesake, color, before } = group
  const isNext = namesake !== undefined && isInView(frame, namesake)
  const all = centersFor(frame, group)
  const middle = all.slice(0, all.length / 6)
  const isMany = frame.graph.count > NAMED.some
  const few = frame.graph.count < FEW ? 0 : Math.min(mostHidden, isMany ? FEW_HIDDEN.ofMany : FEW_HIDDEN.ofSome)
  const passes: readonly (readonly Place[])[] = [
    // Free positions come first, because they are easier to read.
    [
      ...(before === undefined ? [] : [{ centers: [pointIn(frame, ...before)], hides: mostHidden }]),
      { hides: isNear(frame) ? mostHidden : few },
      { centers: all, hides: 0 },
      { centers: middle, hides: few },
    ],
    [{ centers: all, hides: 0 }],
    isMany ? [] : [{ centers: all, hides: 2 * few }],
    [{ hides: mostHidden }, { centers: middle, hides: mostHidden }, { centers: all, hides: mostHidden }],
    // A colored area needs a name, which may extend slightly beyond the area.
    isColored(group) ? [{ centers: all, hides: mostHidden, mayReachOut: true }] : [],
  ]
  for (const [pass, places] of passes.entries())
    for (const [words, { centers, hides, mayReachOut }] of ways.flatMap((size) =>
      places.flatMap((place) => size.map((words) => [words, place] as const)),
    )) {
      const margin = pass === 0 ? 2 * INSIDE : 0
      const room = { width: words.width + margin, height: words.height + margin }
      const isOwn = landTest(frame, room, group.has ?? landIs(frame, color), mayReachOut)
      const isAllowed = frame.look.isColoredByGroup ? isOwn : undefined
      const next = isNext ? beside(frame, namesake, words) : []
      const label = placeLabel(labels, words, centers ?? next, { mostHidden: hides, isAllowed })
      if (label !== undefined) return label
    }
  return undefined
}

/**
 * Returns the maximum number of names.
 * @param whole maximum for the whole map
 * @param power how fast the maximum grows with the scale
 */
function mostNames({ width, height, magnified }: Frame, whole: number, power: 1 | 2): number {
  const room = Math.min(1.3, Math.sqrt((width * height) / NAMED.area))
  return Math.min(NAMED.most, Math.round(whole * room * Math.max(1, magnified) ** power))
}

/** Returns the sizes to try, the largest first. It grows with `share`, up to a share of 1. */
function sizesFor(share: number, { least, most }: typeof GROUP_FONT, smallest = least): readonly number[] {
  const largest = least + (most - least) * Math.min(1, share)
  return [...new Set(SMALLER.map((smaller) => Math.max(smallest, largest * smaller)))]
}

/** Returns false for groups in gray. */
function isColored({ color }: Pick<Group, 'color'>): boolean {
  return color < OTHER
}

function isNear(frame: Frame): boolean {
  return frame.graph.count > FEW && farnessOf(frame) < NEAR
}

/** Returns a predicate for points where the text stays on the same area. */
function landTest(frame: Frame, { width, height }: Size, has: Region, mayReachOut = false): (at: Point) => boolean {
  const [rows, share] = mayReachOut ? [[-0.5, 0.5], REACH_OUT] : [[-0.5, 0, 0.5], 1]
  return ([x, y]) =>
    rows.every((down) =>
      [-0.5, -0.25, 0, 0.25, 0.5].every((along) => has(...pointAt(frame, x + along * share * width, y + down * height))),
    )
}

/** Returns a predicate for points on an area of this color, or on no area. */
function landIs({ graph, look }: Frame, color: number | undefined): Region {
  const { colorAt } = areasOf(graph, look)
  return (x, y) => colorAt(x, y) === color
}

/** Sorts in descending order. */
function sortedBy(values: ArrayLike<number>, notes: number[]): readonly number[] {
  return notes.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0) || a - b)
}

/** Calls `draw` once per frame with a share that grows from 0 to 1, at first quickly. @returns a function that stops this */
function animate(duration: number, draw: (share: number) => void): () => void {
  const began = performance.now()
  let frame = 0
  const step = (): void => {
    const share = isCalm() ? 1 : Math.min(1, (performance.now() - began) / duration)
    if (share < 1) frame = requestAnimationFrame(step)
    draw(1 - (1 - share) ** 3)
  }
  step()
  return () => cancelAnimationFrame(frame)
}

/** Highlights the surroundings of a hovered note, or else `lit`. */
function highlightOf(graph: Graph, { lit, focus }: Look, hovered: number | undefined): Highlight | undefined {
  const center = hovered ?? (lit === undefined ? focus : undefined)
  if (center === undefined) return lit && { notes: lit, center }
  return { notes: new Set([center, ...neighbors(graph, center)]), center }
}

function isCalm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

function groupsOf(graph: Graph, look: Look): readonly Group[] {
  const { shown, colors, groupedBy } = look
  const { of, groups } = groupingBy(graph, groupedBy)
  const drawn = [...graph.degrees.keys()].filter((note) => shown[note] === 1)
  return byNumber(drawn, of, groups.length)
    .flatMap((notes, group) => (notes.length === 0 ? [] : [{ label: groups[group]?.label ?? '', notes }]))
    .sort((a, b) => b.notes.length - a.notes.length)
    .map(({ label, notes }) => ({
      label,
      notes,
      color: colors[notes.find((note) => (colors[note] ?? 0) <= OTHER) ?? -1] ?? 0,
      bounds: boundsOfMost(graph, notes),
      namesake: notes.find((note) => graph.picture.titles[note] === label),
    }))
}
