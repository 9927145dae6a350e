import { type Graph, type GroupedBy, groupingBy, neighbours, radiusOf } from './graph.ts'

/** Which part of a graph to show, and how. */
export interface Look {
  /** 1 for visible notes. */
  readonly shown: Uint8Array
  /** Palette index of each note. */
  readonly colours: Uint8Array
  readonly palette: readonly string[]
  /** The groups whose names are shown when zoomed out. */
  readonly groupedBy: GroupedBy
  /** The note in focus. */
  readonly focus: number | undefined
  /** Highlighted notes, while the others are faded. By default, none are faded. */
  readonly lit: ReadonlySet<number> | undefined
  /** A path of notes, drawn on top of everything. */
  readonly path: readonly number[]
}

export interface Theme {
  readonly ground: string
  readonly text: string
  readonly halo: string
  readonly link: string
  readonly accent: string
}

export interface MapEvents {
  /** Called when a note is clicked, or with `undefined` for an empty place. */
  onSelect(note: number | undefined, event: MouseEvent): void
  onHover(note: number | undefined, x: number, y: number): void
  /** Called when the name of a partly drawn community is clicked. */
  onGroup?(label: string): void
  /** Returns the elements that cover the canvas, where no names are drawn. */
  covered?(): readonly DOMRect[]
}

interface Camera {
  /** The point at the center of the view. */
  x: number
  y: number
  /** CSS pixels per unit of the layout. */
  scale: number
}

interface Group {
  readonly label: string
  readonly notes: number
  readonly x: number
  readonly y: number
}

type Box = readonly [left: number, top: number, right: number, bottom: number]

export interface Label {
  readonly text: string
  readonly box: Box
}

/** Maximum number of links to draw while the view moves. At rest, all are drawn. */
const LINKS_MOVING = 4_000
const LINKS_STILL = 150_000
/** Links are drawn this far beyond the view, so it can move without redrawing. */
const MARGIN = 0.3
/** Everything is drawn after this many milliseconds without movement. */
const STILL_MS = 140
/** Maximum number of segments per stroke. Long paths are slow, because the browser looks for crossings. */
const STROKE = 120
/** Links of notes with more links than this are faint. */
const HUB = 200
/**
 * Opacity by the number of links of the more connected end: up to 15, up to 60, up to `HUB`, more; and of links that are not
 * highlighted while others are.
 */
const OPACITY = [0.55, 0.35, 0.2, 0.06, 0.015]
const LABELS = 160
/** Maximum number of names to draw on top of notes when there is no room next to them. */
const LABELS_ON_NOTES = 40
/** From this radius in pixels, notes are recognizable individually. */
const SEEN = 2.5
/** From this radius in pixels, a note is too large to be covered by the name of another. */
const WIDE = 9
/** Above this scale, in pixels per unit, notes grow more slowly than the map. */
const GROWS_LESS = 9
/** Maximum radius of a note in pixels. */
const LARGEST = 32
/** Maximum number of communities to name at once, and the minimum share of notes for each. */
const NAMED = { most: 28, share: 0.003 }

/** Without a graphics card, a canvas in plain memory is ten times as fast as an emulated one. */
function drawingOf(): CanvasRenderingContext2DSettings {
  drawing ??= { willReadFrequently: isWithoutCard() }
  return drawing
}
let drawing: CanvasRenderingContext2DSettings | undefined

function isWithoutCard(): boolean {
  const context = document.createElement('canvas').getContext('webgl')
  if (context === null) return true
  const names = context.getExtension('WEBGL_debug_renderer_info')
  const renderer = String(context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER))
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer)
}

/**
 * Draws a graph on a canvas. Links are drawn once to an image that is larger than the view and then only moved. Notes and labels are
 * drawn in every frame. Nothing is drawn while nothing moves.
 */
