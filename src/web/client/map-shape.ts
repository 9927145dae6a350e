import type { VaultPicture } from '../../core/insight/picture.ts'
import { boundsOf, bytesOf, type Shape } from './graph.ts'

/** Maximum factor. Beyond that, evenly spread notes become rows. */
const MOST_STRETCHED = 1.3

/** Returns the shape in which a picture fills a window of this width divided by height. */
export function shapeFor(picture: Pick<VaultPicture, 'places'>, aspect: number): Shape {
  const [left, top, right, bottom] = boundsOf(new Float32Array(bytesOf(picture.places)))
  const [width, height] = [Math.max(1, right - left), Math.max(1, bottom - top)]
  const isTurned = aspect > 1 ? width < 0.9 * height : width > 1.1 * height
  const wider = (isTurned ? width / height : height / width) * aspect
  // Rounded, because a new note at the edge should not change it.
  const factor = Math.round(20 * Math.min(MOST_STRETCHED, Math.max(wider, 1 / wider))) / 20
  return { isTurned, across: wider > 1 ? factor : 1, down: wider > 1 ? 1 : factor }
}

/** Pixels that the start pane, and what is above and below the map, take from windows of at least `WIDE` pixels, and from others. */
const TAKEN = { wide: { pane: 280, bars: 49 }, narrow: { pane: 0, bars: 127 } }
const WIDE = 700

/** Returns width divided by height of the map in this window. Does not measure the map, because it may not be there yet. */
export function aspectOf(hasStartPane: boolean): number {
  const { pane, bars } = innerWidth < WIDE ? TAKEN.narrow : TAKEN.wide
  return (innerWidth - (hasStartPane ? pane : 0)) / (innerHeight - bars)
}
