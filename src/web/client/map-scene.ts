import { boundsOf, type Graph, type GroupedBy, neighbours, radiusOf } from './graph.ts'
import { areasOf } from './map-areas.ts'
import type { Label } from './map-labels.ts'

/** A list's remark on a note. */
export type Mark = 'problem' | 'added' | 'edited'

/** A list's remark on two notes: a step of a path, a link that was gained or lost, or one that is missing. */
export interface Tie<Note> {
  readonly from: Note
  readonly to: Note
  readonly kind: 'step' | 'gained' | 'lost' | 'gap'
}

/** Which part of a graph to show, and how. */
export interface Look {
  /** 1 for visible notes. */
  readonly shown: Uint8Array
  /** Palette index of each note. The last color means that a note is in no colored group, and the number after it that it is an index. */
  readonly colours: Uint8Array
  readonly palette: readonly string[]
  /** The groups whose names are shown. */
  readonly groupedBy: GroupedBy
  /** True if these groups have the colors. */
  readonly isColouredByGroup: boolean
  /** The note in focus. */
  readonly focus: number | undefined
  /** Highlighted notes, while the others are faded. By default, none are faded. */
  readonly lit: ReadonlySet<number> | undefined
  /** A path of notes, drawn on top of everything. */
  readonly path: readonly number[]
  readonly marks?: ReadonlyMap<number, Mark>
  readonly ties?: readonly Tie<number>[]
  /** A note that is pointed at elsewhere, which pulses. */
  readonly pulse?: number | undefined
}

export interface Theme {
  readonly ground: string
  readonly text: string
  readonly link: string
  readonly accent: string
  /** Opacity of the areas of groups. */
  readonly area: number
}

export interface Camera {
  /** The point at the center of the view. */
  readonly x: number
  readonly y: number
  /** CSS pixels per unit of the layout. */
  readonly scale: number
}

/** All that a frame is drawn from. Sizes are in CSS pixels. */
export interface Frame {
  readonly graph: Graph
  readonly look: Look
  readonly theme: Theme
  readonly camera: Camera
  readonly width: number
  readonly height: number
  /** Device pixels per CSS pixel. */
  readonly ratio: number
}

/** The notes that stand out while the others are dimmed. */
export interface Highlight {
  readonly notes: ReadonlySet<number>
  /** The note whose links are drawn in the accent color. If omitted, the links among `notes` are drawn as usual. */
  readonly centre: number | undefined
}

/** Maximum number of links to draw while the view moves. At rest, all are drawn. */
const LINKS_MOVING = 4_000
const LINKS_STILL = 150_000
/** An image extends beyond the view by this share on each side, unless it would have more pixels than that. */
const MARGIN = 0.5
const LARGEST_IMAGE = 12_000_000
/** Opacity of everything that is not highlighted. */
const DIMMED = 0.12
/** Maximum number of segments per stroke. Long paths are slow, because the browser looks for crossings. */
const STROKE = 120
/** Links of notes with more links than this are faint. */
const HUB = 200
/** Opacity by the number of links of the more connected end: up to 15, up to 60, up to `HUB`, more. */
const OPACITY = [0.42, 0.28, 0.16, 0.05]
/** Factors of that for links that are long, and longer than half of the view. */
const FAINTER = [1, 0.5, 0.2]
/** Links are drawn if an end is closer to the middle than this share of the view, which includes the next move. */
const NEAR = 0.6
/** With fewer notes, links are curves that blend the colors of their ends. */
export const FEW = 300
/** Opacity of such a curve, and its bend as a share of its length. */
const CURVE = { opacity: 0.25, bend: 0.09 }
/** Above this scale, in pixels per unit, notes grow more slowly than the map. */
const GROWS_LESS = 9
/** Maximum radius of a note in pixels: so much more than this times the smallest one. */
const LARGEST = { times: 2.2, more: 5 }
/** From this radius in pixels, a note has an edge that separates it from links and other notes. */
const EDGED = 3.5

