import type { Frame } from './map-scene.ts'

type Paint = object | string

/** Runs `draw` on a substitute for a canvas, and returns an SVG document. */
export function svgOf({ width, height }: Pick<Frame, 'width' | 'height'>, draw: (on: CanvasRenderingContext2D) => void): string {
  const drawn: string[] = []
  let [path, dashes] = ['', '']
  const add = (what: string, fill: Paint, stroke?: Paint, text = ''): void => {
    const line = stroke === undefined ? '' : ` stroke="${stroke}" stroke-width="${rounded(on.lineWidth)}"${dashes}`
    const opacity = on.globalAlpha.toFixed(3)
    drawn.push(`<${what} fill="${fill}" opacity="${opacity}"${line}>${escaped(text)}</${what.split(' ', 1)}>`)
  }
  const write = (x: number, y: number): string =>
    `text x="${rounded(x)}" y="${rounded(y)}" style="${escaped(`font:${on.font};letter-spacing:${on.letterSpacing}`)}"`
  /** The substitute implements only the methods that the map uses. All arcs are full circles. */
  const on = {
    globalAlpha: 1,
    lineWidth: 1,
    font: '',
    letterSpacing: '0px',
    fillStyle: '' as Paint,
    strokeStyle: '' as Paint,
    setTransform() {},
    setLineDash: (lengths: readonly number[]) => (dashes = lengths.length === 0 ? '' : ` stroke-dasharray="${lengths}"`),
    beginPath: () => (path = ''),
    moveTo: (...point: readonly number[]) => (path += `M${point.map(rounded)}`),
    lineTo: (...point: readonly number[]) => (path += `${path === '' ? 'M' : 'L'}${point.map(rounded)}`),
    quadraticCurveTo: (...points: readonly number[]) => (path += `Q${points.map(rounded)}`),
    rect: (x: number, y: number, wide: number, high: number) =>
      (path += `M${rounded(x)} ${rounded(y)}h${rounded(wide)}v${rounded(high)}h${rounded(-wide)}z`),
    arc(x: number, y: number, radius: number) {
      const r = rounded(radius)
      path += `M${rounded(x - radius)} ${rounded(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`
    },
    fill: (rule = 'nonzero') => add(`path d="${path}" fill-rule="${rule}"`, on.fillStyle),
    stroke: () => add(`path d="${path}"`, 'none', on.strokeStyle),
    fillRect: (x: number, y: number, wide: number, high: number) =>
      add(`rect x="${x}" y="${y}" width="${wide}" height="${high}"`, on.fillStyle),
    fillText: (text: string, x: number, y: number) => add(write(x, y), on.fillStyle, undefined, text),
    strokeText: (text: string, x: number, y: number) => add(write(x, y), 'none', on.strokeStyle, text),
    save() {},
    clip: (rule: string) =>
      drawn.push(
        `<clipPath id="c${drawn.length}"><path d="${path}" clip-rule="${rule}"/></clipPath><g clip-path="url(#c${drawn.length})">`,
      ),
    restore: () => drawn.push('</g>'),
    createLinearGradient(...ends: readonly number[]) {
      const at = drawn.push('') - 1
      const place = ends.map((end, axis) => `${['x1', 'y1', 'x2', 'y2'][axis]}="${rounded(end)}"`).join(' ')
      let stops = ''
      const addColorStop = (offset: number, color: string): void => {
        stops += `<stop offset="${offset}" stop-color="${color}"/>`
        drawn[at] = `<linearGradient id="b${at}" ${place} gradientUnits="userSpaceOnUse">${stops}</linearGradient>`
      }
      return { addColorStop, toString: () => `url(#b${at})` }
    },
  }
  draw(on as unknown as CanvasRenderingContext2D)
  const how = 'text-anchor="middle" dominant-baseline="central" stroke-linejoin="round"'
  const size = `${rounded(width)} ${rounded(height)}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" ${how}>${drawn.join('\n')}</svg>`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

/** Escapes a text for XML, and replaces control characters, which XML does not allow. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
