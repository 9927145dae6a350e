import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { labelsOf, look, lookAtDemo, mapIsStill, openRoux, openWindow, openWorld, shareRoux, spotsOf } from './support.ts'

const PHONE = { width: 390, height: 780 }

const showView = (page: Page, name: string) => page.click(`nav[aria-label="Views"] button:text-is("${name}")`)
const showPane = (page: Page, name: string) => page.click(`.tabs button:text-is("${name}")`)

test('on a phone a list can open the map, and a choice in the list opens the note', async () => {
  const { page } = await lookAtDemo(PHONE)
  await showView(page, 'Problems')
  await page.waitForSelector('.list li a')
  await showPane(page, 'Map')
  expect(await page.locator('.map .drawing').isVisible()).toBe(true)
  expect(await page.locator('.list').isVisible()).toBe(false)
  await showPane(page, 'List')
  await page.click('.list h3:has-text("Pale crust") + ul a')
  await page.waitForSelector('.note h1:text-is("Pale crust")', { state: 'visible' })
})

test('on a phone a note that was opened beside a hidden map fills the map when it is shown', async () => {
  const { page } = await lookAtDemo({ ...PHONE, hash: '&note=Gluten' })
  await page.click('.note .body a:text-is("Autolyse")')
  await page.waitForSelector('.note h1:text-is("Autolyse")', { state: 'visible' })
  await showPane(page, 'Map')
  await mapIsStill(page)
  const names = (await labelsOf(page)).map(({ box }) => box[0])
  expect(Math.max(...names) - Math.min(...names)).toBeGreaterThan(150)
})

test('on a phone the address of a list shows the list', async () => {
  const { page } = await lookAtDemo({ ...PHONE, hash: '&view=problems' })
  await page.waitForSelector('.list li a', { state: 'visible' })
})

/** Notes for several tests. Each test reads its own note. */
const notes = shareRoux((world) => {
  world.write('Notes of a long project/Category theory.md', '---\ntags: [mathematics/categories]\n---\n[[Composition]]\n')
  world.write('Notes of a long project/Composition.md', '[[Category theory]]\n')
  world.write('Talks.md', 'By [[Ann]].\n\nBy [[Bob]].\n\nBy [[Cid]].\n')
  world.write('Long.md', `${'A line.\n\n'.repeat(400)}`)
  world.write('From.md', 'See [[Long]] for this.\n')
  world.write('Board.canvas', canvasOf('Long.md'))
  world.write('Start.md', '[[Middle]]\n')
  world.write('notes/Middle.md', 'Before.\n\nThis leads to the [[Goal]].\n')
  world.write('Goal.md', 'There.\n')
  world.write('One.md', '---\nup: "[[Two]]"\n---\nText.\n')
  world.write('sub/Two.md', 'Text.\n')
  world.write('deep/down/Hub.md', '[[Part one]] [[Part two]]\n')
  world.write('Part one.md', '---\nmodified: 2025-03-02\n---\n[[Part two]]\n')
  world.write('Part two.md', 'Text.\n')
  world.write('Found.md', 'The ==sought== word %% and a hidden one %% and more.\n')
})

const canvasOf = (file: string) => JSON.stringify({ nodes: [{ id: file, type: 'file', file, x: 0, y: 0, width: 9, height: 9 }] })

test('on a phone the table breaks no words, and every row shows its folder, tags and links', async () => {
  const { page } = await look(await notes(), PHONE)
  await showView(page, 'Table')
  const row = page.locator('.table tbody tr:has-text("Category theory")')
  await row.waitFor()
  // A name with a line break would be taller than one line.
  const lines = await row
    .locator('td')
    .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().height / 22)))
  expect(Math.max(...lines)).toBe(1)
  for (const fact of ['Notes of a long project', '#mathematics/categories', '1']) expect(await row.innerText()).toContain(fact)
  expect(
    await page.evaluate(() => document.querySelector('.table')?.scrollWidth === document.querySelector('.table')?.clientWidth),
  ).toBe(true)
})