/** Without a graphics card, a canvas in plain memory is ten times as fast as an emulated one. */
export function drawingOf(): CanvasRenderingContext2DSettings {
  drawing ??= { alpha: false, willReadFrequently: isWithoutCard() }
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

/** Returns the position of a note in the view. */
export function placeIn(frame: Frame, note: number): [x: number, y: number] {
  const { places } = frame.graph
  return pointIn(frame, places[note * 2] ?? 0, places[note * 2 + 1] ?? 0)
}

/** Returns the position of a point of the layout in the view. */
export function pointIn({ camera, width, height }: Frame, x: number, y: number): [x: number, y: number] {
  return [width / 2 + (x - camera.x) * camera.scale, height / 2 + (y - camera.y) * camera.scale]
}

/** Returns the radius of a note in pixels. */
export function radiusIn({ graph, camera: { scale } }: Frame, note: number): number {
  // Above a certain scale, notes grow more slowly than the space between them, where titles are read.
  const grown = scale < GROWS_LESS ? scale : GROWS_LESS * (scale / GROWS_LESS) ** 0.4
  const most = LARGEST.more + LARGEST.times * radiusOf(1) * grown
  return Math.min(most, Math.max(1.1, radiusOf(graph.degrees[note] ?? 0) * grown))
}

/** Sets the size of a canvas in device pixels, and returns its context. @throws Error if there is none */
function sized(canvas: HTMLCanvasElement, { width, height, ratio }: Frame): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', drawingOf())
  if (context === null) throw new Error('This browser draws no canvas.')
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high })
  return context
}

/** The view that an image shows, with a margin around it. */
interface Shown extends Frame {
  /** Size of the view, without the margin. */
  readonly view: Pick<Frame, 'width' | 'height'>
  /** True if links were left out. */
  readonly isDraft: boolean
}

/** An image of areas, links and notes that is larger than the view, so it is drawn rarely. */
export class Scene {
  readonly #image = document.createElement('canvas')
  #shown: Shown | undefined

  /** Makes the next frame draw the image again. */
  forget(): void {
    this.#shown = undefined
  }

  /** Returns what the image shows. Draws it first, if it does not show a view well enough. */
  at(frame: Frame, isMoving: boolean): Shown {
    if (this.#shown === undefined || !isEnough(this.#shown, frame, isMoving)) this.#shown = this.#draw(frame, isMoving)
    return this.#shown
  }

  copyTo(context: CanvasRenderingContext2D): void {
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(this.#image, 0, 0)
  }

  #draw(frame: Frame, isMoving: boolean): Shown {
    const { width, height, ratio, graph } = frame
    const most = isMoving ? LINKS_MOVING : LINKS_STILL
    const step = Math.max(1, Math.ceil(graph.pairs.length / 2 / most))
    const pixels = width * height * ratio * ratio
    const margin = Math.min(MARGIN, Math.max(0.1, (Math.sqrt(LARGEST_IMAGE / pixels) - 1) / 2))
    // Whole device pixels: copies that need no resampling are several times as fast.
    const whole = (size: number): number => (Math.ceil(size * ratio) + 2 * Math.round(size * margin * ratio)) / ratio
    const shown = { ...frame, width: whole(width), height: whole(height), view: { width, height }, isDraft: step > 1 && isMoving }
    const context = sized(this.#image, shown)
    fillGround(context, shown)
    drawGraph(context, shown, { step })
    return shown
  }
}

/** Fills a canvas with the background, and makes its coordinates CSS pixels. */
export function fillGround(context: CanvasRenderingContext2D, { width, height, ratio, theme }: Frame): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.globalAlpha = 1
  context.fillStyle = theme.ground
  // Covers the last pixel completely, because a partial one would show through.
  context.fillRect(0, 0, Math.ceil(width) + 1, Math.ceil(height) + 1)
}

/** Draws areas, links and notes: all of them, or those that are highlighted. */
function drawGraph(context: CanvasRenderingContext2D, frame: Shown, options: LinkOptions): void {
  const { highlight } = options
  if (highlight?.centre === undefined) drawAreas(context, frame, highlight)
  if (highlight?.centre !== undefined) drawCentre(context, frame, highlight.centre)
  else if (frame.graph.count < FEW) drawCurves(context, frame, highlight)
  else drawLinks(context, frame, options)
  drawNotes(context, frame, highlight)
}

function isEnough(shown: Shown, { graph, camera: { x, y, scale }, width, height }: Frame, isMoving: boolean): boolean {
  const { camera: at, view } = shown
  if (view.width !== width || view.height !== height) return false
  // At rest, some margin must be left for the next move.
  const reach = isMoving ? 0.5 : 0.25
  const isNear = [
    [at.x - x, shown.width - width],
    [at.y - y, shown.height - height],
  ].every(([off = 0, spare = 0]) => Math.abs(off) * scale <= reach * spare)
  if (at.scale === scale) return isNear && (isMoving || !shown.isDraft)
  // A large map is stretched while it moves, and sharp again at rest.
  return isMoving && graph.count > FEW && at.scale / scale < 1.5 && scale / at.scale < 1.5 && isNear
}

/** How a sheet is painted over the scene. */
export interface Painting {
  readonly scene: Scene
  readonly isMoving: boolean
  /** The notes and links that stand out, while the scene is dimmed. */
  readonly highlight: Highlight | undefined
  /** Draws marks and names in coordinates of the view, and returns the names. */
  readonly write: (on: CanvasRenderingContext2D) => readonly Label[]
}

/** An image of the scene with names on it. It is painted once and then only copied to the view. */
export class Sheet {
  readonly #image = document.createElement('canvas')
  #shown: Shown | undefined
  #camera: Camera | undefined
  #names: readonly Label[] = []

