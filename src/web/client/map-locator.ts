import { element } from './element.ts'
import { areasOf } from './map-areas.ts'
import { fitInto } from './map-fit.ts'
import { type Camera, drawAreasAlone, type Frame, pointAt, pointIn } from './map-scene.ts'
import { memoizeLast } from './memoize-last.ts'

const SIZE = { width: 132, height: 92 }
/** The magnification from which the locator is shown. */
const SHOWN_FROM = 1.8

/** A small picture of the whole map that shows which part is in view. */
export class Locator {
  readonly box = element('div', { className: 'locator', ariaHidden: 'true' })
  readonly #image = element('canvas')
  readonly #view = element('div')

  constructor() {
    const [width, height] = [`${SIZE.width}px`, `${SIZE.height}px`]
    const corner = { position: 'absolute', top: 'var(--locator-top, 12px)', left: '12px', width, height, display: 'none' }
    Object.assign(this.box.style, corner, { overflow: 'hidden', borderRadius: '8px', pointerEvents: 'none' })
    Object.assign(this.#image.style, { width, height })
    Object.assign(this.#view.style, { position: 'absolute', boxSizing: 'border-box', borderRadius: '3px' })
    this.box.append(this.#image, this.#view)
  }

  update(frame: Frame): void {
    const isShown = areasOf(frame.graph, frame.look).all.length > 0 && frame.magnified >= SHOWN_FROM && !frame.isNarrow
    this.box.style.display = isShown ? '' : 'none'
    if (!isShown) return
    const small = { ...frame, ...SIZE, camera: this.#draw(frame) }
    const [left, top] = pointIn(small, ...pointAt(frame, 0, 0))
    const [right, bottom] = pointIn(small, ...pointAt(frame, frame.width, frame.height))
    const [width, height] = [`${right - left}px`, `${bottom - top}px`]
    Object.assign(this.#view.style, { left: `${left}px`, top: `${top}px`, width, height })
  }

  readonly #draw = memoizeLast(
    ({ graph, look, theme, ratio }: Frame) => [areasOf(graph, look), theme, ratio],
    (frame): Camera => {
      const points = areasOf(frame.graph, frame.look).all.flatMap(({ outlines }) => outlines.flat())
      const camera = fitInto(points, { ...SIZE, covered: [], most: Infinity, reach: 0 })
      drawAreasAlone(this.#image, { ...frame, ...SIZE, camera })
      this.box.style.border = `1px solid ${frame.theme.link}40`
      this.#view.style.border = `1.5px solid ${frame.theme.accent}`
      return camera
    },
  )
}