test('a search without results says so', async () => {
  const { page } = await lookAtDemo()
  await page.fill('#search', 'zzqqxx')
  await page.waitForSelector('.search:has-text("Nothing found")')
  await page.fill('#search', 'hydration')
  await page.waitForSelector('#hits li strong:text-is("Hydration")')
  expect(await page.innerText('.search')).not.toContain('Nothing found')
})

test('the problems of a note are grouped below its name', async () => {
  const { page } = await look(await notes())
  await showView(page, 'Problems')
  await page.waitForSelector('.list li')
  expect(await page.locator('.list h3:has-text("Talks")').count()).toBe(1)
  await page.click('.list a:has-text("line 3")')
  await page.waitForFunction(() => document.querySelector('.body .here')?.textContent?.includes('Bob') === true)
})

test('a missing note is listed once, as it is written, and leads to the notes that link to it', async () => {
  const world = openWorld()
  world.write('Index.md', 'Some day I read [[Deep Work]].\n')
  const { page } = await look(await openRoux(world))
  await showView(page, 'Problems')
  await page.click('.chips button:has-text("missing note")')
  await page.waitForSelector('.list li:has-text("Deep Work")')
  await page.waitForFunction(() => document.querySelectorAll('.list li').length === 1)
  expect((await page.innerText('.list li')).match(/deep work/gi)).toHaveLength(1)
  await page.click('.list li a')
  await page.waitForSelector('.backlink a:text-is("Index")')
})

test('a missing note can be opened, and the notes that link to it are distinguished from it', async () => {
  const world = openWorld()
  world.write('One.md', '[[Deep Work]] [[Two]]\n')
  world.write('Two.md', '[[Deep Work]] [[One]]\n')
  const { page } = await look(await openRoux(world))
  await showView(page, 'Gaps')
  const wanted = page.locator('.list li:has-text("Deep Work")')
  await wanted.waitFor()
  expect(await wanted.innerText()).toMatch(/(One, Two|Two, One)/)
  await wanted.locator('a:text-is("Deep Work")').click()
  await page.waitForSelector('.note h1:text-is("Deep Work")')
})

/** Two ways from Start to Goal: over Left, and over Right. */
const twoWays = shareRoux((world) => {
  world.write('Start.md', '[[Left]] [[Right]]\n')
  world.write('Left.md', '[[Goal]]\n')
  world.write('Right.md', '[[Goal]]\n')
  world.write('Goal.md', 'There.\n')
})

const BETWEEN = '&view=path&note=start.md&to=goal.md'

/** Opens the path that is not shown at first, and returns the note that it leads over. */
async function openOtherWay(page: Page): Promise<string> {
  const first = await page.innerText('.chain >> nth=0')
  const other = first.includes('Left') ? 'Right' : 'Left'
  await page.locator(`summary:has-text("${other}")`).click()
  return other
}

/** Waits until a path over a note is drawn in front of everything else on the map. */
async function wayIsShown(page: Page, over: string): Promise<void> {
  await mapIsStill(page)
  await expect
    .poll(async () => (await labelsOf(page)).map(({ text }) => text).slice(0, 3))
    .toEqual(expect.arrayContaining(['Goal', 'Start', over]))
}

test('an alternative path lists its notes and is brought into view', async () => {
  const { page } = await look(await twoWays(), { hash: BETWEEN })
  await wayIsShown(page, await openOtherWay(page))
})

test('an alternative path that is opened as soon as it arrives is shown', async () => {
  const { page } = await look(await twoWays(), {
    hash: BETWEEN,
    before: () => {
      // The observer runs before anything can be drawn.
      new MutationObserver((_, self) => {
        const summary = document.querySelector<HTMLElement>('[name="other-way"] > summary')
        if (summary === null) return
        self.disconnect()
        summary.click()
      }).observe(document, { childList: true, subtree: true })
    },
  })
  await page.waitForSelector('details[open] > summary:has-text("via")')
  const other = (await page.innerText('details[open] > summary')).includes('Left') ? 'Left' : 'Right'
  await wayIsShown(page, other)
})

