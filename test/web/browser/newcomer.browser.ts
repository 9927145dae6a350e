import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { look, lookAtDemo, type MapElement, mapIsStill, openRoux, openWorld, shareRoux } from './support.ts'

const showView = (page: Page, name: string) => page.click(`nav[aria-label="Views"] button:text-is("${name}")`)

/** Finds a note with the keyboard and opens it. */
async function find(page: Page, title: string): Promise<void> {
  await page.keyboard.press('/')
  await page.keyboard.type(title)
  await page.waitForSelector(`#hits li:first-child strong:text-is("${title}")`)
  await page.keyboard.press('Enter')
  await page.waitForSelector(`.note h1:text-is("${title}")`)
}

/** A vault with folders in folders, one of them with a name that is longer than a list is wide. */
const folders = shareRoux(
  (world) => {
    const long = `Zoology/${'A folder with a name that says all that is in it '.repeat(4).trim()}`
    for (const folder of [long, 'Botany/Trees/Oaks', 'Archive'])
      world.write(`${folder}/In ${folder.slice(0, 6)}.md`, '[[Hydration]]\n')
  },
  { fixture: 'demo' },
)

for (const width of [1280, 390]) {
  test(`at ${width} pixels all filters are in the window, however long folder names are`, async () => {
    const { page } = await look(await folders(), { width, height: 780 })
    await page.click('.filters summary')
    const over = await page.evaluate(() =>
      [...document.querySelectorAll('.filters div, .filters select, .filters button')]
        .map((one) => ({ name: one.textContent?.slice(0, 20), ...one.getBoundingClientRect().toJSON() }))
        .filter(({ left, right, bottom }) => left < 0 || right > innerWidth || bottom > innerHeight),
    )
    expect(over).toEqual([])
  })
}

test('folders are listed in order, including those that contain only folders', async () => {
  const { page } = await look(await folders())
  await page.click('.filters summary')
  const names = await page.$$eval('.filters select >> nth=0 >> option', (options) =>
    options.map((one) => (one as HTMLOptionElement).value),
  )
  expect(names.slice(1)).toEqual(names.slice(1).toSorted((a, b) => a.localeCompare(b)))
  expect(names).toEqual(expect.arrayContaining(['Archive', 'Botany', 'Botany/Trees', 'Botany/Trees/Oaks', 'Zoology']))
  await page.selectOption('.filters select >> nth=0', 'Botany')
  await showView(page, 'Table')
  await page.waitForSelector('.table caption:has-text("1 note")')
})

test('the search key replaces the previous search', async () => {
  const { page } = await lookAtDemo()
  await find(page, 'Hydration')
  await find(page, 'Rye')
})

test('results are shown as plain text, without Markdown syntax', async () => {
  const world = openWorld()
  world.write('Found.md', '# Found\n\n## Sought\n\n- See [[Other|the other]] and [a page](https://example.org/a).\n')
  world.write('Other.md', '[[Found]]\n')
  const { page } = await look(await openRoux(world))
  await page.keyboard.press('/')
  await page.keyboard.type('sought')
  const shown = await page.waitForSelector('#hits li span:has-text("the other")')
  expect(await shown.innerText()).not.toMatch(/[[\]#]|\]\(/)
})

test('on a phone both ends of a path from a note are chosen first, and the path is then shown on the map', async () => {
  const { page } = await lookAtDemo({
    width: 390,
    height: 780,
    hash: '&note=Hydration',
  })
  await page.click('.tabs button:text-is("Note")')
  await page.click('.note button:text-is("Path from here")')
  await page.fill('.picker:has-text("To") input', 'Amylase')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.chain a:text-is("Amylase")')
  await page.click('button:text-is("Back to the map")')
  expect(await page.locator('.map .drawing').isVisible()).toBe(true)
})

test('both ends of a path are chosen in the list', async () => {
  const { page } = await lookAtDemo()
  await showView(page, 'Path')
  await page.fill('.picker:has-text("From") input', 'Hydration')
  await page.keyboard.press('Enter')
  await page.fill('.picker:has-text("To") input', 'Amylase')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.chain li:first-child a:text-is("Hydration")')
  await page.waitForSelector('.chain li:last-child a:text-is("Amylase")')
})

test('every problem shows its kind, can be reached, and leads to its line', async () => {
  const world = openWorld()
  const lines = Array.from({ length: 230 }, (_, at) => `Line ${at} [[Hub#Nowhere ${at}]].\n`)
  world.write('Hub.md', `# Hub\n\n${lines.join('\n')}`)
  const { page } = await look(await openRoux(world))
  await showView(page, 'Problems')
  await page.waitForSelector('.list li')
  expect(await page.innerText('.list li >> nth=3')).toContain('broken heading')
  await page.click('.chips button:has-text("broken heading 230")')
  await page.waitForSelector('.list ul:not(:has(small:has-text("broken heading"))) li')
  for (let more = await page.locator('.list button:has-text("Show more")').count(); more > 0; ) {
    const before = await page.locator('.list li').count()
    await page.click('.list button:has-text("Show more")')
    await page.waitForFunction((count) => document.querySelectorAll('.list li').length > count, before)
    more = await page.locator('.list button:has-text("Show more")').count()
  }
  expect(await page.locator('.list li').count()).toBe(230)
  await page.click('.list li:has-text("line 203") a')
  await page.waitForFunction(() => document.querySelector('.body .here')?.textContent?.includes('Line 100') === true)
})

test('changes can be listed for a day, a week or a month', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { page } = await look(await openRoux(world))
  await showView(page, 'Changes')
  await page.waitForSelector('.list select')
  expect(await page.$$eval('.list select option', (options) => options.map(({ textContent }) => textContent))).toEqual([
    'an hour ago',
    'yesterday',
    'a week ago',
    'a month ago',
  ])
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.postData()?.includes('"since":"1h"') === true),
    page.selectOption('.list select', { label: 'an hour ago' }),
  ])
  expect(request.url()).toContain('/web/call')
})