export class MapView {
  readonly #canvas: HTMLCanvasElement
  readonly #context: CanvasRenderingContext2D
  readonly #links = document.createElement('canvas')
  readonly #events: MapEvents
  #graph: Graph | undefined
  #look: Look | undefined
  #theme: Theme
  #camera: Camera = { x: 0, y: 0, scale: 1 }
  /** The camera position for which the links were drawn. */
  #drawn: (Camera & { readonly all: boolean }) | undefined
  #frame = 0
  #still: ReturnType<typeof setTimeout> | undefined
  #hovered: number | undefined
  readonly #widths = new Map<string, number>()
  readonly #pointers = new Map<number, { x: number; y: number }>()
  #moved = 0
  #isMoved = false
  #labels = 0
  /** Names of communities in the last frame. */
  #groupNames: readonly Label[] = []
  #flight = 0
  /** The scale at which everything is in view. */
  #wholeScale = 0
  /** Restores what was last brought into view, until the user moves the view. */
  #goal: (() => void) | undefined

  constructor(canvas: HTMLCanvasElement, theme: Theme, events: MapEvents) {
    this.#canvas = canvas
    const context = canvas.getContext('2d', drawingOf())
    if (context === null) throw new Error('This browser draws no canvas.')
    this.#context = context
    this.#theme = theme
    this.#events = events
    canvas.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false })
    canvas.addEventListener('pointerdown', (event) => this.#onDown(event))
    canvas.addEventListener('pointermove', (event) => this.#onMove(event))
    canvas.addEventListener('pointerup', (event) => this.#onUp(event))
    canvas.addEventListener('pointercancel', (event) => this.#pointers.delete(event.pointerId))
    canvas.addEventListener('pointerleave', () => this.#hover(undefined, 0, 0))
    new ResizeObserver(() => this.#resize()).observe(canvas)
    this.#resize()
  }

  /** Shows a graph. The first one is fitted into the view. Later ones leave the view unchanged, unless most notes have moved. */
  show(graph: Graph, look: Look): void {
    const isNew = this.#graph === undefined || isElsewhere(this.#graph, graph)
    this.#graph = graph
    this.#look = look
    this.#drawn = undefined
    if (isNew) this.fit()
    else this.#wholeScale = this.#around(this.#shownNotes()).scale
    this.#ask()
  }

  /** Redraws, for example because the elements that cover the map have changed. */
  refresh(): void {
    this.#ask()
  }

  setTheme(theme: Theme): void {
    this.#theme = theme
    this.#drawn = undefined
    this.#ask()
  }

  /** Fits the visible notes into the view. */
  fit(): void {
    const graph = this.#graph
    if (graph === undefined) return
    this.#goal = () => this.fit()
    const whole = this.#around(this.#shownNotes())
    this.#wholeScale = whole.scale
    this.#moveTo(whole)
  }

  #shownNotes(): readonly number[] {
    return [...Array(this.#graph?.count ?? 0).keys()].filter((note) => this.#look?.shown[note] !== 0)
  }

  /** Brings notes into view. `calm` means without animation. */
  goTo(notes: readonly number[], calm: boolean): void {
    if (notes.length === 0) return
    this.#isMoved = true
    this.#goal = () => this.goTo(notes, true)
    const goal = this.#around(notes)
    const least = notes.length === 1 ? Math.max(this.#camera.scale, this.#readableScale()) : goal.scale
    this.#fly({ ...goal, scale: Math.min(goal.scale, least) }, calm)
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

  /** Draws immediately and returns the labels, so tests can check for overlaps. */
  draw(): readonly Label[] {
    const graph = this.#graph
    const look = this.#look
    if (graph === undefined || look === undefined) return []
    const { width, height } = this.#size()
    const context = this.#context
    const ratio = this.#ratio()
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.fillStyle = this.#theme.ground
    // Covers the last pixel completely, because a partial one would show through.
    context.fillRect(0, 0, Math.ceil(width) + 1, Math.ceil(height) + 1)
    this.#placeLinks(graph, look)
    this.#drawOver(graph, look)
    this.#drawNotes(graph, look)
    const labels = this.#drawLabels(graph, look)
    this.#labels = labels.length
    return labels
  }

  /** The position of each note in the view, by id. */
  spots(): ReadonlyMap<string, readonly [x: number, y: number]> {
    const graph = this.#graph
    return new Map(graph?.picture.ids.map((id, note) => [id, this.#at(graph, note)]))
  }

  /** Number of labels in the last frame. */
  get labels(): number {
    return this.#labels
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
    return this.#frame === 0 && this.#still === undefined && this.#graph !== undefined
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

  #fly(goal: Camera, calm: boolean): void {
    cancelAnimationFrame(this.#flight)
    if (calm) {
      this.#moveTo(goal)
      return
    }
    const from = { ...this.#camera }
    const began = performance.now()
    const step = (): void => {
      const share = Math.min(1, (performance.now() - began) / 350)
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

  #placeLinks(graph: Graph, look: Look): void {
    const { width, height } = this.#size()
    const { x, y, scale } = this.#camera
    const isMoving = this.#still !== undefined
    const drawn = this.#drawn
    const isNear =
      drawn !== undefined &&
      drawn.scale === scale &&
      Math.abs(drawn.x - x) * scale <= width * MARGIN &&
      Math.abs(drawn.y - y) * scale <= height * MARGIN
    const isEnough = isMoving
      ? drawn !== undefined && (isNear || (drawn.scale / scale < 3 && scale / drawn.scale < 2))
      : isNear && drawn.all
    if (!isEnough) this.#drawLinks(graph, look, isMoving ? LINKS_MOVING : LINKS_STILL)
    const at = this.#drawn
    if (at === undefined) return
    const factor = scale / at.scale
    const wide = width * (1 + 2 * MARGIN) * factor
    const high = height * (1 + 2 * MARGIN) * factor
    this.#context.drawImage(
      this.#links,
      width / 2 + (at.x - x) * scale - wide / 2,
      height / 2 + (at.y - y) * scale - high / 2,
      wide,
      high,
    )
  }

  #drawLinks(graph: Graph, look: Look, most: number): void {
    const { width, height } = this.#size()
    const ratio = this.#ratio()
    const wide = width * (1 + 2 * MARGIN)
    const high = height * (1 + 2 * MARGIN)
    this.#links.width = Math.ceil(wide * ratio)
    this.#links.height = Math.ceil(high * ratio)
    const context = this.#links.getContext('2d', drawingOf())
    if (context === null) return
    const { x, y, scale } = this.#camera
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.strokeStyle = this.#theme.link
    const { pairs, places } = graph
    const step = Math.max(1, Math.ceil(pairs.length / 2 / most))
    // The more links there are, the fainter each is drawn. Dense bundles remain visible.
    const crowd = Math.min(1, Math.sqrt(4_000 / Math.max(1, pairs.length / 2 / step)))
    context.lineWidth = Math.min(1.2, Math.max(0.5, scale * 0.06))
    for (const [level, ends] of linksByFading(graph, look, step).entries()) {
      context.globalAlpha = (OPACITY[level] ?? 0.1) * (0.35 + 0.65 * crowd)
      for (let from = 0; from < ends.length; from += 2 * STROKE) {
        context.beginPath()
        for (let at = from; at < Math.min(ends.length, from + 2 * STROKE); at += 2) {
          const a = ends[at] ?? 0
          const b = ends[at + 1] ?? 0
          context.moveTo(wide / 2 + ((places[a * 2] ?? 0) - x) * scale, high / 2 + ((places[a * 2 + 1] ?? 0) - y) * scale)
          context.lineTo(wide / 2 + ((places[b * 2] ?? 0) - x) * scale, high / 2 + ((places[b * 2 + 1] ?? 0) - y) * scale)
        }
        context.stroke()
      }
    }
    this.#drawn = { ...this.#camera, all: step === 1 || most === LINKS_STILL }
  }

  /** Draws the links of the note under the pointer or in focus, and a path. */
  #drawOver(graph: Graph, look: Look): void {
    const context = this.#context
    const note = this.#hovered ?? look.focus
    context.strokeStyle = this.#theme.accent
    if (note !== undefined && look.path.length === 0) {
      const others = neighbours(graph, note).slice(0, 3_000)
      // The links of a hub must not hide the linked notes.
      context.globalAlpha = Math.min(0.5, 4 / Math.sqrt(others.length))
      context.lineWidth = others.length > HUB ? 0.5 : 1
      context.beginPath()
      for (const other of others) {
        if (look.shown[other] === 0) continue
        context.moveTo(...this.#at(graph, note))
        context.lineTo(...this.#at(graph, other))
      }
      context.stroke()
    }
    if (look.path.length > 1) {
      context.globalAlpha = 1
      context.lineWidth = 3
      context.beginPath()
      for (const [at, one] of look.path.entries()) {
        if (at === 0) context.moveTo(...this.#at(graph, one))
        else context.lineTo(...this.#at(graph, one))
      }
      context.stroke()
    }
    context.globalAlpha = 1
  }

  #drawNotes(graph: Graph, look: Look): void {
    const context = this.#context
    const { faded, plain } = this.#notesInView(graph, look)
    context.globalAlpha = 0.15
    this.#fillNotes(graph, look, faded)
    context.globalAlpha = 1
    this.#fillNotes(graph, look, plain)
    this.#ringLinked(graph, look)
    for (const note of [look.focus, this.#hovered]) {
      if (note === undefined || look.shown[note] === 0) continue
      const [x, y] = this.#at(graph, note)
      context.beginPath()
      context.arc(x, y, this.#radius(graph, note) + 3, 0, 7)
      context.lineWidth = 2.5
      context.strokeStyle = this.#theme.accent
      context.stroke()
    }
  }

  /** Marks the notes linked with the note in focus. */
  #ringLinked(graph: Graph, look: Look): void {
    if (look.focus === undefined || look.path.length > 0 || look.lit !== undefined) return
    const linked = neighbours(graph, look.focus)
    if (linked.length > HUB) return
    const context = this.#context
    context.lineWidth = 1.5
    context.strokeStyle = this.#theme.accent
    context.beginPath()
    for (const note of linked) {
      if (look.shown[note] === 0) continue
      const [x, y] = this.#at(graph, note)
      const radius = this.#radius(graph, note) + 1.5
      context.moveTo(x + radius, y)
      context.arc(x, y, radius, 0, 7)
    }
    context.stroke()
  }

  /** Returns the notes in view by color. */
  #notesInView(graph: Graph, look: Look): Record<'faded' | 'plain', readonly number[][]> {
    const { width, height } = this.#size()
    const plain = look.palette.map((): number[] => [])
    const faded = look.palette.map((): number[] => [])
    for (let note = 0; note < graph.count; note++) {
      if (look.shown[note] === 0) continue
      const [x, y] = this.#at(graph, note)
      const margin = this.#radius(graph, note)
      if (x < -margin || y < -margin || x > width + margin || y > height + margin) continue
      const isFaded = look.lit !== undefined && !look.lit.has(note)
      ;(isFaded ? faded : plain)[look.colours[note] ?? 0]?.push(note)
    }
    return { faded, plain }
  }

  #fillNotes(graph: Graph, look: Look, byColour: readonly number[][]): void {
    for (const [colour, notes] of byColour.entries()) {
      this.#context.fillStyle = look.palette[colour] ?? this.#theme.text
      for (let from = 0; from < notes.length; from += STROKE) {
        this.#context.beginPath()
        for (const note of notes.slice(from, from + STROKE)) this.#addNote(graph, note)
        this.#context.fill()
      }
    }
  }

  #addNote(graph: Graph, note: number): void {
    const [x, y] = this.#at(graph, note)
    const radius = this.#radius(graph, note)
    // A dot of two pixels looks like a square, which is faster to draw.
    if (radius * this.#ratio() < 1.3) this.#context.rect(x - radius, y - radius, 2 * radius, 2 * radius)
    else {
      this.#context.moveTo(x + radius, y)
      this.#context.arc(x, y, radius, 0, 7)
    }
  }

  #drawLabels(graph: Graph, look: Look): readonly Label[] {
    const labels = new Labels(this.#size(), this.#taken(graph, look), this.#dots(graph, look))
    const first = new Set([this.#hovered, look.focus, ...look.path])
    for (const note of first) if (note !== undefined) this.#labelNote(graph, note, labels, 'bold')
    this.#groupNames = []
    // While some notes are highlighted, names of communities would hide theirs.
    if (look.lit === undefined && this.#isFar()) this.#labelGroups(graph, look, labels)
    // A community is named after one of its notes, whose name need not be drawn twice.
    const named = new Set(this.#groupNames.map(({ text }) => text))
    const linked = look.focus === undefined || look.path.length > 0 ? [] : this.#linkedWith(graph, look.focus)
    for (const notes of [linked, this.#byLinks(graph)]) {
      for (const note of this.#worthALabel(graph, look, notes)) {
        if (labels.placed.length >= LABELS) break
        if (first.has(note) || named.has(graph.picture.titles[note] ?? '')) continue
        first.add(note)
        this.#labelNote(graph, note, labels, 'normal')
      }
    }
    return labels.placed
  }

  /** Checks whether to show names of communities: if individual notes are too small, and for the whole map unless it is small enough to read. */
  #isFar(): boolean {
    const { scale } = this.#camera
    return scale < this.#readableScale() / 4 || (this.#wholeScale < this.#readableScale() && scale < this.#wholeScale * 1.3)
  }

  /** Returns the linked notes, those with the most links first. */
  #linkedWith(graph: Graph, note: number): readonly number[] {
    return neighbours(graph, note).toSorted((a, b) => (graph.degrees[b] ?? 0) - (graph.degrees[a] ?? 0) || a - b)
  }

  /** Returns the positions of recognizable notes. Names should be placed next to them. */
  #dots(graph: Graph, look: Look): Dots {
    const { width, height } = this.#size()
    const dots = new Dots(width, height)
    for (let note = 0; note < graph.count; note++) {
      if (look.shown[note] === 0 || (look.lit !== undefined && !look.lit.has(note))) continue
      const radius = this.#radius(graph, note)
      if (radius < SEEN) continue
      const [x, y] = this.#at(graph, note)
      dots.add([x - radius, y - radius, x + radius, y + radius])
    }
    return dots
  }

  /** Returns the areas where no names are drawn: below covering elements, and on notes as large as a name. */
  #taken(graph: Graph, look: Look): readonly Box[] {
    const { left, top } = this.#canvas.getBoundingClientRect()
    const covered = this.#events.covered?.() ?? []
    const boxes = covered.map((one): Box => [one.left - left, one.top - top, one.right - left, one.bottom - top])
    const { width, height } = this.#size()
    for (const note of this.#byLinks(graph)) {
      const radius = this.#radius(graph, note)
      if (radius < WIDE || boxes.length > LABELS) break
      if (look.shown[note] === 0 || (look.lit !== undefined && !look.lit.has(note))) continue
      const [x, y] = this.#at(graph, note)
      if (x < -radius || y < -radius || x > width + radius || y > height + radius) continue
      // The square inside the circle.
      const half = radius * 0.7
      boxes.push([x - half, y - half, x + half, y + half])
    }
    return boxes
  }

  #labelNote(graph: Graph, note: number, labels: Labels, weight: string): void {
    if (this.#look?.shown[note] === 0) return
    const [x, y] = this.#at(graph, note)
    const font = `${weight} 12px system-ui, sans-serif`
    const text = this.#shortened(graph.picture.titles[note] ?? '')
    const width = this.#widthOf(text, font)
    const gap = this.#radius(graph, note) + 4
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
    const further = (weight === 'bold' ? [0, 18, 36] : []).flatMap((more) =>
      [gap + 7 + more, -gap - 7 - more].map((off) => [this.#within(x - width / 2, width), y + off] as const),
    )
    const mayHide = weight === 'bold' || labels.placed.length < LABELS_ON_NOTES
    const box = labels.place(text, width, mayHide ? near : labels.clear(width, near)) ?? labels.place(text, width, further)
    if (box !== undefined) this.#write(text, box, font)
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

  #labelGroups(graph: Graph, look: Look, labels: Labels): void {
    const font = '600 15px system-ui, sans-serif'
    const least = NAMED.share * graph.count
    const names: Label[] = []
    for (const { label, x, y, notes } of this.#groups(graph, look).slice(0, NAMED.most)) {
      if (notes < least) break
      const text = this.#shortened(label)
      const width = this.#widthOf(text, font)
      const middle = this.#toX(x)
      // A name whose center is in view is moved completely into view. Others are not drawn.
      if (middle < 0 || middle > this.#size().width) continue
      const left = this.#within(middle - width / 2, width)
      // If another name is already there, uses the line above or below it.
      const box = labels.place(
        text,
        width,
        [0, -18, 18].map((off) => [left, this.#toY(y) + off]),
      )
      if (box === undefined) continue
      this.#write(text, box, font)
      names.push({ text: label, box })
    }
    this.#groupNames = names
  }

  #write(text: string, [left, top, , bottom]: Box, font: string): void {
    const context = this.#context
    const middle = (top + bottom) / 2
    context.font = font
    context.textBaseline = 'middle'
    context.lineJoin = 'round'
    context.lineWidth = 3
    context.strokeStyle = this.#theme.halo
    context.strokeText(text, left, middle)
    context.fillStyle = this.#theme.text
    context.fillText(text, left, middle)
  }

  #groupCache:
    | {
        readonly graph: Graph
        readonly shown: Uint8Array
        readonly by: GroupedBy
        readonly groups: readonly Group[]
      }
    | undefined

  #groups(graph: Graph, { shown, groupedBy }: Look) {
    // Regions are shown when zoomed out, communities when zoomed in.
    const by = this.#camera.scale < this.#wholeScale * 1.6 || graph.picture.groups.length === 0 ? groupedBy : 'community'
    const kept = this.#groupCache
    if (kept?.graph === graph && kept.shown === shown && kept.by === by) return kept.groups
    const groups = groupsOf(graph, shown, by)
    this.#groupCache = { graph, shown, by, groups }
    return groups
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

  /** Yields those of the notes that are in view and highlighted. */
  *#worthALabel(graph: Graph, look: Look, notes: readonly number[]): Generator<number> {
    const { width, height } = this.#size()
    let looked = 0
    for (const note of notes) {
      if (look.shown[note] === 0 || (look.lit !== undefined && !look.lit.has(note))) continue
      const [x, y] = this.#at(graph, note)
      if (x < 0 || y < 0 || x > width || y > height) continue
      if (looked++ > 600) return
      yield note
    }
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

  #at(graph: Graph, note: number): [number, number] {
    return [this.#toX(graph.places[note * 2] ?? 0), this.#toY(graph.places[note * 2 + 1] ?? 0)]
  }

  #toX(x: number): number {
    return this.#size().width / 2 + (x - this.#camera.x) * this.#camera.scale
  }

  #toY(y: number): number {
    return this.#size().height / 2 + (y - this.#camera.y) * this.#camera.scale
  }

  #radius(graph: Graph, note: number): number {
    const { scale } = this.#camera
    // Above a certain scale, notes grow more slowly than the space between them, where titles are read.
    const grown = scale < GROWS_LESS ? scale : GROWS_LESS * (scale / GROWS_LESS) ** 0.4
    return Math.min(LARGEST, Math.max(1.1, radiusOf(graph.degrees[note] ?? 0) * grown))
  }

  /** Returns the scale at which individual notes can be distinguished and labeled. */
  #readableScale(): number {
    return 14
  }

  #around(notes: readonly number[]): Camera {
    const graph = this.#graph
    const { width, height } = this.#size()
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const note of notes) {
      const x = graph?.places[note * 2] ?? 0
      const y = graph?.places[note * 2 + 1] ?? 0
      left = Math.min(left, x - 2)
      right = Math.max(right, x + 2)
      top = Math.min(top, y - 2)
      bottom = Math.max(bottom, y + 2)
    }
    if (left > right) return { x: 0, y: 0, scale: 10 }
    const scale = Math.min((width * 0.92) / (right - left), (height * 0.92) / (bottom - top), 40)
    return { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(scale, 0.02) }
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
    this.#drawn = undefined
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
    this.#pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY })
    this.#moved = 0
  }

  #onMove(event: PointerEvent): void {
    const before = this.#pointers.get(event.pointerId)
    if (before === undefined) {
      const { offsetX: x, offsetY: y } = event
      const isOnName = this.#groupAt(x, y) !== undefined
      this.#hover(isOnName ? undefined : this.#noteAt(x, y), x, y)
      this.#canvas.style.cursor = isOnName || this.#hovered !== undefined ? 'pointer' : 'grab'
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

  #hover(note: number | undefined, x: number, y: number): void {
    if (note === this.#hovered) return
    this.#hovered = note
    this.#events.onHover(note, x, y)
    this.#ask()
  }

  /** Returns the community whose name is at a position of the view. If all notes are drawn, names are not clickable. */
  #groupAt(x: number, y: number): string | undefined {
    if (this.#graph === undefined || this.#graph.notes === this.#graph.vault.notes) return undefined
    return this.#groupNames.find(({ box: [left, top, right, bottom] }) => x >= left && x <= right && y >= top && y <= bottom)
      ?.text
  }

  /** Returns the note at a position of the view, with tolerance for fingers and small dots. */
  #noteAt(x: number, y: number): number | undefined {
    const graph = this.#graph
    if (graph === undefined) return undefined
    let best: number | undefined
    let least = 6
    for (let note = 0; note < graph.count; note++) {
      if (this.#look?.shown[note] === 0) continue
      const [left, top] = this.#at(graph, note)
      const distance = Math.hypot(left - x, top - y) - this.#radius(graph, note)
      if (distance < least) {
        least = distance
        best = note
      }
    }
    return best
  }
}

/**
 * Returns the communities or regions of visible notes, largest first, each with the position of the note closest to the middle of its
 * notes.
 */
function groupsOf(graph: Graph, shown: Uint8Array, by: GroupedBy): readonly Group[] {
  const { places } = graph
  const { of, groups } = groupingBy(graph, by)
  const members = groups.map((): number[] => [])
  for (let note = 0; note < graph.count; note++) if (shown[note] === 1) members[of[note] ?? -1]?.push(note)
  return members
    .flatMap((notes, group) => (notes.length === 0 ? [] : [{ label: groups[group]?.label ?? '', notes }]))
    .sort((a, b) => b.notes.length - a.notes.length)
    .map(({ label, notes }) => {
      // Uses the median, because a community can be in two places and its name belongs to one of them.
      const [x, y] = [0, 1].map((axis) => medianOf(notes.map((note) => places[note * 2 + axis] ?? 0)))
      const distance = (note: number): number =>
        Math.hypot((places[note * 2] ?? 0) - (x ?? 0), (places[note * 2 + 1] ?? 0) - (y ?? 0))
      const nearest = notes.reduce((best, note) => (distance(note) < distance(best) ? note : best), notes[0] ?? 0)
      return { label, notes: notes.length, x: places[nearest * 2] ?? 0, y: places[nearest * 2 + 1] ?? 0 }
    })
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}

/** Returns the ends of every `step`th link, grouped by opacity to reduce the number of strokes. */
function linksByFading({ pairs, degrees }: Graph, { shown, lit }: Look, step: number): readonly (readonly number[])[] {
  const classes: number[][] = OPACITY.map(() => [])
  for (let at = 0; at < pairs.length; at += 2 * step) {
    const a = pairs[at] ?? 0
    const b = pairs[at + 1] ?? 0
    if (shown[a] === 0 || shown[b] === 0) continue
    const isFaded = lit !== undefined && !(lit.has(a) && lit.has(b))
    const widest = Math.max(degrees[a] ?? 0, degrees[b] ?? 0)
    classes[isFaded ? 4 : widest > HUB ? 3 : widest > 60 ? 2 : widest > 15 ? 1 : 0]?.push(a, b)
  }
  return classes
}

/** The labels of a frame, without overlaps. */
class Labels {
  readonly placed: Label[] = []
  readonly #width: number
  readonly #height: number
  readonly #taken: readonly Box[]
  readonly #dots: Dots

  /** `taken`: where labels are forbidden. `dots`: where labels are avoided if possible. */
  constructor({ width, height }: { readonly width: number; readonly height: number }, taken: readonly Box[], dots: Dots) {
    this.#width = width
    this.#height = height
    this.#taken = taken
    this.#dots = dots
  }

  /** Returns the preferred positions that hide no notes. */
  clear(width: number, wishes: readonly (readonly [x: number, y: number])[]): readonly (readonly [x: number, y: number])[] {
    return wishes.filter(([x, y]) => this.#dots.below(boxAt(x, y, width)) === 0)
  }

  /**
   * Uses the preferred position (left end, middle line) that is free, fully in view and hides the fewest notes. Ties go to the first.
   * Returns `undefined` if there is none.
   */
  place(text: string, width: number, wishes: readonly (readonly [x: number, y: number])[]): Box | undefined {
    let best: Box | undefined
    let least = Number.POSITIVE_INFINITY
    for (const [x, y] of wishes) {
      const box = boxAt(x, y, width)
      if (box[0] < 0 || box[2] > this.#width || box[1] < 0 || box[3] > this.#height) continue
      if (this.#taken.some((other) => overlap(box, other)) || this.placed.some(({ box: other }) => overlap(box, other))) continue
      const hidden = this.#dots.below(box)
      if (hidden >= least) continue
      least = hidden
      best = box
      if (hidden === 0) break
    }
    if (best !== undefined) this.placed.push({ text, box: best })
    return best
  }
}

/** Returns the box of a name from its left end and middle line. */
function boxAt(x: number, y: number, width: number): Box {
  return [x, y - 8.5, x + width, y + 8.5]
}

/** Size in pixels of the grid cells that record where notes are. */
const SQUARE = 4

/** Records where notes are in a view, by grid cell. */
class Dots {
  readonly #columns: number
  readonly #rows: number
  readonly #isTaken: Uint8Array

  constructor(width: number, height: number) {
    this.#columns = Math.ceil(width / SQUARE)
    this.#rows = Math.ceil(height / SQUARE)
    this.#isTaken = new Uint8Array(this.#columns * this.#rows)
  }

  add(box: Box): void {
    this.#eachRow(box, (from, to) => this.#isTaken.fill(1, from, to))
  }

  /** Returns how much of the notes a box would cover. */
  below(box: Box): number {
    let squares = 0
    this.#eachRow(box, (from, to) => {
      for (let at = from; at < to; at++) squares += this.#isTaken[at] ?? 0
    })
    return squares
  }

  #eachRow([left, top, right, bottom]: Box, use: (from: number, to: number) => void): void {
    const first = Math.max(0, Math.floor(left / SQUARE))
    const end = Math.min(this.#columns, Math.ceil(right / SQUARE))
    const last = Math.min(this.#rows, Math.ceil(bottom / SQUARE))
    if (first >= end) return
    for (let row = Math.max(0, Math.floor(top / SQUARE)); row < last; row++)
      use(row * this.#columns + first, row * this.#columns + end)
  }
}

function overlap(a: Box, b: Box): boolean {
  return a[0] < b[2] + 4 && a[2] > b[0] - 4 && a[1] < b[3] && a[3] > b[1]
}

/** Checks whether most common notes have moved. */
function isElsewhere(before: Graph, after: Graph): boolean {
  let known = 0
  let moved = 0
  for (const [id, note] of after.numberOf) {
    const was = before.numberOf.get(id)
    if (was === undefined) continue
    known++
    if (before.places[was * 2] !== after.places[note * 2]) moved++
  }
  return moved > known / 2
}