test('a path stays in view if its first note is drawn later', async () => {
  const { address, session } = await twoWays()
  const { page, context } = await openWindow({ session })
  let read = (): void => undefined
  const mayRead = new Promise<void>((resolve) => {
    read = resolve
  })
  await context.route(/\/web\/note/, async (route) => {
    await mayRead
    await route.continue()
  })
  await page.goto(`${address}${BETWEEN}`)
  await page.waitForSelector('.chain')
  await mapIsStill(page)
  const whole = await spotsOf(page)
  read()
  await page.waitForSelector('.note h1:text-is("Start")')
  await mapIsStill(page)
  expect(await spotsOf(page)).toEqual(whole)
})

test('on the first day, changes start with the known period, and recent edits use the file dates', async () => {
  const world = openWorld()
  world.write('Older.md', 'One.\n')
  world.write('Newer.md', 'Two.\n')
  utimesSync(join(world.vault, 'Older.md'), new Date('2024-03-01T12:00:00Z'), new Date('2024-03-01T12:00:00Z'))
  utimesSync(join(world.vault, 'Newer.md'), new Date('2025-03-01T12:00:00Z'), new Date('2025-03-01T12:00:00Z'))
  const { page } = await look(await openRoux(world))
  await showView(page, 'Changes')
  await page.waitForSelector('.list:has-text("Roux knows of changes since")')
  await page.waitForSelector('.list li:has-text("Older")')
  const edited = await page.$$eval('.list li', (all) => all.map((one) => one.textContent?.trim()))
  expect(edited).toEqual(['Newer 2025-03-01', 'Older 2024-03-01'])
})

test('the head of a long note leads to its backlinks', async () => {
  const { page } = await look(await notes(), { hash: '&note=long.md' })
  await page.click('.note header a:text-is("Linked from 1 note and 1 canvas")')
  await page.waitForFunction(() => {
    const { top = -1 } = document.querySelector('.backlink')?.getBoundingClientRect() ?? {}
    return top > 0 && top < innerHeight
  })
  expect(page.url()).toContain('note=long.md')
})

test('the head of a note counts canvases among the backlinks, even beyond one page', async () => {
  const world = openWorld()
  world.write('Long.md', 'A line.\n')
  for (let note = 0; note < 60; note++) world.write(`From ${note}.md`, '[[Long]] and [[Long]] and [[Long]].\n')
  for (const name of ['One', 'Two']) world.write(`${name}.canvas`, canvasOf('Long.md'))
  const { page } = await look(await openRoux(world), { hash: '&note=long.md' })
  await page.waitForSelector('.note header a:has-text("Linked from")')
  expect(await page.innerText('.note header a:has-text("Linked from")')).toBe('Linked from 60 notes and 2 canvases')
})

test('a click shows the surroundings of a note, one more step each time', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Hydration' })
  for (const links of ['1', '2']) {
    await page.click(`.depth:has-text("Hydration") button:text-is("${links}")`)
    await page.waitForFunction((steps) => location.hash.includes(`steps=${steps}`), links)
  }
  await page.click('.depth button[aria-pressed="true"]')
  expect(await page.evaluate(() => location.hash)).not.toContain('steps')
  await page.click('.depth button[aria-label="Close the note"]')
  await page.waitForSelector('.welcome')
  expect(await page.locator('.depth').count()).toBe(0)
})

test('all changes are counted, and the list says how many it omits', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { page } = await look(await openRoux(world))
  for (let note = 0; note < 230; note++) world.write(`new/${note}.md`, 'New.\n')
  await showView(page, 'Changes')
  const added = page.locator('.list details:has(summary:text-is("added 230"))')
  await added.waitFor()
  expect(await added.locator('li').count()).toBe(200)
  expect(await added.textContent()).toContain('and 30 more')
})

test('changes say so if no earlier state of the vault is known', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { page } = await look(await openRoux(world, [world.vault, '--set', 'insight.keep_days=0']))
  await showView(page, 'Changes')
  await page.waitForSelector('.list .empty:has-text("no earlier state")')
  expect(await page.innerText('.list')).not.toContain('Invalid')
})