  get names(): readonly Label[] {
    return this.#names
  }

  /** Makes the next frame paint the image again. */
  forget(): void {
    this.#shown = undefined
  }

  /** Copies the image to a view. Paints it first if the scene has changed, or names have other places now. */
  place(context: CanvasRenderingContext2D, frame: Frame, painting: Painting): void {
    const shown = painting.scene.at(frame, painting.isMoving)
    if (this.#shown !== shown || !(painting.isMoving || this.#camera === frame.camera)) this.#paint(frame, shown, painting)
    const factor = frame.camera.scale / shown.camera.scale
    const [left, top] = cornerOf(frame, shown)
    context.drawImage(this.#image, left, top, shown.width * factor, shown.height * factor)
  }

  #paint(frame: Frame, shown: Shown, { scene, highlight, write }: Painting): void {
    const { ratio, camera } = frame
    const context = sized(this.#image, shown)
    fillGround(context, shown)
    if (highlight !== undefined) context.globalAlpha = DIMMED
    scene.copyTo(context)
    context.globalAlpha = 1
    if (highlight !== undefined) {
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      drawGraph(context, shown, { step: 1, highlight })
    }
    const [left, top] = cornerOf(frame, shown)
    const factor = shown.camera.scale / camera.scale
    context.setTransform(ratio * factor, 0, 0, ratio * factor, -left * ratio * factor, -top * ratio * factor)
    this.#names = write(context)
    this.#shown = shown
    this.#camera = camera
  }
}

/** Returns where the corner of an image is in a view, in whole device pixels. */
function cornerOf({ camera, width, height, ratio }: Frame, shown: Shown): [left: number, top: number] {
  const factor = camera.scale / shown.camera.scale
  const rounded = (at: number): number => Math.round(at * ratio) / ratio
  return [
    rounded(width / 2 + (shown.camera.x - camera.x) * camera.scale - (shown.width * factor) / 2),
    rounded(height / 2 + (shown.camera.y - camera.y) * camera.scale - (shown.height * factor) / 2),
  ]
}

/** Draws the area of each group, softly filled, if all its notes are highlighted. */
function drawAreas(context: CanvasRenderingContext2D, frame: Frame, highlight: Highlight | undefined): void {
  const { graph, look, theme } = frame
  const isDimmed = new Set<number>()
  for (const [note, colour] of look.colours.entries())
    if (look.shown[note] === 1 && highlight?.notes.has(note) === false) isDimmed.add(colour)
  context.lineWidth = 1
  for (const { colour, outlines } of areasOf(graph, look).all) {
    if (isDimmed.has(colour)) continue
    context.fillStyle = look.palette[colour] ?? theme.text
    context.strokeStyle = context.fillStyle
    context.beginPath()
    for (const outline of outlines) {
      const corner = (at: number) => pointIn(frame, outline.at(at) ?? 0, outline[at < 0 ? outline.length + at + 1 : at + 1] ?? 0)
      let [x, y] = corner(-2)
      // A curve from the middle of each side to that of the next one.
      for (let at = 0; at <= outline.length; at += 2) {
        const [toX, toY] = corner(at % outline.length)
        if (at === 0) context.moveTo((x + toX) / 2, (y + toY) / 2)
        else context.quadraticCurveTo(x, y, (x + toX) / 2, (y + toY) / 2)
        x = toX
        y = toY
      }
    }
    context.globalAlpha = theme.area
    context.fill('evenodd')
    context.globalAlpha = 3 * theme.area
    context.stroke()
  }
  context.globalAlpha = 1
}

interface LinkOptions {
  /** Draws every `step`th link. */
  readonly step: number
  readonly highlight?: Highlight | undefined
}

/** Draws straight links, batched by opacity and color. Links within a color have it. */
function drawLinks(context: CanvasRenderingContext2D, frame: Shown, options: LinkOptions): void {
  const { graph, look, theme, camera } = frame
  // The more links there are, the fainter each is drawn. Dense bundles remain visible.
  const crowd = Math.min(1, Math.sqrt(4_000 / Math.max(1, graph.pairs.length / 2 / options.step)))
  context.lineWidth = Math.min(1, Math.max(0.5, camera.scale * 0.06))
  for (const [key, ends] of batchesOf(frame, options)) {
    const level = Math.floor(key / look.palette.length)
    const colour = key % look.palette.length
    context.globalAlpha = (OPACITY[Math.floor(level / 3)] ?? 0.1) * (FAINTER[level % 3] ?? 1) * (0.35 + 0.65 * crowd)
    context.strokeStyle = colour === look.palette.length - 1 ? theme.link : (look.palette[colour] ?? theme.link)
    for (let from = 0; from < ends.length; from += 2 * STROKE) {
      context.beginPath()
      for (let at = from; at < Math.min(ends.length, from + 2 * STROKE); at += 2) {
        context.moveTo(...placeIn(frame, ends[at] ?? 0))
        context.lineTo(...placeIn(frame, ends[at + 1] ?? 0))
      }
      context.stroke()
    }
  }
  context.globalAlpha = 1
}

/** Returns the ends of links by how they are drawn: three times the opacity level, plus an index into `FAINTER`; times the colors, plus the color. */
function batchesOf(frame: Shown, { step, highlight }: LinkOptions): ReadonlyMap<number, readonly number[]> {
  const { graph, look, view, camera } = frame
  const { pairs, places, degrees } = graph
  const { colours, palette } = look
  const far = extentOf(places) / 5
  const beyond = Math.max(far, Math.hypot(view.width, view.height) / 2 / camera.scale)
  const batches = new Map<number, number[]>()
  for (let at = 0; at < pairs.length; at += 2 * step) {
    const a = pairs[at] ?? 0
    const b = pairs[at + 1] ?? 0
    if (!isLinkDrawn(frame, highlight, [a, b])) continue
    const long = lengthOf(places, a, b)
    const level = 3 * levelOf(Math.max(degrees[a] ?? 0, degrees[b] ?? 0)) + Number(long > far) + Number(long > beyond)
    const colour = Math.min(palette.length - 1, colours[a] === colours[b] ? (colours[a] ?? 0) : palette.length)
    const key = level * palette.length + colour
    const batch = batches.get(key)
    if (batch === undefined) batches.set(key, [a, b])
    else batch.push(a, b)
  }
  return batches
}

/** Returns an index into `OPACITY` for the number of links of the more connected end. */
function levelOf(links: number): number {
  return links > HUB ? 3 : links > 60 ? 2 : links > 15 ? 1 : 0
}

function lengthOf(places: Float32Array, a: number, b: number): number {
  const [dx, dy] = [0, 1].map((axis) => (places[a * 2 + axis] ?? 0) - (places[b * 2 + axis] ?? 0))
  return Math.hypot(dx ?? 0, dy ?? 0)
}

/** Draws the links of a small map. Long ones are fainter than short ones. */
function drawCurves(context: CanvasRenderingContext2D, frame: Shown, highlight?: Highlight): void {
  const { graph, look, theme, camera, view } = frame
  const most = Math.hypot(view.width, view.height) / 2
  const usual = (extentOf(graph.places) * camera.scale) / 7
  context.lineWidth = 0.75
  for (let at = 0; at < graph.pairs.length; at += 2) {
    const a = graph.pairs[at] ?? 0
    const b = graph.pairs[at + 1] ?? 0
    if (!isLinkDrawn(frame, highlight, [a, b])) continue
    const [x, y] = placeIn(frame, a)
    const [toX, toY] = placeIn(frame, b)
    const blend = context.createLinearGradient(x, y, toX, toY)
    blend.addColorStop(0, look.palette[look.colours[a] ?? 0] ?? theme.link)
    blend.addColorStop(1, look.palette[look.colours[b] ?? 0] ?? theme.link)
    context.strokeStyle = blend
    const long = Math.hypot(toX - x, toY - y)
    context.globalAlpha = CURVE.opacity * Math.min(2.2, Math.max(0.7, usual / long)) * Math.min(1, most / long)
    context.beginPath()
    context.moveTo(x, y)
    context.quadraticCurveTo(...bent(x, y, toX, toY), toX, toY)
    context.stroke()
  }
  context.globalAlpha = 1
}

/** Returns the control point of a link that is a curve. */
export function bent(x: number, y: number, toX: number, toY: number, bend = CURVE.bend): [x: number, y: number] {
  return [(x + toX) / 2 - (toY - y) * bend, (y + toY) / 2 + (toX - x) * bend]
}

/** Draws the links of one note in the accent color. */
function drawCentre(context: CanvasRenderingContext2D, frame: Frame, centre: number): void {
  const { graph, look, theme } = frame
  const others = neighbours(graph, centre).filter((other) => look.shown[other] === 1)
  // The links of a hub must not hide the linked notes.
  context.globalAlpha = others.length > HUB ? 4 / Math.sqrt(others.length) : 0.8
  context.lineWidth = others.length > HUB ? 0.6 : 1.5
  context.strokeStyle = theme.accent
  for (let from = 0; from < others.length; from += STROKE) {
    context.beginPath()
    for (const other of others.slice(from, from + STROKE)) {
      // A curve bends the same way as among all links.
      const [x, y] = placeIn(frame, Math.min(centre, other))
      const [toX, toY] = placeIn(frame, Math.max(centre, other))
      context.moveTo(x, y)
      if (graph.count < FEW) context.quadraticCurveTo(...bent(x, y, toX, toY), toX, toY)
      else context.lineTo(toX, toY)
    }
    context.stroke()
  }
  context.globalAlpha = 1
}

function drawNotes(context: CanvasRenderingContext2D, frame: Frame, highlight?: Highlight): void {
  const { look, theme, ratio } = frame
  const byColour = notesByColour(frame, highlight)
  context.fillStyle = theme.ground
  const edged = byColour.flat().filter((note) => radiusIn(frame, note) >= EDGED)
  fillCircles(context, edged, (note) => [...placeIn(frame, note), radiusIn(frame, note) + 1.2])
  for (const [colour, notes] of byColour.entries()) {
    context.fillStyle = look.palette[colour] ?? theme.text
    fillCircles(context, notes, (note) => [...placeIn(frame, note), radiusIn(frame, note)], 1.3 / ratio)
  }
}

type Circle = readonly [x: number, y: number, radius: number]

/** Fills the circles of notes. Those with a radius below `square` are drawn as squares, which look the same and are faster. */
function fillCircles(
  context: CanvasRenderingContext2D,
  notes: readonly number[],
  circleOf: (note: number) => Circle,
  square = 0,
): void {
  for (let from = 0; from < notes.length; from += STROKE) {
    context.beginPath()
    for (const note of notes.slice(from, from + STROKE)) {
      const [x, y, radius] = circleOf(note)
      if (radius < square) context.rect(x - radius, y - radius, 2 * radius, 2 * radius)
      else {
        context.moveTo(x + radius, y)
        context.arc(x, y, radius, 0, 7)
      }
    }
    context.fill()
  }
}

/** Returns the notes in view by color. */
function notesByColour(frame: Frame, highlight: Highlight | undefined): readonly number[][] {
  const { graph, look, theme, width, height } = frame
  // The last one is for index notes.
  const byColour = [...look.palette, theme.text].map((): number[] => [])
  for (const note of highlight?.notes ?? graph.degrees.keys()) {
    if (look.shown[note] === 0) continue
    const [x, y] = placeIn(frame, note)
    const margin = radiusIn(frame, note)
    if (x < -margin || y < -margin || x > width + margin || y > height + margin) continue
    byColour[look.colours[note] ?? 0]?.push(note)
  }
  return byColour
}

/** Checks whether a note is visible and part of the highlight, if there is one. */
export function isDrawn({ shown }: Look, highlight: Highlight | undefined, note: number): boolean {
  return shown[note] === 1 && highlight?.notes.has(note) !== false
}

/** Checks whether a link is drawn: both its notes are, and one of them is in view or close to it. */
function isLinkDrawn(frame: Shown, highlight: Highlight | undefined, ends: readonly [from: number, to: number]): boolean {
  const { look, view, width, height } = frame
  const isNear = (note: number): boolean => {
    const [x, y] = placeIn(frame, note)
    return Math.abs(x - width / 2) < NEAR * view.width && Math.abs(y - height / 2) < NEAR * view.height
  }
  return ends.every((note) => isDrawn(look, highlight, note)) && ends.some(isNear)
}

const extents = new WeakMap<Float32Array, number>()

/** Returns the diagonal of the layout, in its units. */
function extentOf(places: Float32Array): number {
  let extent = extents.get(places)
  if (extent !== undefined) return extent
  const [left, top, right, bottom] = boundsOf(places)
  extent = Math.hypot(right - left, bottom - top)
  extents.set(places, extent)
  return extent
}
