import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { look, lookAtDemo, type MapElement, mapIsStill, openRoux, openWindow, openWorld, spotsOf } from './support.ts'

const goTo = (note: string): void => {
  location.hash = new URLSearchParams({ note }).toString()
}

test('a vault without notes says so, and the first note appears', async () => {
  const world = openWorld()
  const roux = await openRoux(world)
  const { page, errors } = await openWindow()
  await page.goto(roux.address)
  await page.waitForSelector('.waiting:has-text("no notes")')
  world.write('One.md', 'Alone.\n')
  await page.waitForSelector('.waiting', { state: 'detached' })
  await mapIsStill(page, 1)
  expect([...(await spotsOf(page)).keys()]).toEqual(['one.md'])
  for (const view of ['Table', 'Problems', 'Gaps', 'Changes', 'Path'])
    await page.click(`nav[aria-label="Views"] button:text-is("${view}")`)
  expect(errors).toEqual([])
})

test('notes without links are apart from each other and in view', async () => {
  const world = openWorld()
  for (let note = 0; note < 40; note++) world.write(`${note}.md`, 'Alone.\n')
  const { page } = await look(await openRoux(world))
  await mapIsStill(page, 40)
  const spots = [...(await spotsOf(page)).values()]
  expect(new Set(spots.map(([x, y]) => `${Math.round(x / 4)} ${Math.round(y / 4)}`)).size).toBe(40)
  const { width = 0, height = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  expect(spots.filter(([x, y]) => x < 0 || y < 0 || x > width || y > height)).toEqual([])
})

test('notes named with 255 bytes, right-to-left text, emoji or line breaks can be shown and opened', async () => {
  const world = openWorld()
  const names = ['x'.repeat(251), 'شبكة الملاحظات', '👩‍👩‍👧‍👦'.repeat(9), 'two\nlines', ' leading', 'quote\'"s', 'a & b #c']
  for (const name of names) world.write(`${name}.md`, `[[hub]]\n`)
  world.write('hub.md', 'Of all.\n')
  const { page, errors } = await look(await openRoux(world))
  await mapIsStill(page, names.length + 1)
  for (const id of (await spotsOf(page)).keys()) {
    await page.evaluate(goTo, id)
    await page.waitForFunction((note) => document.querySelector('.right')?.getAttribute('data-note') === note, id)
  }
  const wide = await page.evaluate(
    () =>
      document.documentElement.scrollWidth > innerWidth ||
      (document.querySelector('.right')?.scrollWidth ?? 0) > (document.querySelector('.right')?.clientWidth ?? 0),
  )
  expect(wide).toBe(false)
  expect(errors).toEqual([])
})

test('a note of 20 MB is shown in part with a notice, and a note with 10,000 links is shown', async () => {
  const world = openWorld()
  world.write('Large.md', `# Large\n\n${`${'Many words in a row. '.repeat(100)}[[Links]]\n\n`.repeat(10_000)}`)
  world.write('Links.md', `# Links\n\n${Array.from({ length: 10_000 }, (_, at) => `[[Target ${at % 500}]]`).join(' ')}\n`)
  const { page, errors } = await look(await openRoux(world), { hash: '&note=links.md' })
  await page.waitForFunction(() => document.querySelectorAll('.body a').length === 10_000)
  await page.evaluate(goTo, 'large.md')
  await page.waitForSelector('.body .empty:has-text("more characters are not shown")')
  expect(errors).toEqual([])
})

test('text that the author has hidden is not shown', async () => {
  const world = openWorld()
  world.write('a.md', 'Shown %%hidden [[b]]%% again.\n\n%%\nhidden too\n%%\n\n`%%code%%`\n')
  const { page } = await look(await openRoux(world), { hash: '&note=a.md' })
  await page.waitForSelector('.body p')
  expect((await page.innerText('.body')).replace(/\s+/g, ' ')).toBe('Shown again. %%code%%')
})

test('search, note and map can be reached at a zoom of 400 %', async () => {
  const { page } = await lookAtDemo({ width: 320, height: 256 })
  await page.keyboard.press('/')
  await page.keyboard.type('rye')
  await page.waitForSelector('#hits li')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.note h1:text-is("Rye")')
  await page.click('.tabs button:text-is("Map")')
  const box = await page.locator('.map .drawing').boundingBox()
  expect(box?.height).toBeGreaterThan(60)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
})

test('after many additions the page offers to rearrange the map, and waits for the user', async () => {
  const world = openWorld({ fixture: 'demo' })
  const roux = await openRoux(world)
  const { page } = await look(roux)
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  // The view must be moved first, because otherwise it would be fitted to the larger map.
  await page.click('.zoom [aria-label="Zoom in"]')
  await mapIsStill(page)
  const before = await spotsOf(page)
  for (let note = 0; note < 30; note++) world.write(`new/${note}.md`, `[[Hydration]] [[${(note + 1) % 30}]]\n`)
  await page.waitForSelector('.crowded')
  await mapIsStill(page, before.size + 30)
  const between = await spotsOf(page)
  expect([...before].filter(([id, [x, y]]) => between.get(id)?.[0] !== x || between.get(id)?.[1] !== y)).toEqual([])
  await page.click('.crowded button')
  await page.waitForSelector('.crowded', { state: 'detached' })
  await mapIsStill(page)
  expect(await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.spots().size)).toBe(before.size + 30)
})