test('all gaps are counted and reachable, not only the first of each kind', async () => {
  const world = openWorld()
  const wanted = Array.from({ length: 30 }, (_, at) => `[[Wanted ${at}]]`)
  world.write('One.md', `[[Two]] ${wanted.join(' ')}\n`)
  world.write('Two.md', `[[One]] ${wanted.join(' ')}\n`)
  const { page } = await look(await openRoux(world))
  await showView(page, 'Gaps')
  await page.waitForSelector('.list h3:text-is("Wanted notes 30")')
  await page.click('.list button:text-is("Show more of 25")')
  await page.waitForFunction(() => document.querySelectorAll('.list a.missing').length === 30)
})

test('with several vaults, a gap names its communities and shows both', async () => {
  const world = openWorld({ fixture: 'demo' })
  world.write('../other/One.md', 'Only here.\n')
  const both = ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]
  const { page } = await look(await openRoux(world, both))
  await page.waitForSelector('.legend li button')
  const nearest = [['vault:concepts/hydration.md', 'vault:concepts/gluten.md']]
  const apart = [{ of: ['vault:c1', 'vault:c2'], labels: ['One', 'Two'], alike: 0.5, links: 0, expected: 9, nearest }]
  await page.route('**/web/call', (route) =>
    route.request().postDataJSON().tool === 'gaps' ? route.fulfill({ json: { apart, totals: { apart: 1 } } }) : route.continue(),
  )
  await showView(page, 'Gaps')
  const names = await page.innerText('.list button.plain')
  expect(names).not.toContain('c1')
  await page.click('.list button.plain')
  await page.waitForSelector('.welcome h1:has-text(",")')
  expect(await page.innerText('.welcome h1')).toBe(names.replace(' and ', ', '))
  await page.waitForSelector('.welcome .rows a')
})

test('notes that the map omits are listed with their titles', async () => {
  const world = openWorld()
  world.write('One.md', '[[Two]]\n')
  world.write('Two.md', 'Text.\n')
  const { url, address } = await openRoux(world)
  const { page } = await openWindow()
  await page.route(`${url}web/picture`, async (route) => {
    const response = await route.fetch()
    const picture = await response.json()
    await route.fulfill({ response, json: { ...picture, ids: picture.ids?.map((id: string) => `elsewhere/${id}`) } })
  })
  await page.goto(address)
  const edited = page.locator('h2:has-text("Edited last") + .rows a')
  await edited.first().waitFor()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  expect((await edited.allInnerTexts()).toSorted()).toEqual(['One', 'Two'])
})

test('a path stays open while one of its notes is read, with file and line of each link, and another path can start there', async () => {
  const { page } = await look(await notes(), { hash: '&view=path&note=start.md&to=goal.md' })
  await page.click('.chain blockquote a:text-is("notes/middle.md, line 3")')
  await page.waitForSelector('.note h1:text-is("Middle")')
  await page.waitForFunction(() => document.querySelector('.body .here')?.textContent?.includes('This leads') === true)
  expect(await page.$$eval('.chain > li > a', (all) => all.map((one) => one.textContent))).toEqual(['Start', 'Middle', 'Goal'])
  await page.locator('.map .drawing').focus()
  await page.keyboard.press('p')
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.picker input')?.value === 'Middle')
  expect(await page.locator('.chain').count()).toBe(0)
})

test('the table lists the surroundings of a note while only they are highlighted', async () => {
  const world = openWorld()
  world.write('Hub.md', '[[One]] [[Two]]\n')
  for (const name of ['One', 'Two', 'Three', 'Four']) world.write(`${name}.md`, 'Text.\n')
  const { page } = await look(await openRoux(world), { hash: '&note=hub.md&steps=1' })
  await page.waitForSelector('.depth:has-text("Hub") button[aria-pressed="true"]:text-is("1")')
  await page.keyboard.press('t')
  await page.waitForSelector('.table caption:text-is("3 notes")')
})

test('Enter opens the typed note, even before the results arrive', async () => {
  const { page } = await lookAtDemo()
  await page.fill('#search', 'hydration')
  await page.waitForSelector('#hits li strong:text-is("Hydration")')
  await page.fill('#search', 'rye')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.note h1')
  expect(await page.innerText('.note h1')).toBe('Rye')
})

