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

/** Width of the start pane, and of the narrowest window where it is beside the map. */
const START_PANE = 280
const WIDE = 700

/** Returns width divided by height of the map in this window: whether it is there already does not matter. */
export function aspectOf(hasStartPane: boolean): number {
  const width = innerWidth - (hasStartPane && innerWidth >= WIDE ? START_PANE : 0)
  return width / (document.querySelector('main')?.clientHeight || innerHeight)
}
