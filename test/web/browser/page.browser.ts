import { expect, test } from 'vitest'
import { shareDemoIndex } from '../../e2e/support.ts'
import { barriersOf } from './barriers.ts'
import { labelsOf, look, lookAtDemo, type MapElement, mapIsStill, openRoux, openWindow, openWorld } from './support.ts'

const openDemo = shareDemoIndex()

for (const [name, options, views] of [
  ['in light, and in dark chosen by hand', {}, ['Table', 'Problems', 'Gaps', 'Changes', 'Path']],
  ['on a phone', { width: 390, height: 780 }, ['Table']],
] as const) {
  test(`axe finds nothing ${name}: map with a note, ${views.join(', ').toLowerCase()}, help`, async () => {
    const { page } = await lookAtDemo({
      ...options,
      hash: '&note=Hydration&to=Amylase',
    })
    await page.waitForSelector('.note h1', { state: 'attached' })
    const found: string[] = [...(await barriersOf(page))]
    if (name === 'on a phone') {
      await page.click('.tabs button:text-is("Note")')
      found.push(...(await barriersOf(page)))
    }
    const lookAround = async (): Promise<void> => {
      for (const view of views) {
        await page.click(`nav[aria-label="Views"] button:text-is("${view}")`)
        await page.waitForTimeout(300)
        found.push(...(await barriersOf(page)))
      }
      await page.keyboard.press('?')
      await page.click('.filters summary')
      found.push(...(await barriersOf(page)))
      await page.keyboard.press('Escape')
      await page.keyboard.press('Escape')
    }
    await lookAround()
    await page.focus('[aria-label="Dark theme"]')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => [document.documentElement.dataset.theme, document.activeElement?.ariaLabel])).toEqual([
      'dark',
      'Light theme',
    ])
    await lookAround()
    expect(found).toEqual([])
    // The page's policy lets it load its own font.
    await page.waitForFunction(() => [...document.fonts].some(({ status }) => status === 'loaded'))
    expect(await page.evaluate(() => window.refusals)).toEqual([])
  })
}

test('every note can be reached without a canvas', async () => {
  const roux = await openRoux(openDemo())
  const { page, errors } = await openWindow({
    before: () => {
      HTMLCanvasElement.prototype.getContext = () => null
    },
  })
  await page.goto(roux.address)
  await page.waitForSelector('.waiting:has-text("table")')
  await page.click('nav[aria-label="Views"] button:text-is("Table")')
  await page.waitForSelector('.table tbody tr')
  expect(await page.locator('.table tbody tr').count()).toBeGreaterThan(60)
  await page.click('.table a:text-is("Hydration")')
  await page.waitForSelector('.note h1:text-is("Hydration")')
  await page.waitForSelector('.backlink blockquote')
  await page.keyboard.press('/')
  await page.keyboard.type('rye')
  await page.waitForSelector('#hits li')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.note h1:text-is("Rye")')
  expect(errors).toEqual([])
})

test('each of several vaults has its own map, notes and search', async () => {
  const world = openDemo()
  world.write('../other/One.md', '[[Two]]\n')
  world.write('../other/Two.md', 'Only here.\n')
  const { page } = await look(
    await openRoux(world, ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]),
  )
  await page.selectOption('select[aria-label="Vault"]', 'other')
  await page.waitForFunction(() => document.querySelector<MapElement>('.map .drawing')?.map.spots().size === 2)
  await page.keyboard.press('/')
  await page.keyboard.type('two')
  await page.waitForSelector('#hits li')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.note h1:text-is("Two")')
  await page.waitForSelector('.backlink a:text-is("One")')
  await page.selectOption('select[aria-label="Vault"]', 'vault')
  await page.waitForFunction(() => (document.querySelector<MapElement>('.map .drawing')?.map.spots().size ?? 0) > 60)
})

