import { mixed, OTHER, PALETTE, tinted } from './colors.ts'
import { element } from './element.ts'
import { type Graph, groupingBy, isIndex, neighbors, overviewBy, placeOf, radiusOf } from './graph.ts'
import { areasOf, byNumber, type Divided, landPartsOf } from './map-areas.ts'
import type { Box, Label, Point } from './map-labels.ts'
import { memoizeLast } from './memoize-last.ts'

type Context = CanvasRenderingContext2D

export type Mark = 'problem' | 'added' | 'edited'

/** A line between two notes. `step` is a step of a path. `gained`, `lost` and `gap` are added, removed and missing links. */
export interface Tie<Note> {
  readonly from: Note
  readonly to: Note
  readonly kind: 'step' | 'gained' | 'lost' | 'gap'
}

export interface Look extends Divided {
  readonly focus: number | undefined
  /** The notes that stay highlighted while others are faded. By default, no note is faded. */
  readonly lit: ReadonlySet<number> | undefined
  readonly path: readonly number[]
  readonly marks?: ReadonlyMap<number, Mark>
  readonly ties?: readonly Tie<number>[]
  readonly pulse?: number | undefined
}

/** The themes. `area` is an opacity. The other values are colors. */
export const THEMES = {
  dark: { ground: '#131519', text: '#e8e6e3', link: '#aab4c4', accent: '#ffb454', area: 0.14 },
  light: { ground: '#fcfbf9', text: '#1d2129', link: '#5b6675', accent: '#c2410c', area: 0.13 },
}

export interface Camera {
  readonly x: number
  readonly y: number
  /** The scale in CSS pixels per layout unit. */
  readonly scale: number
}

/** The state of a drawing, with sizes in CSS pixels. */
export interface Frame {
  readonly graph: Graph
  readonly look: Look
  readonly theme: (typeof THEMES)['dark']
  readonly camera: Camera
  readonly width: number
  readonly height: number
  readonly ratio: number
  readonly highlight: Highlight | undefined
  /** 1 if the whole map fits the view, 2 if it is twice as large. */
  readonly magnified: number
  /** True for a narrow window, even where a drawing is wider than the window. */
  readonly isNarrow: boolean
}

export interface Highlight {
  readonly notes: ReadonlySet<number>
  /** The note whose links have the accent color. If omitted, links among `notes` look as usual. */
  readonly center: number | undefined
}

const LINKS_MOVING = 4_000
const LINKS_STILL = 150_000
/** The share of the view that an image adds on each side. `LARGEST_IMAGE` limits its pixels. */
const MARGIN = 0.5
const LARGEST_IMAGE = 12_000_000
const DIMMED = 0.12
const DIMMED_AREA = 0.55
/** The opacity of the parts with the fewest and the most links, relative to areas. */
const TONE = { worst: 0.3, best: 1.3 }
/** The opacity of the parts of a chosen group, relative to other parts. */
const CHOSEN = 1.6
/** Strokes that darken the edge of an area. They are fainter around an open note, so its links stand out. */
const SHORE = { widths: [24, 19, 14, 10, 6, 3], share: 0.2, aroundNote: 0.5 }
const SEAM = 0.8
/** The radius of a note relative to that of a note with one link. */
const RADIUS = { least: 0.45, most: 2.5 }
/** The minimum radius of a note in pixels. `narrow` applies to narrow windows. */
const SMALLEST = { usual: 1.1, narrow: 0.7 }
/** The opacity of pale notes and of links in narrow windows, relative to wide ones. */
const CALM = 0.65
/** Minimum for the best linked note, so a note with two links is not large among notes with one. */
const LEAST_MOST = 12
const GROWTH = 0.65
/** A map with more than `many` notes draws notes with few links paler. */
const PALE = { many: 300, share: 0.15, far: 0.45, near: 0.55 }
const NEARER = 2.2
/** Maximum number of segments per stroke. Long paths are slow, because browsers compute their intersections. */
const STROKE = 120
/** The links of notes with more links than this are faint. */
export const HUB = 200
/** The thresholds for `OPACITY`, which depends on the number of links of the better linked end. */
const CROWDED = [15, 60, HUB]
const OPACITY = [0.42, 0.28, 0.16, 0.05]
/** The factors for short links, and for links that are long or leave an area. Very long links are not drawn. */
const FAINTER = [1, 0.5]
/** The magnification from which links between areas are drawn individually. */
const WHOLE = 1.6
/** The look of links between areas. `widest` is a share of the view. `opacity` consists of two hex digits. */
const BAND = { widest: 0.005, opacity: '80' }
const HOLE = { far: 0.6, near: 0.74 }
/** The share of the view within which links are drawn. It leaves room for the next move. */
const NEAR = 0.6
/** The opacity at the other end of the open note's links (two hex digits). */
const FADED = '50'
/** If there are fewer notes, links are curves. `BEND` is a share of their length. */
export const FEW = 300
export const BEND = 0.09
const ARC_BEND = 0.18
/** Above this scale, in pixels per layout unit, notes grow more slowly than the map. */
const GROWS_LESS = 9
const LARGEST = { times: 2.2, more: 5 }
/** A note with a smaller radius, in pixels, may be covered by names. */
const COVERED = 5
/** A note with at least this radius in pixels has an outline. */
const EDGED = 3.5