test('a map that takes longer than the connection lasts is requested again', async () => {
  const roux = await openRoux(openWorld({ fixture: 'demo' }))
  const { page, errors } = await openWindow()
  let asked = 0
  await page.route('**/web/picture', (route) => (asked++ === 0 ? route.abort() : route.continue()))
  await page.goto(roux.address)
  await page.waitForSelector('.waiting:has-text("Reading the vault")')
  await mapIsStill(page, 60)
  expect(await page.locator('.refused').count()).toBe(0)
  expect(errors).toEqual([])
})

test('the page opens in a browser whose clock is years off, and shows what changed', async () => {
  const { page, errors } = await lookAtDemo({
    before: () => {
      const { now } = Date
      Date.now = () => now() - 20 * 365 * 24 * 3_600_000
    },
  })
  await page.click('nav[aria-label="Views"] button:text-is("Changes")')
  await page.waitForSelector('.list .empty:has-text("since")')
  expect(errors).toEqual([])
})

test('the page shows the start of the known changes in a browser whose clock is years ahead', async () => {
  const { page } = await lookAtDemo({
    before: () => {
      const { now } = Date
      Date.now = () => now() + 20 * 365 * 24 * 3_600_000
    },
  })
  await page.click('nav[aria-label="Views"] button:text-is("Changes")')
  await page.waitForSelector('.list .empty:has-text("Roux knows of changes since")')
})

test('the page reports failures while the folder of the vault is missing, and recovers when it returns', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { page, errors } = await look(await openRoux(world))
  await page.waitForSelector('.legend li')
  renameSync(world.vault, `${world.vault} away`)
  await page.fill('#search', 'rye')
  await page.waitForSelector('.refused')
  renameSync(`${world.vault} away`, world.vault)
  world.write('Back.md', '[[Hydration]]\n')
  await page.waitForFunction(
    () => document.querySelector<MapElement>('.map .drawing')?.map.spots().has('back.md') === true,
    undefined,
    { polling: 50 },
  )
  await page.waitForSelector('.refused', { state: 'detached' })
  expect(errors).toEqual([])
})

test('a picture of 50 MB is shown, and a larger one or a file of another type is explained', async () => {
  const world = openWorld()
  // The only row of pixels is followed by bytes that image decoders ignore.
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const picture = Buffer.alloc(60_000_000)
  Buffer.from(png, 'base64').copy(picture)
  world.write('larger.png', picture)
  world.write('large.png', picture.subarray(0, 50_000_000))
  world.write('paper.pdf', '%PDF-1.7')
  world.write('With.md', 'Before ![[large.png]] ![[larger.png]] ![[paper.pdf]] after.\n')
  const { page, errors } = await look(await openRoux(world), { hash: '&note=with.md' })
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.body img')?.naturalWidth === 1)
  await page.waitForSelector('.body em:has-text("larger.png: Images of more than 50 MB are not shown here. Open it in another")')
  await page.waitForSelector('.body em:has-text("paper.pdf: Only PNG, JPEG, GIF and WebP images are shown here")')
  await page.click('.body em a:text-is("larger.png")')
  await page.waitForSelector('.note .place span:text-is("larger.png")')
  expect(errors).toEqual([])
})

test('loaded content stays while the folder of the vault is missing, and is updated when it returns', async () => {
  const world = openWorld({ fixture: 'demo' })
  const roux = await openRoux(world)
  const { page, errors } = await look(roux)
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  let before = await spotsOf(page)
  // The map is laid out once more when communities are known, which takes long on a busy machine.
  await eventually(async () => {
    const last = before
    await page.reload()
    await mapIsStill(page, last.size)
    before = await spotsOf(page)
    expect(before).toEqual(last)
  })
  renameSync(world.vault, `${world.vault} away`)
  await page.keyboard.press('/')
  await page.keyboard.type('rye')
  await page.waitForTimeout(500)
  expect((await spotsOf(page)).size).toBe(before.size)
  renameSync(`${world.vault} away`, world.vault)
  await page.reload()
  await mapIsStill(page, before.size)
  expect(await spotsOf(page)).toEqual(before)
  expect(errors).toEqual([])
})

test('a vault with one note shows it', async () => {
  const world = openWorld()
  world.write('Only.md', 'Alone.\n')
  const { page, errors } = await look(await openRoux(world))
  expect([...(await spotsOf(page)).keys()]).toEqual(['only.md'])
  await page.waitForSelector('.welcome:has-text("1 note")')
  expect(errors).toEqual([])
})