test('the page reports that the server has ended, and says what to do when another one starts', async () => {
  const world = openDemo()
  const roux = await openRoux(world)
  const { page, errors } = await look(roux)
  await roux.stop()
  await page.waitForSelector('.refused:has-text("does not answer")')
  // Loaded content stays readable.
  await page.click('nav[aria-label="Views"] button:text-is("Table")')
  await page.waitForSelector('.table tbody tr')
  await openRoux(world, [world.vault, '--port', String(roux.port)])
  await page.waitForSelector('.refused:has-text("roux open")')
  expect(errors).toEqual([])
})

test('two tabs show the same change', async () => {
  const world = openDemo()
  const roux = await openRoux(world)
  const { page, context } = await look(roux)
  const second = await context.newPage()
  // A tab opened from another starts with a copy of its storage.
  const kept = await page.evaluate(() => sessionStorage.getItem('roux-session') ?? '')
  await second.addInitScript((text) => sessionStorage.setItem('roux-session', text), kept)
  await second.goto(roux.url)
  await mapIsStill(second)
  world.write('For both.md', '[[Hydration]]\n')
  for (const one of [page, second]) {
    await one.waitForFunction(
      () => document.querySelector<MapElement>('.map .drawing')?.map.spots().has('for both.md') === true,
      undefined,
      {
        polling: 50,
      },
    )
  }
})

test('a link to a missing note shows which sentences link to it', async () => {
  const world = openWorld()
  world.write('Index.md', 'Some day I read [[Deep Work]].\n')
  world.write('plans/Reading.md', 'First [[deep work|that one]], then the rest.\n')
  const { page, errors } = await look(await openRoux(world), { hash: '&note=index.md' })
  await page.click('.body a.missing')
  await page.waitForSelector('.note h1:text-is("Deep Work")')
  expect(await page.textContent('.note .place span')).toBe('This note does not exist yet.')
  await page.waitForSelector('.backlink blockquote:has-text("then the rest")')
  expect(await page.locator('.backlink').count()).toBe(2)
  expect(await page.locator('.actions button:text-is("Path from here")').count()).toBe(0)
  world.write('Deep Work.md', 'Here it is.\n')
  await page.waitForSelector('.body:has-text("Here it is")')
  expect(errors).toEqual([])
})

test('Esc or a click outside closes the filters and keeps their choices', async () => {
  const { page } = await lookAtDemo()
  const isOpen = () => page.$eval('.filters', (panel) => (panel as HTMLDetailsElement).open)
  await page.click('.filters summary')
  await page.uncheck('.filters label:has-text("Journals") input')
  expect(await isOpen()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await isOpen()).toBe(false)
  await page.click('.filters summary')
  await page.click('.brand')
  expect(await isOpen()).toBe(false)
  expect(page.url()).toContain('journals=no')
})

test('with several vaults, paths show titles and can start at a note of any vault', async () => {
  const world = openDemo()
  world.write('../other/One.md', '[[Two]]\n')
  world.write('../other/Two.md', '[[Three]]\n')
  world.write('../other/Three.md', 'Only here.\n')
  const both = ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]
  const { page } = await look(await openRoux(world, [...both, '--note', 'One']))
  await page.waitForSelector('.note h1:text-is("One")')
  expect(await page.inputValue('select[aria-label="Vault"]')).toBe('other')
  await page.click('.note button:text-is("Path from here")')
  await page.fill('.picker:has-text("To") input', 'Three')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.chain')
  expect(await page.$$eval('.chain > li > a', (all) => all.map((one) => one.textContent))).toEqual(['One', 'Two', 'Three'])
  await mapIsStill(page)
  // The group is called like its most important note.
  const labels = new Set((await labelsOf(page)).map(({ text }) => text))
  expect([...labels].toSorted()).toEqual(['One', 'Three', 'Two'])
  await page.selectOption('select[aria-label="Vault"]', 'vault')
  await page.waitForFunction(() => (document.querySelector<MapElement>('.map .drawing')?.map.spots().size ?? 0) > 60)
  expect(page.url()).not.toContain('three')
})

