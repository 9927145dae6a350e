import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { lookAtDemo, mapIsStill, spotsOf } from './support.ts'

// States of the page are compared with references: where its parts are, and a picture of few cells. Fonts differ between machines,
// so there is tolerance. `UPDATE_SNAPSHOTS=1` writes the references.
const FILE = fileURLToPath(new URL('reference.json', import.meta.url))

/** How far an edge may be from the reference, in pixels. */
const EDGE = 40
/**
 * The maximum difference between the color of a cell and the reference, of 255. One name more or less in a cell causes a smaller
 * difference.
 */
const SHADE = 36
const [COLUMNS, ROWS] = [16, 10]

const PARTS = ['.bar', '.map .drawing', '.legend', '.zoom', '.tip', '.right', '.table']

interface Reference {
  /** Left, top, right and bottom of each visible part. */
  readonly boxes: Readonly<Record<string, readonly number[]>>
  /** Red, green and blue of each cell, row by row. */
  readonly cells: readonly number[]
}

async function stateOf(page: Page): Promise<Reference> {
  const boxes = await page.evaluate(
    (parts) =>
      Object.fromEntries(
        parts.flatMap((part) => {
          const { left, top, right, bottom } = document.querySelector(part)?.getBoundingClientRect() ?? {}
          return left === undefined ? [] : [[part, [left, top, right, bottom].map((edge) => Math.round(edge ?? 0))] as const]
        }),
      ),
    PARTS,
  )
  const picture = (await page.screenshot({ type: 'png' })).toString('base64')
  // The page itself may not load such an image, so another page does.
  const other = await page.context().newPage()
  const cells = await other.evaluate(
    async ([source, columns, rows]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${source}`
      await image.decode()
      const context = Object.assign(document.createElement('canvas'), { width: columns, height: rows }).getContext('2d')
      if (context === null) return []
      context.imageSmoothingQuality = 'high'
      context.drawImage(image, 0, 0, columns, rows)
      return [...context.getImageData(0, 0, columns, rows).data].filter((_, at) => at % 4 !== 3)
    },
    [picture, COLUMNS, ROWS] as const,
  )
  await other.close()
  return { boxes, cells }
}

/** Fails if the page differs from its reference. */
function compare(name: string, state: Reference): void {
  const known: Record<string, Reference> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
  if (process.env.UPDATE_SNAPSHOTS === '1') {
    writeFileSync(FILE, `${JSON.stringify({ ...known, [name]: state })}\n`)
    return
  }
  const wanted = known[name]
  expect(Object.keys(state.boxes), name).toEqual(Object.keys(wanted?.boxes ?? {}))
  for (const [part, box] of Object.entries(state.boxes))
    for (const [at, edge] of box.entries())
      expect(
        Math.abs(edge - (wanted?.boxes[part]?.[at] ?? 0)),
        `${name}: ${part} ${box} instead of ${wanted?.boxes[part]}`,
      ).toBeLessThanOrEqual(EDGE)
  expect(state.cells.length).toBe(wanted?.cells.length)
  const far = state.cells.filter((shade, at) => Math.abs(shade - (wanted?.cells[at] ?? 0)) > SHADE)
  expect(far, `${name}: cells that look different`).toEqual([])
}

for (const dark of [false, true]) {
  const theme = dark ? 'dark' : 'light'
  test(`in ${theme} the page looks as before: card at the pointer, note and table`, async () => {
    const { page } = await lookAtDemo({ dark })
    await page.waitForSelector('.legend li')
    await page.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
    await page.waitForSelector('.welcome .rows')
    await mapIsStill(page)
    const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
    const [x, y] = (await spotsOf(page)).get('concepts/gluten.md') ?? [0, 0]
    await page.mouse.move(left + x, top + y)
    await page.waitForSelector('.tip p')
    await mapIsStill(page)
    compare(`${theme} card`, await stateOf(page))
    await page.mouse.click(left + x, top + y)
    await page.waitForSelector('.note .body p')
    await page.waitForSelector('.backlink')
    await page.mouse.move(left + 2, top + 2)
    await mapIsStill(page)
    compare(`${theme} note`, await stateOf(page))
    await page.keyboard.press('t')
    await page.waitForSelector('.table tbody tr')
    compare(`${theme} table`, await stateOf(page))
  })
}