const MARKS: Readonly<Record<Mark | 'gained' | 'lost' | 'gap', string>> = {
  problem: '#d7263d',
  lost: '#d7263d',
  added: '#2a9d4a',
  gained: '#2a9d4a',
  edited: '#c98a00',
  gap: '#8b5fbf',
}

/** Returns the settings of a canvas. Without a GPU, a canvas in main memory is ten times as fast as an emulated one. */
const drawingOf = memoizeLast(
  () => [],
  (): CanvasRenderingContext2DSettings => ({ alpha: false, willReadFrequently: isWithoutCard() }),
)

function isWithoutCard(): boolean {
  const context = element('canvas').getContext('webgl')
  if (context === null) return true
  const names = context.getExtension('WEBGL_debug_renderer_info')
  const renderer = String(context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER))
  context.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer)
}

export function placeIn(frame: Frame, note: number): [x: number, y: number] {
  return pointIn(frame, ...placeOf(frame.graph, note))
}

export function pointIn({ camera, width, height }: Frame, x: number, y: number): [x: number, y: number] {
  return [width / 2 + (x - camera.x) * camera.scale, height / 2 + (y - camera.y) * camera.scale]
}

/** Returns the layout point at a position in the view. This is the inverse of `pointIn`. */
export function pointAt({ camera, width, height }: Frame, x: number, y: number): [x: number, y: number] {
  return [camera.x + (x - width / 2) / camera.scale, camera.y + (y - height / 2) / camera.scale]
}

export function isInView(frame: Frame, note: number, margin = 0): boolean {
  const [x, y] = placeIn(frame, note)
  const isInside = x >= -margin && y >= -margin && x <= frame.width + margin && y <= frame.height + margin
  return isInside && frame.look.shown[note] === 1
}

export function radiusIn({ graph, isNarrow, camera: { scale } }: Frame, note: number): number {
  const grown = scale < GROWS_LESS ? scale : GROWS_LESS * (scale / GROWS_LESS) ** 0.4
  const usual = radiusOf(1) * grown
  if (isIndex(graph, note))
    return Math.min(LARGEST.more + LARGEST.times * usual, Math.max(SMALLEST.usual, radiusOf(graph.degrees[note] ?? 0) * grown))
  const more = (RADIUS.most - RADIUS.least) * (weightsOf(graph)[note] ?? 0)
  return Math.max(isNarrow ? SMALLEST.narrow : SMALLEST.usual, usual * (RADIUS.least + more))
}

/**
 * Returns a weight of 0–1 from the number of links, relative to the group and to all notes. Links with index notes do not count,
 * because almost all notes have some.
 */
