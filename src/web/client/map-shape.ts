import type { PartialPicture, VaultPicture } from '../../core/insight/picture.ts'
import { boundsOf, bytesOf, type Graph, graphOf, isElsewhere, placeOf } from './graph.ts'

/** The most notes of a small map. */
export const SMALL_MAP = 1_000

type Shape = ReturnType<typeof shapeFor>

let shape: Shape | undefined

/** Returns the graph in the shape of `before`, unless the layout has changed, or `before` if nothing has. */
export function shaped(picture: PartialPicture, before: Graph | undefined): Graph {
  if (before?.picture === picture) return before
  if (shape !== undefined && before !== undefined) {
    const made = graphOf(picture, placesIn(picture, shape))
    if (!isElsewhere(before, made)) return made
  }
  // The map may not exist yet, so it is not measured.
  const { side, bars } = TAKEN[innerWidth < WIDE ? 'narrow' : picture.ids.length > SMALL_MAP ? 'large' : 'small']
  shape = shapeFor(picture, (innerWidth - side) / (innerHeight - bars))
  return graphOf(picture, placesIn(picture, shape))
}

/** The maximum factor. If it were higher, evenly spaced notes would look like rows. */
const MOST_STRETCHED = 1.3

/** @param aspect width divided by height */
export function shapeFor(picture: Pick<VaultPicture, 'places'>, aspect: number) {
  const [left, top, right, bottom] = boundsOf(new Float32Array(bytesOf(picture.places)))
  const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)]
  const isTurned = aspect > 1 ? width < 0.9 * height : width > 1.1 * height
  const wider = (isTurned ? width / height : height / width) * aspect
  // The factor is rounded, so a new note at the edge does not change it.
  const factor = Math.round(20 * Math.min(MOST_STRETCHED, Math.max(wider, 1 / wider))) / 20
  return { isTurned, across: wider > 1 ? factor : 1, down: wider > 1 ? 1 : factor }
}

/** Notes without links stay in rows below the others. */
export function placesIn(picture: Pick<VaultPicture, 'places' | 'links'>, { isTurned, across, down }: Shape) {
  const given = new Float32Array(bytesOf(picture.places))
  const places = given.map(
    (place, at) => (isTurned ? (given[at ^ 1] ?? 0) * (at % 2 === 0 ? 1 : -1) : place) * (at % 2 === 0 ? across : down),
  )
  const linked = new Set(new Uint32Array(bytesOf(picture.links)))
  if (!isTurned || linked.size === 0) return places
  const pointsOf = (all: Float32Array) => [...linked].flatMap((note) => placeOf({ places: all }, note))
  const [left, , right, bottom] = boundsOf(pointsOf(given))
  const [toLeft, , toRight, toBottom] = boundsOf(pointsOf(places))
  for (let note = 0; note < given.length / 2; note++) {
    const [x, y] = [(given[note * 2] ?? 0) - (left + right) / 2, (given[note * 2 + 1] ?? 0) - bottom]
    if (linked.has(note) || y < 0 || Math.abs(x) > (toRight - toLeft) / 2) continue
    places[note * 2] = (toLeft + toRight) / 2 + x
    places[note * 2 + 1] = toBottom + y
  }
  return places
}

/** The pixels around the map that panels and toolbars take. The start pane is open beside a small map. */
const TAKEN = { small: { side: 470, bars: 49 }, large: { side: 280, bars: 49 }, narrow: { side: 0, bars: 127 } }
const WIDE = 700