test('Esc closes overlays before it leaves a view', async () => {
  const { page } = await lookAtDemo({ hash: '&view=path&note=Hydration&to=Amylase' })
  await page.waitForSelector('.chain')
  await page.keyboard.press('?')
  await page.waitForSelector('.help')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.help', { state: 'hidden' })
  await page.click('.filters summary')
  await page.keyboard.press('Escape')
  expect(await page.$eval('.filters', (panel) => (panel as HTMLDetailsElement).open)).toBe(false)
  expect(await page.locator('.chain').count()).toBeGreaterThan(0)
  await page.keyboard.press('Escape')
  await page.waitForSelector('.chain', { state: 'detached' })
})

test('the surroundings can only be requested for a note', async () => {
  const { page } = await lookAtDemo()
  await page.locator('.map .drawing').focus()
  await page.keyboard.press('n')
  await page.getByRole('status').filter({ hasText: 'Choose a note first.' }).waitFor({ state: 'attached' })
  expect(page.url()).not.toContain('steps')
})

test('each filter is restored from the address and applies to the table', async () => {
  const world = openWorld()
  world.write('Hub.md', '#work/plans [[2025-W05]] [[sub/Part]]\n')
  world.write('2025-W05.md', 'A week.\n')
  world.write('sub/Part.md', '#work\n')
  world.write('Alone.md', 'No links.\n')
  const roux = await openRoux(world)
  const { page } = await look(roux, { hash: '&tag=work' })
  await page.keyboard.press('t')
  for (const [words, titles] of [
    ['tag=work', ['Hub', 'Part']],
    ['journals=no', ['Alone', 'Hub', 'Part']],
    ['folder=sub', ['Part']],
    ['orphans=no', ['2025-W05', 'Hub', 'Part']],
    ['journals=no&orphans=no&tag=work/plans', ['Hub']],
  ] as const) {
    await page.evaluate((hash) => {
      location.hash = hash
    }, `view=table&${words}`)
    await page.waitForSelector(`.table caption:text-is("${titles.length} ${titles.length === 1 ? 'note' : 'notes'}")`)
    expect((await page.$$eval('.table tbody a', (all) => all.map((one) => one.textContent ?? ''))).sort()).toEqual(titles)
  }
})

/** Presses keys one right after the other, without drawing the page in between. */
const pressAtOnce = (page: Page, ...keys: string[]) =>
  page.evaluate(async (all) => {
    for (const key of all) {
      const target = document.activeElement ?? document.body
      target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))
      // By then, the page contains the changes made by the key, but nothing has been painted yet.
      for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    }
  }, keys)

test('keys are not lost when they are pressed faster than the page is painted', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Hydration' })
  await page.waitForSelector('.note h1')
  await pressAtOnce(page, '?', 'Escape')
  expect(await page.locator('.help').isVisible()).toBe(false)
  await pressAtOnce(page, 'p')
  expect(await page.evaluate(() => document.activeElement?.closest('.picker')?.textContent)).toContain('To')
})

test('results are still visible when the user returns to the search at once', async () => {
  const { page } = await lookAtDemo()
  await page.fill('#search', 'hydration')
  await page.waitForSelector('#hits li')
  await page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>('#search')
    field?.blur()
    field?.focus()
  })
  await page.waitForTimeout(300)
  expect(await page.locator('#hits li').count()).toBeGreaterThan(0)
  await page.click('#hits li:first-child')
  await page.waitForSelector('.note h1:text-is("Hydration")')
})

test('no path is shown between notes that it does not connect, however slow the server is', async () => {
  const { page } = await lookAtDemo({ hash: '&view=path&note=Hydration&to=Amylase' })
  await page.waitForSelector('.chain')
  await page.route('**/web/call', (route) => (route.request().postData()?.includes('find_path') ? undefined : route.continue()))
  await page.fill('.picker:has-text("To") input', 'Rye')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => location.hash.includes('rye'))
  await page.waitForFunction(() => document.querySelector('.chain') === null)
})