export const weightsOf = memoizeLast(
  ({ picture, targets }: Graph) => [picture, targets],
  (graph: Graph): Float32Array => {
    const { of } = groupingBy(graph, overviewBy(graph))
    const links = [...graph.degrees.keys()].map((note) =>
      isIndex(graph, note) ? 0 : neighbors(graph, note).filter((other) => !isIndex(graph, other)).length,
    )
    const most = new Map<number | undefined, number>()
    for (const [note, count] of links.entries()) most.set(of[note], Math.max(LEAST_MOST, count, most.get(of[note]) ?? 0))
    const best = Math.max(...most.values())
    return Float32Array.from(links, (count, note) => (count / Math.sqrt(best * (most.get(of[note]) ?? best))) ** GROWTH)
  },
)

/** Returns 1 while the whole map is in view, and 0 from the magnification `NEARER` on. */
export function farnessOf({ magnified }: Frame): number {
  return Math.min(1, Math.max(0, (NEARER - magnified) / (NEARER - 1)))
}

/** Sets the size in device pixels. @throws Error if the browser does not support canvas */
function sized(canvas: HTMLCanvasElement, { width, height, ratio }: Frame): Context {
  const context = canvas.getContext('2d', drawingOf())
  if (context === null) throw new Error('This browser draws no canvas.')
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high })
  return context
}

export interface Shown extends Frame {
  readonly view: Pick<Frame, 'width' | 'height'>
  /** Draws each `step`th link. */
  readonly step: number
}

/** An image of areas, links and notes. It is larger than the view, so it is rarely redrawn. */
export class Scene {
  readonly image = element('canvas')
  #shown: Shown | undefined