test('map and table show the active filters, and a click removes them', async () => {
  const { page } = await look(await folders(), { hash: '&note=Hydration' })
  await page.waitForSelector('.note h1')
  expect(await page.locator('.narrowed').count()).toBe(0)
  await page.click('.filters summary')
  await page.selectOption('.filters select >> nth=0', 'Botany')
  await page.click('.filters summary')
  await page.waitForSelector('.narrowed button:has-text("Botany")')
  await showView(page, 'Table')
  await page.click('.narrowed button:has-text("Botany")')
  await page.waitForSelector('.narrowed', { state: 'detached' })
  await showView(page, 'Map')
  // The legend is folded beside an open note.
  await page.click('.legend summary')
  await page.selectOption('.legend select', 'folder')
  const first = page.locator('.legend li button >> nth=0')
  const name = await first.locator('bdi').innerText()
  await first.click()
  await page.waitForSelector(`.narrowed button:has-text("Folder ${name}")`)
})

test('no name on the map is covered by a panel', async () => {
  const { page } = await lookAtDemo({ width: 1000, height: 560 })
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  for (const zoom of [1, 1.7]) {
    await page.evaluate((factor) => document.querySelector<MapElement>('.map .drawing')?.map.zoom(factor), zoom)
    await mapIsStill(page)
    const covered = await page.evaluate(() => {
      const drawing = document.querySelector<MapElement>('.map .drawing')
      const { left = 0, top = 0 } = drawing?.getBoundingClientRect() ?? {}
      const over = [...document.querySelectorAll('.legend, .zoom')].map((one) => one.getBoundingClientRect())
      return drawing?.map
        .draw()
        .filter(({ box: [from, high, to, low] }) =>
          over.some((one) => from + left < one.right && to + left > one.left && high + top < one.bottom && low + top > one.top),
        )
        .map(({ text }) => text)
    })
    expect(covered).toEqual([])
  }
})

test('a community is brought into view from the legend', async () => {
  const { page } = await lookAtDemo()
  await page.click('.legend li >> nth=0 >> button')
  await mapIsStill(page)
  const scale = await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.camera.scale ?? 0)
  await page.keyboard.press('Escape')
  await page.keyboard.press('0')
  await mapIsStill(page)
  expect(await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.camera.scale ?? 0)).toBeLessThan(
    scale,
  )
})

test('lines of an Obsidian note stay separate lines', async () => {
  const world = openWorld()
  world.write('.obsidian/app.json', '{}')
  world.write('Lines.md', 'Plugin: one\nAuthor: [[Two]]\nMobile: yes\n')
  const { page } = await look(await openRoux(world), { hash: '&note=Lines' })
  await page.waitForSelector('.body p')
  expect((await page.innerText('.body p')).split('\n')).toEqual(['Plugin: one', 'Author: Two', 'Mobile: yes'])
})

test('the suggested first notes are those of the table, with the same number of incoming links', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.welcome .rows li')
  const start = await page.locator('.welcome .rows >> nth=0').locator('li').allInnerTexts()
  await page.keyboard.press('t')
  await page.waitForSelector('.table tbody .chip')
  const rows = await page.$$eval('.table tbody tr', (all) =>
    all.map((row) => [row.querySelector('a')?.textContent, row.querySelector('[data-name="Links in"]')?.textContent]),
  )
  expect(start.map((text) => text.split(/\s*\n\s*/))).toEqual(rows.slice(0, start.length))
})

test('on a phone a note shows its surroundings on a small map, and a wide window has no such map', async () => {
  const { page } = await lookAtDemo({ width: 390, hash: '&note=Gluten' })
  await page.waitForSelector('.note .body p')
  expect(await page.locator('.local[aria-label="Map around Gluten"]').isVisible()).toBe(true)
  const { page: wide } = await lookAtDemo({ hash: '&note=Gluten' })
  await wide.waitForSelector('.note .body p')
  expect(await wide.locator('.local').count()).toBe(0)
})