test('a note opens in its own Obsidian vault', async () => {
  const world = openWorld()
  world.write('../My notes/A & b.md', 'Text.\n')
  const { page } = await look(await openRoux(world, [`${world.root}/My notes`]), { hash: '&note=A %26 b' })
  await page.waitForSelector('.note h1:text-is("A & b")')
  expect(await page.getAttribute('.actions a', 'href')).toBe('obsidian://open?vault=My%20notes&file=A%20%26%20b.md')
})

test('the console shows errors in the page with their location', async () => {
  const roux = await openRoux(openDemo())
  const { page, foreign } = await openWindow()
  const told: string[] = []
  page.on('console', (message) => message.type() === 'error' && told.push(message.text()))
  await page.route('**/web/picture', (route) => route.fulfill({ json: {} }))
  await page.goto(roux.address)
  await page.waitForSelector('.refused')
  expect(told.join('\n')).toMatch(/Error: .*\n +at .*page\.js/)
  expect(foreign).toEqual([])
})

test('with several vaults, text copied for an assistant contains lines and ids that tools accept', async () => {
  const world = openDemo()
  world.write('../other/One.md', 'Only here.\n')
  const both = ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]
  const { page, context } = await look(await openRoux(world, both), { hash: '&note=Hydration' })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const said = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  await page.click('.actions summary')
  await page.click('.actions button:text-is("Copy id")')
  await said('Id copied.')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('vault:concepts/hydration.md')
  // Safari does not let a page write to the clipboard what it created after the click.
  await page.evaluate(() => {
    Clipboard.prototype.writeText = () => Promise.reject(new DOMException('not now', 'NotAllowedError'))
  })
  await page.click('.actions button:text-is("Copy for an assistant")')
  await said('Context copied.')
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^## Hydration \(vault:concepts\/hydration\.md, lines \d+–\d+\)\n\n/)
})

test('a browser that blocks storage can still show the vault', async () => {
  const before = () => {
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException('blocked', 'SecurityError')
        },
      })
  }
  const { page, errors } = await look(await openRoux(openDemo()), { before })
  await page.click('button[aria-label="Dark theme"]')
  await page.waitForSelector('button[aria-label="Light theme"]')
  expect(errors).toEqual([])
})

test('formulas are laid out under the same policy', async () => {
  const world = openWorld()
  world.write(
    'Sums.md',
    'So $e^{i\\pi} + 1 = 0$, and $5 a piece.\n\n$$\n\\begin{aligned} a &= b \\\\ c &= \\frac{d}{2} \\end{aligned}\n$$\n\n$\\cancel{x}$\n\n- [ ] task\n- item\n',
  )
  const { page, errors } = await look(await openRoux(world), { hash: '&note=Sums' })
  await page.waitForSelector('.note math[display="block"] mfrac')
  const inline = await page.$eval('.note math:not([display])', ({ namespaceURI, textContent }) => [namespaceURI, textContent])
  expect(inline).toEqual(['http://www.w3.org/1998/Math/MathML', 'eiπ+1=0'])
  // Checks the layout: a fraction is taller than a letter.
  const heights = await page.$$eval('.note mfrac, .note msup > mi', (all) => all.map((one) => one.getBoundingClientRect().height))
  expect(heights[1]).toBeGreaterThan(1.5 * (heights[0] ?? 0))
  expect(await page.innerText('.note .body')).toContain('and $5 a piece')
  // In WebKit, the text of a formula has no decoration.
  expect(await page.$eval('.note menclose', (one) => getComputedStyle(one).backgroundImage)).toContain('gradient')
  const [task = 0, item = 0] = await page.$$eval('.note li', (all) => all.map((one) => one.getBoundingClientRect().height))
  expect(task).toBeCloseTo(item, 0)
  expect(await page.evaluate(() => window.refusals ?? [])).toEqual([])
  expect(errors).toEqual([])
})