  /** Returns the drawn part. It is drawn again only if it does not cover the view. */
  at(frame: Frame, isMoving: boolean): Shown {
    if (this.#shown !== undefined && isEnough(this.#shown, frame, isMoving)) return this.#shown
    const { width, height, ratio, graph } = frame
    const pixels = width * height * ratio * ratio
    const margin = Math.min(MARGIN, Math.max(0.1, (Math.sqrt(LARGEST_IMAGE / pixels) - 1) / 2))
    // Sizes are whole device pixels. Resampling is several times slower.
    const whole = (size: number): number => (Math.ceil(size * ratio) + 2 * Math.round(size * margin * ratio)) / ratio
    // The first image has all links, so it is not drawn again at rest.
    const step = stepFor(graph, isMoving && this.#shown !== undefined)
    const shown = { ...frame, width: whole(width), height: whole(height), view: { width, height }, step, highlight: undefined }
    const context = sized(this.image, shown)
    fillGround(context, shown)
    drawGraph(context, shown)
    this.#shown = shown
    return shown
  }
}

function stepFor({ pairs }: Graph, isMoving: boolean): number {
  return Math.max(1, Math.ceil(pairs.length / 2 / (isMoving ? LINKS_MOVING : LINKS_STILL)))
}

function fillGround(context: Context, { width, height, ratio, theme }: Frame, opacity = 1): void {
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.globalAlpha = opacity
  context.fillStyle = theme.ground
  // The fill extends beyond the edge, where a partially covered pixel would be visible.
  context.fillRect(0, 0, Math.ceil(width) + 1, Math.ceil(height) + 1)
}

function drawGraph(context: Context, frame: Shown): void {
  drawAreas(context, frame)
  const { center } = frame.highlight ?? {}
  if (center === undefined) {
    drawBands(context, frame)
    drawLinks(context, frame)
  } else drawCenter(context, frame, center)
  drawNotes(context, frame)
}

/** Draws everything except names. */
export function drawAll(context: Context, frame: Frame): void {
  const shown = { ...frame, view: frame, step: 1 }
  fillGround(context, frame)
  drawGraph(context, { ...shown, highlight: undefined })
  if (frame.highlight === undefined) return
  fillGround(context, frame, 1 - DIMMED)
  drawGraph(context, shown)
}

export function drawAreasAlone(canvas: HTMLCanvasElement, frame: Frame): void {
  const context = sized(canvas, frame)
  fillGround(context, frame)
  drawAreas(context, { ...frame, highlight: undefined })
}

function isEnough(shown: Shown, frame: Frame, isMoving: boolean): boolean {
  const { camera: at, view } = shown
  const { graph, camera, width, height } = frame
  const { x, y, scale } = camera
  if (view.width !== width || view.height !== height || shown.ratio !== frame.ratio || shown.theme !== frame.theme) return false
  if (shown.graph !== graph || shown.look.shown !== frame.look.shown || shown.look.colors !== frame.look.colors) return false
  // At rest, part of the margin is left for the next move.
  const reach = isMoving ? 0.5 : 0.25
  const isWithin = (distance: number, spare: number): boolean => Math.abs(distance) * scale <= reach * spare
  const isNear = isWithin(at.x - x, shown.width - width) && isWithin(at.y - y, shown.height - height)
  if (at.scale === scale) return isNear && (isMoving || shown.step <= stepFor(graph, false))
  // The image of a large map is stretched while it moves, and redrawn at rest.
  return isMoving && graph.count > FEW && at.scale / scale < 1.5 && scale / at.scale < 1.5 && isNear
}

export interface Painting {
  readonly scene: Scene
  readonly isMoving: boolean
  /** True if the view will not move before the next painting. */
  readonly isBrief: boolean
  readonly write: (on: Context) => readonly Label[]
}

/** An image of the scene and names, which is larger than the view. The browser moves it without repainting. */
export class Sheet {
  readonly image = element('canvas')
  #scene: Shown | undefined
  #shown: Shown | undefined
  #frame: Frame | undefined
  #names: readonly Label[] = []

  constructor() {
    // The image is placed below the focus outline of the map.
    const below = { position: 'absolute', left: '0', top: '0', zIndex: '-1', pointerEvents: 'none' }
    Object.assign(this.image.style, { ...below, transformOrigin: '0 0', willChange: 'transform' })
  }

  /** @returns the names */
  update(frame: Frame, { scene, isMoving, isBrief, write }: Painting): readonly Label[] {
    const { ratio, camera, width, height, highlight } = frame
    const whole = scene.at(frame, isMoving)
    const isSame = this.#scene === whole && this.#frame?.look === frame.look && this.#frame.highlight === highlight
    if (isSame && (isMoving || this.#frame?.camera === camera)) return this.#names
    // An image without a margin is faster here, because the browser copies each new image.
    const shown = isBrief ? { ...whole, camera, width, height, highlight } : { ...whole, highlight }
    const context = sized(this.image, shown)
    Object.assign(this.image.style, { width: `${shown.width}px`, height: `${shown.height}px` })
    fillGround(context, shown)
    if (highlight !== undefined) context.globalAlpha = DIMMED
    const [x, y] = cornerOf(shown, whole)
    context.setTransform(1, 0, 0, 1, x * ratio, y * ratio)
    context.drawImage(scene.image, 0, 0)
    context.globalAlpha = 1
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    if (highlight !== undefined) drawGraph(context, { ...shown, step: 1 })
    const [left, top] = cornerOf(frame, shown)
    const factor = shown.camera.scale / camera.scale
    context.setTransform(ratio * factor, 0, 0, ratio * factor, -left * ratio * factor, -top * ratio * factor)
    this.#names = write(context)
    this.#scene = whole
    this.#shown = shown
    this.#frame = frame
    return this.#names
  }

  move(frame: Frame): void {
    if (this.#shown === undefined) return
    const [left, top] = cornerOf(frame, this.#shown)
    this.image.style.transform = `translate(${left}px, ${top}px) scale(${frame.camera.scale / this.#shown.camera.scale})`
  }
}

/** Returns where the corner of an image lies in the view, in whole device pixels. */
function cornerOf(frame: Frame, shown: Shown): [left: number, top: number] {
  const [left, top] = pointIn(frame, ...pointAt(shown, 0, 0))
  return [Math.round(left * frame.ratio) / frame.ratio, Math.round(top * frame.ratio) / frame.ratio]
}

/** The area of an open note keeps its color, while others are dimmed. */
const dimmedLands = memoizeLast(
  ({ look: { colors, shown }, highlight }: Frame) => [colors, shown, highlight],
  ({ look: { colors, shown }, highlight }: Frame): ReadonlySet<number> => {
    const dimmed = new Set<number>()
    for (const [note, color] of colors.entries()) if (shown[note] === 1 && highlight?.notes.has(note) === false) dimmed.add(color)
    if (highlight?.center !== undefined) dimmed.delete(colors[highlight.center] ?? -1)
    return dimmed
  },
)

function opacityOf(frame: Frame, { land, rank = 0 }: { land: number; rank?: number }) {
  const { theme, highlight } = frame
  const isGroup = highlight !== undefined && highlight.center === undefined
  const isDimmed = dimmedLands(frame).has(land)
  return {
    ofLand: theme.area * (isDimmed ? DIMMED_AREA : 1),
    ofPart: isDimmed ? 0 : theme.area * (TONE.worst + (TONE.best - TONE.worst) * rank) * (isGroup ? CHOSEN : 1),
  }
}

export function groundAt(frame: Frame, [x, y]: Point): string {
  const { graph, look, theme, highlight } = frame
  const land = areasOf(graph, look).colorAt(x, y) ?? -1
  const paint = PALETTE[land]
  if (paint === undefined) return theme.ground
  const part = landPartsOf(graph, look).find((one) => one.has(x, y))
  const { ofLand, ofPart } = opacityOf(frame, { land, ...part })
  const below = highlight === undefined ? theme.ground : mixed(paint, theme.ground, DIMMED * theme.area)
  const ground = mixed(paint, below, ofLand)
  return part === undefined ? ground : mixed(tinted(land, part.rank), ground, ofPart)
}

/** Draws areas. They are fainter unless all their notes are highlighted. */
function drawAreas(context: Context, frame: Frame): void {
  const { graph, look, theme, highlight } = frame
  const parts = landPartsOf(graph, look)
  for (const { color, outlines } of areasOf(graph, look).all) {
    const { ofLand } = opacityOf(frame, { land: color })
    const paint = PALETTE[color] ?? theme.text
    context.fillStyle = paint
    context.lineWidth = 1
    trace(context, frame, outlines)
    context.globalAlpha = ofLand
    context.fill('evenodd')
    context.save()
    context.clip('evenodd')
    context.strokeStyle = theme.ground
    const own = dimmedLands(frame).has(color) ? [] : parts.filter((part) => part.color === color)
    for (const { rank, notes, outlines: shape } of own) {
      trace(context, frame, shape)
      context.fillStyle = tinted(color, rank)
      context.globalAlpha = opacityOf(frame, { land: color, rank }).ofPart
      context.fill('evenodd')
      context.globalAlpha = SEAM * Math.sqrt(notes.length / (own[0]?.notes.length ?? 1))
      context.stroke()
    }
    trace(context, frame, outlines)
    context.strokeStyle = paint
    context.globalAlpha = SHORE.share * ofLand * (highlight?.center === undefined ? 1 : SHORE.aroundNote)
    for (const width of color < OTHER ? SHORE.widths : []) {
      context.lineWidth = width
      context.stroke()
    }
    context.restore()
    context.strokeStyle = paint
    context.globalAlpha = 3 * ofLand
    context.stroke()
  }
  context.globalAlpha = 1
}

function trace(context: Context, frame: Frame, outlines: readonly (readonly number[])[]): void {
  context.beginPath()
  for (const outline of outlines) {
    const corner = (at: number) => pointIn(frame, outline.at(at) ?? 0, outline[at < 0 ? outline.length + at + 1 : at + 1] ?? 0)
    let [x, y] = corner(-2)
    for (let at = 0; at <= outline.length; at += 2) {
      const [toX, toY] = corner(at % outline.length)
      if (at === 0) context.moveTo((x + toX) / 2, (y + toY) / 2)
      else context.quadraticCurveTo(x, y, (x + toX) / 2, (y + toY) / 2)
      x = toX
      y = toY
    }
  }
}

/** Draws links in batches by opacity and color. Links within an area have its color. */
function drawLinks(context: Context, frame: Shown): void {
  const { graph, look, theme, camera, view, step, highlight } = frame
  const { pairs, degrees } = graph
  const { of, extent } = areasOf(graph, look)
  const far = (extent * camera.scale) / 5
  const hasBands = frame.magnified < WHOLE
  const batches = new Map<number, number[]>()
  for (let at = 0; at < pairs.length; at += 2 * step) {
    const [a = 0, b = 0] = [pairs[at], pairs[at + 1]]
    const isWithin = of[a] === of[b]
    if ((highlight === undefined && hasBands && !isWithin) || !isLinkDrawn(frame, [a, b])) continue
    const [[x, y], [toX, toY]] = [placeIn(frame, a), placeIn(frame, b)]
    const long = Math.hypot(toX - x, toY - y)
    if (long > Math.max(far, Math.hypot(view.width, view.height) / 2)) continue
    const links = Math.max(degrees[a] ?? 0, degrees[b] ?? 0)
    const level = 2 * CROWDED.filter((least) => links > least).length + Number(long > far || !isWithin)
    const key = level * PALETTE.length + (isWithin ? Math.min(OTHER, of[a] ?? OTHER) : OTHER)
    const batch = batches.get(key)
    if (batch === undefined) batches.set(key, [a, b])
    else batch.push(a, b)
  }
  const crowd = highlight === undefined ? Math.min(1, Math.sqrt(4_000 / Math.max(1, pairs.length / 2 / step))) : 1
  context.lineWidth = Math.min(1, Math.max(0.5, camera.scale * 0.06))
  for (const [key, ends] of batches) {
    const level = Math.floor(key / PALETTE.length)
    const color = key % PALETTE.length
    context.globalAlpha = (OPACITY[level >> 1] ?? 0.1) * (FAINTER[level % 2] ?? 1) * (0.35 + 0.65 * crowd) * calmnessOf(frame)
    context.strokeStyle = color === OTHER ? theme.link : (PALETTE[color] ?? theme.link)
    strokeLinks(context, frame, ends)
  }
  context.globalAlpha = 1
}

function strokeLinks(context: Context, frame: Frame, ends: readonly number[], isCurved = frame.graph.count < FEW): void {
  for (let from = 0; from < ends.length; from += 2 * STROKE) {
    context.beginPath()
    for (let at = from; at < Math.min(ends.length, from + 2 * STROKE); at += 2) {
      const [x, y] = placeIn(frame, ends[at] ?? 0)
      const [toX, toY] = placeIn(frame, ends[at + 1] ?? 0)
      context.moveTo(x, y)
      if (isCurved) context.quadraticCurveTo(...bent(x, y, toX, toY), toX, toY)
      else context.lineTo(toX, toY)
    }
    context.stroke()
  }
}

/**
 * Returns a curve for all links between two areas. More links give a wider curve. Without a highlight, all areas are included
 * unless links are drawn individually.
 */
export function bandsIn(frame: Frame, view: Shown['view'] = frame) {
  const { graph, look, highlight, magnified } = frame
  if (highlight === undefined && magnified >= WHOLE) return []
  const { bands } = areasOf(graph, look)
  const most = Math.max(...bands.map(({ links }) => links))
  const widthOf = (links: number): number => BAND.widest * Math.min(view.width, view.height) * Math.sqrt(links / most)
  return bands
    .filter(({ from, to, links }) => widthOf(links) >= 1 && ![from, to].every((land) => dimmedLands(frame).has(land)))
    .map(({ ends: [one = 0, other = 0], links, ...lands }) => {
      const [start, end] = [placeIn(frame, one), placeIn(frame, other)]
      return { ...lands, start, over: bent(...start, ...end, ARC_BEND), end, width: widthOf(links) }
    })
}

function drawBands(context: Context, frame: Shown): void {
  for (const { from, to, start, over, end, width } of bandsIn(frame, frame.view)) {
    const blend = context.createLinearGradient(...start, ...end)
    for (const [at, land] of [from, to].entries()) blend.addColorStop(at, `${PALETTE[land]}${BAND.opacity}`)
    context.strokeStyle = blend
    context.lineWidth = width
    context.beginPath()
    context.moveTo(...start)
    context.quadraticCurveTo(...over, ...end)
    context.stroke()
  }
}

/** Returns the control point of a curve. */
export function bent(x: number, y: number, toX: number, toY: number, bend = BEND): [x: number, y: number] {
  return [(x + toX) / 2 - (toY - y) * bend, (y + toY) / 2 + (toX - x) * bend]
}

type Viewed = Pick<Shown, 'view' | 'width' | 'height'>

/** Returns where a curve from a visible point leaves the view, or `undefined` if it does not. */
export function exitOf({ view, width, height }: Viewed, [x, y]: Point, [toX, toY]: Point, bend = 0): Point | undefined {
  const shareTo = (from: number, to: number, size: number, inView: number): number =>
    from === to ? Infinity : ((size + Math.sign(to - from) * inView) / 2 - from) / (to - from)
  const share = Math.min(shareTo(x, toX, width, view.width), shareTo(y, toY, height, view.height))
  const aside = 2 * share * (1 - share) * bend
  const at = (from: number, along: number, across: number): number => from + share * along + aside * across
  return share > 0 && share < 1 ? [at(x, toX - x, y - toY), at(y, toY - y, toX - x)] : undefined
}

/** Returns visible linked notes. Those with the most common neighbors come first, and journal notes last. */
export function closestTo({ graph, look }: Pick<Frame, 'graph' | 'look'>, center: number): readonly number[] {
  const others = new Set(neighbors(graph, center).filter((other) => look.shown[other] === 1))
  if (others.size > HUB) return [...others]
  const closeness = (other: number): number =>
    neighbors(graph, other).filter((one) => others.has(one)).length / Math.sqrt(graph.degrees[other] ?? 1)
  const isDated = (other: number): boolean => /^\d{4}-?\d\d-?\d\d\b/.test(graph.picture.titles[other] ?? '')
  const all = [...others].map((other) => ({ other, dated: Number(isDated(other)), close: closeness(other) }))
  return all.sort((a, b) => a.dated - b.dated || b.close - a.close).map(({ other }) => other)
}

/** Draws the links of a note in the accent color. Links to close notes are stronger, and all fade towards the other end. */
function drawCenter(context: Context, frame: Shown, center: number): void {
  const { theme } = frame
  const sorted = closestTo(frame, center).toReversed()
  // The ends are sorted, so a curve bends the same way as among all links.
  const ends = sorted.flatMap((other) => [Math.min(center, other), Math.max(center, other)])
  if (sorted.length > HUB) {
    // Reduce the opacity, so the links of a hub do not hide its notes.
    context.strokeStyle = theme.accent
    context.globalAlpha = 4 / Math.sqrt(sorted.length)
    context.lineWidth = 0.6
    strokeLinks(context, frame, ends)
  } else
    for (const [at, other] of sorted.entries()) {
      const share = (at + 1) / sorted.length
      const [from, to] = [placeIn(frame, center), placeIn(frame, other)]
      const exit = exitOf(frame, from, to)
      const fading = context.createLinearGradient(...from, ...(exit ?? to))
      fading.addColorStop(0, theme.accent)
      fading.addColorStop(1, `${theme.accent}${exit === undefined ? FADED : '00'}`)
      context.globalAlpha = 0.35 + 0.55 * share
      context.lineWidth = 0.7 + 0.7 * share
      context.strokeStyle = fading
      strokeLinks(context, frame, ends.slice(2 * at, 2 * at + 2), true)
    }
  context.globalAlpha = 1
}

/** Returns a factor for the opacity of links and pale notes. */
function calmnessOf({ graph, isNarrow, highlight }: Frame): number {
  return highlight === undefined && isNarrow && graph.count > PALE.many ? CALM : 1
}

function drawNotes(context: Context, frame: Frame): void {
  const { theme, ratio, highlight } = frame
  const byColor = notesByColor(frame)
  context.fillStyle = theme.ground
  const edged = byColor.flat().filter((note) => radiusIn(frame, note) >= EDGED)
  fillCircles(context, circlesOf(frame, edged, { more: 1.2 }))
  const weights = weightsOf(frame.graph)
  const isPale = (note: number) =>
    frame.graph.count > PALE.many && (weights[note] ?? 0) < PALE.share && !isIndex(frame.graph, note)
  for (const [color, notes] of byColor.entries()) {
    context.fillStyle = PALETTE[color] ?? theme.text
    for (const pale of [true, false]) {
      const some = notes.filter((note) => isPale(note) === pale)
      context.globalAlpha =
        pale && highlight?.center === undefined ? (PALE.near + (PALE.far - PALE.near) * farnessOf(frame)) * calmnessOf(frame) : 1
      fillCircles(context, circlesOf(frame, some), 1.3 / ratio)
    }
  }
  // Index notes are rings, because discs of this size would hide areas.
  for (const note of byColor.at(-1) ?? []) {
    context.fillStyle = landColor(frame, areasOf(frame.graph, frame.look).of[note])
    fillCircles(context, circlesOf(frame, [note]))
  }
  context.fillStyle = theme.ground
  const hole = HOLE.near + (HOLE.far - HOLE.near) * farnessOf(frame)
  fillCircles(context, circlesOf(frame, byColor.at(-1) ?? [], { times: hole }))
}

export function landColor({ theme }: Frame, color = -1): string {
  return mixed(PALETTE[color] ?? theme.text, theme.text, 0.5)
}

function circlesOf(frame: Frame, notes: readonly number[], { times = 1, more = 0 } = {}): readonly Circle[] {
  return notes.map((note) => [...placeIn(frame, note), times * radiusIn(frame, note) + more])
}

/** Draws the path, links and marks of lists, and rings around the notes in focus. */
export function drawMarks(context: Context, frame: Frame): void {
  const { look, theme, highlight } = frame
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
  for (const note of new Set([look.focus, highlight?.center, look.pulse]))
    if (note !== undefined) drawRing(context, frame, note, theme.accent)
}

function drawRing(context: Context, frame: Frame, note: number, color: string): void {
  if (frame.look.shown[note] === 0) return
  context.strokeStyle = color
  context.beginPath()
  context.arc(...placeIn(frame, note), radiusIn(frame, note) + 3, 0, 7)
  context.stroke()
}

/** Draws an arrowhead for a step of a path, or an arc between two notes. The arc is dashed if there is no link. */
function drawTie(context: Context, frame: Frame, { from, to, kind }: Tie<number>): void {
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

type Spot = ReturnType<typeof smallNotesIn>[number]

export function smallNotesIn(frame: Frame) {
  const small = [...frame.graph.degrees.keys()].filter((note) => radiusIn(frame, note) < COVERED && isInView(frame, note))
  return small.map((note) => ({ note, circle: [...placeIn(frame, note), radiusIn(frame, note) + 1.5] as const }))
}

/** Covers notes that a name would hide partially. */
export function coverNotes(context: Context, spots: readonly Spot[], [left, top, right, bottom]: Box, ground: string): void {
  const isTouched = ({ circle: [x, y, radius] }: Spot): boolean =>
    x > left - radius && x < right + radius && y > top - radius && y < bottom + radius
  const touched = spots.filter(isTouched).map(({ circle }) => circle)
  context.fillStyle = ground
  fillCircles(context, touched)
}

type Circle = readonly [x: number, y: number, radius: number]

/** Fills circles. Below the radius `square`, squares are faster and look the same. */
function fillCircles(context: Context, circles: readonly Circle[], square = 0): void {
  for (let from = 0; from < circles.length; from += STROKE) {
    context.beginPath()
    for (const [x, y, radius] of circles.slice(from, from + STROKE)) {
      if (radius < square) context.rect(x - radius, y - radius, 2 * radius, 2 * radius)
      else {
        context.moveTo(x + radius, y)
        context.arc(x, y, radius, 0, 7)
      }
    }
    context.fill()
  }
}

function notesByColor(frame: Frame): readonly number[][] {
  const notes = [...(frame.highlight?.notes ?? frame.graph.degrees.keys())]
  const inView = notes.filter((note) => isInView(frame, note, radiusIn(frame, note)))
  // The last list is for index notes.
  return byNumber(inView, frame.look.colors, PALETTE.length + 1)
}

/** Draws a link if both notes are drawn and one of them is near the view. */
function isLinkDrawn(frame: Shown, ends: readonly [from: number, to: number]): boolean {
  const { look, view, width, height, highlight } = frame
  const isNear = (note: number): boolean => {
    const [x, y] = placeIn(frame, note)
    return Math.abs(x - width / 2) < NEAR * view.width && Math.abs(y - height / 2) < NEAR * view.height
  }
  return ends.every((note) => look.shown[note] === 1 && highlight?.notes.has(note) !== false) && ends.some(isNear)
}
