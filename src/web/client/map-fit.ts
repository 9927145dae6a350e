import { boundsOf, placeOf } from './graph.ts'
import type { Box, Point } from './map-labels.ts'
import type { Camera } from './map-scene.ts'

export interface Fitting {
  readonly width: number
  readonly height: number
  readonly covered: readonly Box[]
  /** Maximum scale, in pixels per layout unit. */
  readonly most: number
  readonly reach: number
  /** Minimum space at the sides, in pixels, if the view is wide enough. */
  readonly across?: number
  readonly focus?: Point | undefined
}

const POINTS = 600
/** The space for names, in pixels. `share` and `sides` limit it to a share of the view. */
const SPACE = { across: 24, down: 14, share: 0.03, sides: 0.07 }
const SHIFTS = [0, -0.5, 0.5, -1, 1]
const SHRINK = 0.96
/** The cost of hiding notes. Covering 1 % of them is as bad as reducing the size by this percentage. */
const HIDING = 8
const NEAR = 6
/** Minimum size, relative to a view without panels. */
const LEAST = 0.72

/** Returns the camera that shows all points (`x, y` pairs) as large as possible. */
export function fitInto(points: readonly number[], fitting: Fitting): Camera {
  const { width, height, covered, most, reach, across: sides = 0, focus } = fitting
  const bounds = focus === undefined ? boundsOf(points) : withInMiddle(boundsOf(points), focus)
  const around = Math.max(1.5, reach)
  const [left, top, right, bottom] = [bounds[0] - around, bounds[1] - around, bounds[2] + around, bounds[3] + around]
  if (left > right) return { x: 0, y: 0, scale: 10 }
  const across = width - 2 * Math.max(Math.min(SPACE.across, width * SPACE.share), Math.min(sides, width * SPACE.sides))
  const down = height - 2 * Math.min(SPACE.down, height * SPACE.share)
  const whole = Math.max(0.02, Math.min(across / (right - left), down / (bottom - top), most))
  const step = Math.max(1, Math.ceil(points.length / 2 / POINTS))
  const sample = Array.from({ length: Math.ceil(points.length / 2 / step) }, (_, at) => placeOf({ places: points }, at * step))
  const hiddenShare = ({ x, y, scale }: Camera): number => {
    // 0.6, because areas have round corners.
    const near = NEAR + 0.6 * reach * scale
    const isHidden = ([pointX, pointY]: Point): boolean => {
      const [px, py] = [width / 2 + (pointX - x) * scale, height / 2 + (pointY - y) * scale]
      return covered.some(([from, high, to, low]) => px > from - near && px < to + near && py > high - near && py < low + near)
    }
    return sample.filter(isHidden).length / sample.length
  }
  let best: Camera = { x: (left + right) / 2, y: (top + bottom) / 2, scale: whole }
  let bestWorth = 0
  for (let scale = whole; scale >= whole * LEAST; scale *= SHRINK) {
    const [freeX, freeY] = [(across / scale - (right - left)) / 2, (down / scale - (bottom - top)) / 2]
    for (const [dx, dy] of SHIFTS.flatMap((x) => SHIFTS.map((y) => [x, y] as const))) {
      const camera = { x: (left + right) / 2 + dx * freeX, y: (top + bottom) / 2 + dy * freeY, scale }
      const worth = scale * (1 - HIDING * hiddenShare(camera))
      if (worth <= bestWorth) continue
      bestWorth = worth
      best = camera
    }
    if (bestWorth >= scale * SHRINK) break
  }
  return best
}

/** Extends bounds until a point is in their middle half. */
function withInMiddle([left, top, right, bottom]: Box, [x, y]: Point): Box {
  return [
    Math.min(left, (4 * x - right) / 3),
    Math.min(top, (4 * y - bottom) / 3),
    Math.max(right, (4 * x - left) / 3),
    Math.max(bottom, (4 * y - top) / 3),
  ]
}
