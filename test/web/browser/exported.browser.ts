import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { PROGRAM } from '../../e2e/support.ts'
import { barriersOf } from './barriers.ts'
import { type MapElement, openWindow, openWorld, type World } from './support.ts'

/** The page that "roux export" writes, opened from disk. */
async function openExported({ vault, env, root }: World, args: readonly string[] = []) {
  const file = join(root, 'notes.html')
  execFileSync(process.execPath, [PROGRAM, 'export', vault, '--format', 'html', '-o', file, ...args], { env, cwd: root })
  const window = await openWindow()
  await window.page.goto(pathToFileURL(file).href)
  await window.page.waitForFunction(() => (document.querySelector<MapElement>('#map .drawing')?.map.draw().length ?? 0) > 0)
  const foreign = window.foreign.filter((url) => url !== pathToFileURL(file).href)
  return { ...window, foreign }
}

test("the exported map opens from disk, finds titles, and shows a note's links", async () => {
  const { page, foreign, errors } = await openExported(openWorld({ fixture: 'demo' }))
  expect(await page.textContent('#said')).toMatch(/^\d+ notes, \d+ links$/)
  await page.keyboard.press('/')
  await page.keyboard.type('amyl')
  await page.keyboard.press('Enter')
  expect(await page.textContent('#note h2')).toBe('Amylase')
  expect(await page.textContent('#note')).toContain('Maillard reaction')
  expect(await page.locator('#note .body').count()).toBe(0)
  await page.getByRole('button', { name: 'Maillard reaction' }).first().click()
  expect(await page.textContent('#note h2')).toBe('Maillard reaction')
  expect(await page.evaluate(() => window.refusals)).toEqual([])
  expect([foreign, errors]).toEqual([[], []])
})

test('clicking the exported map removes the name under the pointer', async () => {
  const { page } = await openExported(openWorld({ fixture: 'demo' }))
  const [x, y] = await page.evaluate(() => {
    const drawing = document.querySelector<MapElement>('#map .drawing')
    const { left = 0, top = 0 } = drawing?.getBoundingClientRect() ?? {}
    const [at, down] = [...(drawing?.map.spots().values() ?? [])][3] ?? [0, 0]
    return [left + at, top + down]
  })
  await page.mouse.move(x ?? 0, y ?? 0)
  await page.waitForSelector('.tip')
  await page.mouse.click(x ?? 0, y ?? 0)
  await page.waitForSelector('#note h2')
  await page.waitForSelector('.tip', { state: 'hidden' })
})

test('an entry of the legend brings its group into view, by mouse and by keyboard', async () => {
  const { page, errors } = await openExported(openWorld({ fixture: 'demo' }))
  const entry = page.locator('.legend button').nth(1)
  expect(await entry.innerText()).toMatch(/ \d+$/)
  const drawnNames = () =>
    page.evaluate(() =>
      document
        .querySelector<MapElement>('#map .drawing')
        ?.map.draw()
        .map(({ text }) => text),
    )
  const before = await drawnNames()
  await entry.click()
  expect(await entry.getAttribute('aria-pressed')).toBe('true')
  await expect.poll(drawnNames).not.toEqual(before)
  await page.keyboard.press('Enter')
  expect(await entry.getAttribute('aria-pressed')).toBe('false')
  await expect.poll(drawnNames).toEqual(before)
  expect(errors).toEqual([])
})

test('no name on the exported map is below its legend or its buttons', async () => {
  const { page } = await openExported(openWorld({ fixture: 'demo' }))
  await page.setViewportSize({ width: 620, height: 460 })
  const hiddenNames = () =>
    page.evaluate(() => {
      const drawing = document.querySelector<MapElement>('#map .drawing')
      const { left = 0, top = 0 } = drawing?.getBoundingClientRect() ?? {}
      const covers = [...document.querySelectorAll('.legend, .zoom')].map((cover) => cover.getBoundingClientRect())
      return drawing?.map.draw().flatMap(({ text, box }) => {
        const isBelow = (cover: DOMRect) =>
          left + box[0] < cover.right && left + box[2] > cover.left && top + box[1] < cover.bottom && top + box[3] > cover.top
        return covers.some(isBelow) ? [text] : []
      })
    })
  await expect.poll(hiddenNames).toEqual([])
})

test('a note in the exported map quotes the sentences that link it, on request', async () => {
  const world = openWorld()
  world.write('Roof.md', 'It rests on **[[Walls]]**.\n')
  world.write('Walls.md', 'They carry the [[Roof]].\n')
  const { page } = await openExported(world, ['--quotes'])
  await page.fill('#search', 'roof')
  await page.keyboard.press('Enter')
  expect(await page.locator('#note blockquote').allInnerTexts()).toEqual(['It rests on Walls.', 'They carry the Roof.'])
})

test('the exported map contains texts on request', async () => {
  const { page } = await openExported(openWorld({ fixture: 'demo' }), ['--texts'])
  await page.fill('#search', 'amylase')
  await page.keyboard.press('Enter')
  expect(await page.textContent('#note .body')).toContain('Too little, too much')
  // The text is rendered: it contains no Markdown markup, and its links lead to notes on the page.
  expect(await page.innerText('#note .body')).not.toMatch(/\[\[|\*\*|^#/m)
  await page.locator('#note .body .link').first().click()
  expect(await page.textContent('#note h2')).not.toBe('Amylase')
  expect(await page.evaluate(() => window.refusals)).toEqual([])
})

test('axe finds no problems in the exported map with a text beside it, in light and dark mode', async () => {
  const { page } = await openExported(openWorld({ fixture: 'demo' }), ['--texts'])
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.fill('#search', 'a')
    expect(await barriersOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    expect(await barriersOf(page)).toEqual([])
  }
})

test('hostile names and texts in the exported map neither run nor load anything', async () => {
  const world = openWorld()
  const titles = [
    '</script><script>(window.ran??=[]).push(1)</script>',
    '<img src=x onerror="(window.ran??=[]).push(2)">',
    '<!--<script>',
    '{"__proto__":1}',
    '\u2028',
  ]
  const text = `</script><script>(window.ran??=[]).push(3)</script>\n<img src="https://foreign.example/a.png">\n[[n0]] #a</script>`
  for (const [at, title] of titles.entries())
    world.write(`n${at}.md`, `---\ntitle: ${JSON.stringify(title)}\n---\n# ${title}\n${text}`)
  world.write('<img src=x onerror=ran=1>.md', '')
  const { page, foreign, errors } = await openExported(world, ['--texts'])
  for (const word of ['<', 'n', '{']) {
    await page.fill('#search', word)
    const [first] = await page.locator('#found button').all()
    await first?.click()
  }
  expect(await page.evaluate(() => [window.ran, window.refusals])).toEqual([undefined, []])
  expect([foreign, errors]).toEqual([[], []])
  expect(await page.evaluate(() => document.scripts.length)).toBe(2)
})
