import type { Label } from './map-labels.ts'
import { bent, FEW, type Frame, type Highlight, isDrawn, placeIn, radiusIn } from './map-scene.ts'

/** Returns a frame as an SVG document: its links, notes and names, without the marks of lists. */
export function svgOf(frame: Frame, labels: readonly Label[], highlight?: Highlight): string {
  const { graph, look, theme, width, height } = frame
  const isIn = (note: number): boolean => isDrawn(look, highlight, note)
  const pathOf = (from: readonly [number, number], to: readonly [number, number]): string => {
    const steps = graph.count < FEW ? `Q${bent(...from, ...to).map(rounded)} ` : 'L'
    return `M${from.map(rounded)}${steps}${to.map(rounded)}`
  }
  const links: string[] = []
  for (let pair = 0; pair < graph.pairs.length; pair += 2) {
    const [from = 0, to = 0] = graph.pairs.subarray(pair, pair + 2)
    if (isIn(from) && isIn(to)) links.push(pathOf(placeIn(frame, from), placeIn(frame, to)))
  }
  const dots = [...Array(graph.count).keys()].filter(isIn).map((note) => {
    const [x, y] = placeIn(frame, note).map(rounded)
    const colour = look.palette[look.colours[note] ?? 0] ?? theme.text
    const title = escaped(graph.picture.titles[note] ?? '')
    return `<circle cx="${x}" cy="${y}" r="${rounded(radiusIn(frame, note))}" fill="${colour}"><title>${title}</title></circle>`
  })
  const names = labels.flatMap(({ lines, height, box: [left, top, right] }) =>
    lines.map((line, at) => {
      const size = height / lines.length
      return `<text x="${rounded((left + right) / 2)}" y="${rounded(top + (at + 0.5) * size)}" font-size="${rounded(size / 1.25)}">${escaped(line)}</text>`
    }),
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rounded(width)} ${rounded(height)}">`,
    `<rect width="100%" height="100%" fill="${theme.ground}"/>`,
    `<path d="${links.join('')}" fill="none" stroke="${theme.link}" stroke-width=".75" stroke-opacity=".3"/>`,
    ...dots,
    `<g fill="${theme.text}" font-family="Inter, sans-serif" text-anchor="middle" dominant-baseline="middle">${names.join('')}</g>`,
    '</svg>',
  ].join('\n')
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}

/** Returns a text for XML, which has no control characters. */
function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