test('the head of a note links to the backlinks once they are placed, and nothing below moves', async () => {
  const { url, session } = inject('demo')
  const { page } = await openWindow({ session })
  let send = (): void => {}
  const isWanted = new Promise<void>((resolve) => {
    send = resolve
  })
  await page.route('**/web/markdown.js', async (route) => {
    await isWanted
    await route.continue()
  })
  await page.goto(`${url}#&note=concepts/hydration.md`)
  const before = await (await page.waitForSelector('.note .actions')).boundingBox()
  // The backlinks are known, but the content above them is not laid out yet.
  await page.waitForSelector('.note .backlink', { state: 'attached' })
  expect(await page.locator('.note header a:has-text("Linked from")').count()).toBe(0)
  send()
  await page.waitForSelector('.note header a:has-text("Linked from")')
  expect(await page.locator('.note .actions').boundingBox()).toEqual(before)
})

test('Back returns to the note before one that was opened by its title', async () => {
  const { page } = await look(await notes(), { hash: '&note=one.md' })
  await page.click('.properties a:text-is("Two")')
  await page.waitForSelector('.note h1:text-is("Two")')
  await page.waitForFunction(() => location.hash.includes('sub%2Ftwo.md'))
  await page.goBack()
  await page.waitForSelector('.note h1:text-is("One")')
  expect(page.url()).toContain('note=one.md')
})

test('another vault is shown completely, whatever was open in the previous one', async () => {
  const world = openWorld({ fixture: 'demo' })
  world.write('../other/One.md', '[[Two]]\n')
  world.write('../other/Two.md', 'Only here.\n')
  const both = ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]
  const { page } = await look(await openRoux(world, both))
  await page.click('.legend li >> nth=0 >> button')
  await page.selectOption('select[aria-label="Vault"]', 'other')
  await showView(page, 'Table')
  await page.waitForSelector('.table caption:text-is("2 notes")')
  await showView(page, 'Map')
  await page.selectOption('select[aria-label="Vault"]', 'vault')
  await page.click('.legend li >> nth=0 >> button')
  await page.goBack()
  await page.goBack()
  await page.waitForSelector('.table caption:text-is("2 notes")')
})

/** Returns the words of an element that are broken in the middle. */
const cutWords = (page: Page, selector: string) =>
  page.$$eval(selector, (all) =>
    all.flatMap((one) => {
      const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT)
      const cut: string[] = []
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
        for (const { 0: word, index } of (text.textContent ?? '').matchAll(/[^\s/-]+/g)) {
          const range = document.createRange()
          range.setStart(text, index)
          range.setEnd(text, index + word.length)
          if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) cut.push(word)
        }
      return cut
    }),
  )

test('tables and properties do not break words', async () => {
  const world = openWorld({ fixture: 'demo' })
  world.write(
    'Table.md',
    '---\ntags: [status/evergreen]\n---\n| Strikethrough | Otherwise and likewise |\n| --- | --- |\n| ~~strikethrough~~ | A cell that says much more than the one before it does |\n',
  )
  const { page } = await look(await openRoux(world), { width: 1000, hash: '&note=table.md' })
  await showView(page, 'Table')
  await page.waitForSelector('.body table')
  await page.waitForSelector('.table td')
  expect(await cutWords(page, '.table td, .body td, .body th, .properties dd')).toEqual([])
})

test('in a window too narrow for three columns, list and note take turns beside the map', async () => {
  const { page } = await lookAtDemo({ width: 720, hash: '&view=problems' })
  const widthOf = async (selector: string) => (await page.locator(selector).boundingBox())?.width ?? 0
  await page.waitForSelector('.list li a')
  expect(await widthOf('.map .drawing')).toBeGreaterThanOrEqual(380)
  await page.click('.list h3 a >> nth=0')
  await page.waitForSelector('.note h1', { state: 'visible' })
  expect(await page.locator('.list').isVisible()).toBe(false)
  expect(await widthOf('.map .drawing')).toBeGreaterThanOrEqual(380)
  await showPane(page, 'List')
  await page.waitForSelector('.list li a', { state: 'visible' })
})

test('a field of the path keeps the focus when Enter chooses its note', async () => {
  const { page } = await lookAtDemo({ hash: '&view=path&note=Hydration' })
  const field = page.locator('.picker:has-text("To") input')
  for (const title of ['Amylase', 'rye']) {
    await field.fill(title)
    await page.keyboard.press('Enter')
    await page.waitForSelector(`.chain li:last-child a:text-is("${title === 'rye' ? 'Rye' : title}")`)
    expect(await field.evaluate((one) => one === document.activeElement)).toBe(true)
  }
  expect(await field.inputValue()).toBe('Rye')
})

const twoVaults = shareRoux((world) => {
  world.write('../other/One.md', '[[Two]]\n')
  world.write('../other/Two.md', 'Only here.\n')
  return ['--set', `vaults.vault=${world.vault}`, '--set', `vaults.other=${world.root}/other`]
})

for (const [how, options] of [
  ['Ctrl', { modifiers: ['Control'] }],
  ['the middle button', { button: 'middle' }],
] as const) {
  test(`a link opens in a tab with ${how}, and that tab shows the same vault`, async () => {
    const { page, context } = await look(await twoVaults(), { hash: '&vault=other&note=one.md' })
    await page.waitForSelector('.body a:text-is("Two")')
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.click('.body a:text-is("Two")', { ...options, modifiers: 'modifiers' in options ? [...options.modifiers] : [] }),
    ])
    await tab.waitForSelector('.body:has-text("Only here")')
    await tab.waitForSelector('.backlink a:text-is("One")')
    expect(await page.innerText('.note h1')).toBe('One')
  })
}

test('a search result opens its passage, the note shows its links, and its width can be changed', async () => {
  const { page } = await lookAtDemo()
  await page.fill('#search', 'compact molecules')
  await page.waitForSelector('#hits li strong:text-is("Gluten")')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('.body .here')?.textContent?.includes('compact molecules') === true)
  await page.waitForSelector('section[aria-label="Links to"] a:text-is("Autolyse")')
  const widthOf = () => page.$eval('.right', (one) => one.getBoundingClientRect().width)
  const usual = await widthOf()
  await page.focus('.divider')
  await page.keyboard.press('ArrowLeft')
  expect(await widthOf()).toBe(usual + 40)
  const { x = 0, y = 0 } = (await page.locator('.divider').boundingBox()) ?? {}
  await page.mouse.move(x + 3, y + 200)
  await page.mouse.down()
  await page.mouse.move(x - 57, y + 200)
  await page.mouse.up()
  expect(Math.abs((await widthOf()) - usual - 100)).toBeLessThan(5)
  await page.click('.actions summary')
  await page.click('.actions button:text-is("Wide")')
  expect(await widthOf()).toBeGreaterThan(1280 / 2)
  await page.click('.actions button:text-is("Wide")')
  expect(await widthOf()).toBe(usual)
})

test('the table marks the note in focus, finds titles, and shows the last part of a folder', async () => {
  const { page } = await look(await notes(), { hash: '&note=deep/down/hub.md' })
  await showView(page, 'Table')
  const row = page.locator('.table tr[aria-current="true"]')
  await row.waitFor()
  expect(await row.innerText()).toContain('Hub')
  expect(await row.locator('td[title="deep/down"]').innerText()).toBe('down')
  const cells = await page.locator('.table tr:has-text("Part one") td').allInnerTexts()
  expect(cells.slice(-4)).toEqual(['1', '1', '2', '2025-03-02'])
  await page.fill('.table input', 'part t')
  await page.waitForSelector('.table caption:text-is("1 note")')
  expect(await page.innerText('.table tbody a')).toBe('Part two')
})

test('results are shown without comments and highlight marks', async () => {
  const { page } = await look(await notes(), { hash: '&note=found.md' })
  await page.fill('#search', 'sought')
  await page.waitForSelector('#hits li')
  expect(await page.innerText('#hits li span')).toBe('The sought word and more.')
  await page.waitForSelector('.body mark:text-is("sought")')
})
