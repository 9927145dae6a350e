import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { barriersOf } from './barriers.ts'
import {
  labelsOf,
  look,
  lookAtDemo,
  type MapElement,
  mapIsStill,
  openRoux,
  openWindow,
  openWorld,
  spotsOf,
  type World,
} from './support.ts'

/** Notes in groups that are linked within themselves, and each with the next. */
function writeVault(world: World, groups: number, each: number): void {
  const name = (group: number, note: number): string => `Topic ${group % groups} note ${note % each}`
  for (let group = 0; group < groups; group++) {
    for (let note = 0; note < each; note++) {
      const links = [
        name(group, note + 1),
        name(group, 0),
        name(group, note * 3 + 2),
        ...(note === 0 ? [name(group + 1, 0)] : []),
      ]
      world.write(
        `group ${group}/${name(group, note)}.md`,
        `Words of topic ${group}. ${links.map((one) => `[[${one}]]`).join(' ')}\n`,
      )
    }
  }
}

test('while notes are saved, added and renamed, other notes do not move and new ones appear', async () => {
  const world = openWorld({ fixture: 'demo' })
  const roux = await openRoux(world)
  const { page } = await look(roux)
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const before = await spotsOf(page)
  const stay = async (added: string, gone?: string): Promise<void> => {
    await page.waitForFunction(
      ([id, other]) => {
        const spots = document.querySelector<MapElement>('.map .drawing')?.map.spots()
        return spots?.has(id ?? '') === true && (other === undefined || !spots.has(other))
      },
      [added, gone] as const,
      { polling: 50 },
    )
    await mapIsStill(page)
    const after = await spotsOf(page)
    expect([...before].filter(([id, [x, y]]) => id !== gone && (after.get(id)?.[0] !== x || after.get(id)?.[1] !== y))).toEqual(
      [],
    )
  }
  world.write('Brand new.md', '# Brand new\n\n[[Sourdough starter]] [[Hydration]]\n')
  await stay('brand new.md')
  world.write('Brand new.md', '# Brand new\n\nOnly [[Hydration]] now, and [[Next to it]].\n')
  await stay('brand new.md')
  renameSync(join(world.vault, 'Brand new.md'), join(world.vault, 'Newer.md'))
  await stay('newer.md', 'brand new.md')
})

test('every note keeps its place after a reload and a restart', async () => {
  const world = openWorld({ fixture: 'demo' })
  const roux = await openRoux(world)
  const { page } = await look(roux)
  // The legend takes space from the map.
  const settled = async (shown: typeof page) => {
    await shown.waitForSelector('.legend li')
    await mapIsStill(shown)
    return spotsOf(shown)
  }
  const before = await settled(page)
  await page.reload()
  expect(await settled(page)).toEqual(before)
  await roux.stop()
  const { page: later } = await look(await openRoux(world))
  expect(await settled(later)).toEqual(before)
})

test('the map of a vault that has not changed is drawn once after a restart', async () => {
  const world = openWorld()
  writeVault(world, 26, 40)
  const roux = await openRoux(world)
  const { page: first } = await look(roux)
  await first.waitForSelector('.legend li')
  await mapIsStill(first)
  await roux.stop()
  const { page } = await openWindow()
  await page.addInitScript(() => {
    const { prototype } = CanvasRenderingContext2D
    window.painted = 0
    prototype.drawImage = new Proxy(prototype.drawImage, {
      apply(drawImage, context, args) {
        window.painted = (window.painted ?? 0) + 1
        return Reflect.apply(drawImage, context, args)
      },
    })
  })
  await page.goto((await openRoux(world)).address)
  await page.waitForSelector('.legend li')
  await mapIsStill(page, 1_040)
  // The page asks again after all files have been compared.
  await page.waitForTimeout(1_000)
  await mapIsStill(page)
  expect(await page.evaluate(() => window.painted)).toBe(1)
})

test('a large map names few communities and notes at first and more when magnified, and names never overlap', async () => {
  const world = openWorld()
  writeVault(world, 50, 60)
  const roux = await openRoux(world)
  const { page, errors } = await look(roux)
  await mapIsStill(page, 3_000)
  await page.waitForSelector('.legend li')
  await mapIsStill(page, 3_000)
  for (const [zoom, least, most] of [
    [1, 8, 36],
    [3, 20, 100],
    [3, 40, 160],
  ] as const) {
    await page.evaluate((factor) => document.querySelector<MapElement>('.map .drawing')?.map.zoom(factor), zoom)
    await mapIsStill(page)
    const labels = await labelsOf(page)
    // At this scale, few more notes are in view, some of them below the legend. Most of them must have their labels.
    const { width = 0, height = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
    const spots = [...(await spotsOf(page)).values()]
    const inView = spots.filter(([x, y]) => x >= 0 && y >= 0 && x <= width && y <= height).length
    expect(labels.length).toBeGreaterThanOrEqual(Math.min(least, 0.6 * inView))
    expect(labels.length).toBeLessThanOrEqual(most)
    const overlapping = labels.flatMap((a, at) =>
      labels
        .slice(at + 1)
        .filter((b) => a.box[0] < b.box[2] && b.box[0] < a.box[2] && a.box[1] < b.box[3] && b.box[1] < a.box[3])
        .map((b) => `${a.text} / ${b.text}`),
    )
    expect(overlapping).toEqual([])
    expect(await page.locator('.locator').isVisible()).toBe(zoom > 1)
  }
  const picture = await page.locator('.locator').boundingBox()
  const view = await page.locator('.locator div').boundingBox()
  expect(view?.width).toBeLessThan((picture?.width ?? 0) / 3)
  expect(view?.x).toBeGreaterThan(picture?.x ?? Infinity)
  // On a large map, the start pane is closed at first.
  expect(await page.locator('.welcome').isVisible()).toBe(false)
  await page.click('.depth button:text-is("Where to start")')
  await page.waitForSelector('.welcome .rows')
  await page.click('.welcome button:text-is("Hide")')
  expect(await page.locator('.welcome').isVisible()).toBe(false)
  expect(errors).toEqual([])
})

test('the communities of a vault of some hundred notes are named even when the whole map is in view', async () => {
  const world = openWorld()
  writeVault(world, 8, 80)
  const { page } = await look(await openRoux(world))
  await page.waitForSelector('.legend li')
  // At first, the legend lists only the largest groups.
  await page.click('.legend button:text-is("1 more")')
  await mapIsStill(page, 640)
  // Names of communities are bold. A name without enough room is left out.
  const communities = await page.locator('.legend li button').count()
  const larger = (await labelsOf(page)).filter(({ font }) => /^[67]00 /.test(font)).length
  expect(larger).toBeGreaterThanOrEqual(communities / 2)
  expect(communities).toBeGreaterThan(5)
})

test('names of notes linked to the note in focus take precedence over those of other notes', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Antoine-Augustin Parmentier' })
  await page.waitForSelector('.note h1')
  await page.waitForSelector('.backlink')
  await mapIsStill(page)
  const linked = await page.$$eval(
    '.backlink > a, .body a.within',
    (all) => new Set(all.map((one) => one.textContent ?? '')).size,
  )
  expect(linked).toBeGreaterThan(2)
  const titles = await page.$$eval('.backlink > a, .body a.within', (all) =>
    all.map((one) => one.textContent?.toLowerCase() ?? ''),
  )
  const labels = (await labelsOf(page)).map(({ text }) => text.toLowerCase())
  expect(labels[0]).toBe('antoine-augustin parmentier')
  const ofLinked = labels.slice(1, 3)
  expect(ofLinked.filter((text) => !titles.includes(text))).toEqual([])
})

test('on a small map large notes are named, and no name hides a note', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const all = await labelsOf(page)
  const labels = all.slice(await page.locator('.legend li').count())
  expect(labels.length).toBeGreaterThan(30)
  // A group shares its name with the note after which it is named, so the name is shown only once.
  expect(all.filter(({ text }) => text === 'Gluten')).toHaveLength(1)
  const spots = [...(await spotsOf(page)).values()]
  const hiding = labels.filter(({ box: [left, top, right, bottom] }) =>
    spots.some(([x, y]) => x > left && x < right && y > top && y < bottom),
  )
  expect(hiding).toEqual([])
})

test('the other groups keep their names around a note in focus', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Gluten' })
  await page.waitForSelector('.backlink')
  await mapIsStill(page)
  const bold = (await labelsOf(page)).filter(({ font }) => font.startsWith('700 ')).map(({ text }) => text)
  expect(bold).toContain('Poolish')
  expect(bold).not.toContain('Gluten')
  // On a small map, a linked note has its name even if its land has the same.
  const texts = (await labelsOf(page)).map(({ text }) => text)
  expect(texts.filter((text) => text === 'Bulk fermentation')).toHaveLength(2)
})

test('links that leave the view say where they lead, and names around an open note end at words', async () => {
  const world = openWorld()
  writeVault(world, 50, 60)
  const linked = ['Topic 10 note 9', 'Topic 20 note 9', 'Topic 30 note 9', 'A title that is much too long to be whole']
  world.write('group 7/Topic 7 note 1.md', linked.map((title) => `[[${title}]]`).join(' '))
  world.write('group 40/A title that is much too long to be whole.md', 'Short. [[Topic 40 note 3]]\n')
  const { page } = await look(await openRoux(world), { hash: '&note=Topic 7 note 1' })
  await page.waitForSelector('.body')
  await page.waitForSelector('.legend li', { state: 'attached' })
  await mapIsStill(page, 3_000)
  await page.evaluate(() => {
    const map = document.querySelector<MapElement>('.map .drawing')?.map
    map?.goTo([[...map.spots().keys()].indexOf('group 7/topic 7 note 1.md')])
  })
  await mapIsStill(page)
  const texts = (await labelsOf(page)).map(({ text }) => text)
  const leaving = texts.filter((text) => /^[←↑→↓] /.test(text)).map((text) => text.slice(2))
  expect(leaving.length).toBeGreaterThan(1)
  const shortened = linked.map((title) => (title.length > 36 ? 'A title that is much too long to…' : title))
  expect(leaving.filter((text) => !shortened.includes(text) && text !== 'Topic 7 note 0')).toEqual([])
  expect(texts.map((text) => text.replace(/^[←↑→↓] /, ''))).toContain('A title that is much too long to…')
})

test('a group chosen in the legend is centered, even if one of its unlinked notes is far away', async () => {
  const { page } = await lookAtDemo()
  await page.click('.legend button:has-text("Bulk fermentation")')
  await mapIsStill(page)
  const { width = 0, height = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const spots = await spotsOf(page)
  const [x, y] = spots.get('techniques/bulk fermentation.md') ?? [0, 0]
  const [alone = 0, far = 0] = [...spots].find(([id]) => id.endsWith('oven light bulb.md'))?.[1] ?? []
  expect([x / width, y / height].every((share) => share > 0.25 && share < 0.75)).toBe(true)
  expect(alone > width || far > 0.9 * height).toBe(true)
})

test('a map that grows gradually stays in view until the user moves it', async () => {
  const world = openWorld()
  writeVault(world, 5, 20)
  const { page } = await look(await openRoux(world))
  await page.waitForSelector('.legend li')
  await mapIsStill(page, 100)
  const outside = async () => {
    const { width = 0, height = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
    return [...(await spotsOf(page)).values()].filter(([x, y]) => x < 0 || y < 0 || x > width || y > height).length
  }
  // Adds so few notes at a time that the existing ones keep their places.
  const grow = async (batches: number) => {
    for (let batch = 0; batch < batches; batch++) {
      const { size } = await spotsOf(page)
      const added = Math.floor(size * 0.15)
      for (let at = 0; at < added; at++) world.write(`Alone ${size + at}.md`, 'Alone.\n')
      await mapIsStill(page, size + added)
    }
  }
  await grow(8)
  expect(await outside()).toBe(0)
  await page.mouse.move(300, 300)
  await page.mouse.wheel(0, -1_500)
  await mapIsStill(page)
  const near = await outside()
  expect(near).toBeGreaterThan(50)
  await grow(3)
  expect(await outside()).toBeGreaterThan(near)
})

test('every note of a path is named on the map, however long the path is', async () => {
  const world = openWorld({ fixture: 'demo' })
  const long = 'A note in the middle of the way whose title is as long as titles of notes may well be'
  world.write('Start.md', `[[${long}]]\n`)
  world.write(`${long}.md`, '[[Goal]]\n')
  world.write('Goal.md', 'There.\n')
  const { page } = await look(await openRoux(world), { width: 1000, hash: '&view=path&note=start.md&to=goal.md' })
  await page.waitForSelector('.chain')
  await mapIsStill(page)
  expect(
    (await labelsOf(page))
      .slice(0, 3)
      .map(({ text }) => text.slice(0, 5))
      .sort(),
  ).toEqual(['A not', 'Goal', 'Start'])
})

test('a pinch on a trackpad in Safari magnifies the map around the fingers, and not the page', async () => {
  const { page } = await lookAtDemo()
  const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const fingers = { clientX: left + 300, clientY: top + 200 }
  const from = (await spotsOf(page)).get('concepts/hydration.md') ?? [0, 0]
  const arePrevented = await page.evaluate((at) => {
    const pinch = (type: string, scale: number) => Object.assign(new Event(type, { cancelable: true }), { scale, ...at })
    const drawing = document.querySelector('.map .drawing')
    return [pinch('gesturestart', 1), pinch('gesturechange', 1.5), pinch('gesturechange', 2)].map(
      (event) => drawing?.dispatchEvent(event) === false,
    )
  }, fingers)
  expect(arePrevented).toEqual([true, true, true])
  await mapIsStill(page)
  const [x, y] = (await spotsOf(page)).get('concepts/hydration.md') ?? [0, 0]
  expect(x).toBeCloseTo(300 + 2 * (from[0] - 300))
  expect(y).toBeCloseTo(200 + 2 * (from[1] - 200))
})

test('nothing of the previous drawing remains at the edges of the map', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Hydration' })
  await page.waitForSelector('.backlink')
  await mapIsStill(page)
  const inLastRow = () =>
    page.evaluate(() => {
      const [, lit] = document.querySelectorAll<HTMLCanvasElement>('.map .drawing canvas')
      const row = lit?.getContext('2d')?.getImageData(0, lit.height - 1, lit.width, 1).data.buffer
      return new Set(new Uint32Array(row ?? new ArrayBuffer())).size
    })
  await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.zoom(4))
  await mapIsStill(page)
  expect(await inLastRow()).toBeGreaterThan(1)
  await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.fit())
  await mapIsStill(page)
  expect(await inLastRow()).toBe(1)
})

test('a map that moves a little is not repainted, and its names move with it', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const [painted, shift] = await page.evaluate(async () => {
    const { map } = document.querySelector<MapElement>('.map .drawing') ?? {}
    const [image] = document.querySelectorAll<HTMLElement>('.map .drawing canvas')
    const { beginPath } = CanvasRenderingContext2D.prototype
    let count = 0
    CanvasRenderingContext2D.prototype.beginPath = function () {
      count++
      beginPath.call(this)
    }
    const left = () => image?.getBoundingClientRect().left ?? 0
    const before = left()
    for (let step = 0; step < 5; step++) {
      map?.pan(0.02, 0)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    map?.draw()
    const paintedWhileMoving = count
    return [paintedWhileMoving, before - left()]
  })
  expect(painted).toBe(0)
  const { width = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  expect(shift).toBeCloseTo(0.1 * width, -1)
})

test('nothing is drawn while nothing moves', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const drawnIn700ms = (): Promise<number> =>
    page.evaluate(async () => {
      const { map } = document.querySelector<MapElement>('.map .drawing') ?? {}
      if (map === undefined) return -1
      let drawn = 0
      const { draw } = map
      map.draw = () => {
        drawn++
        return draw.call(map)
      }
      await new Promise((resolve) => setTimeout(resolve, 700))
      map.draw = draw
      return drawn
    })
  // The page may still receive a font, a later picture of the vault, or the size of its legend.
  await vi.waitFor(async () => expect(await drawnIn700ms()).toBe(0), { timeout: 20_000 })
})

test('the keyboard alone can find a note, open it, follow its links, trace a path and list problems', async () => {
  const { page, errors } = await lookAtDemo()
  const said = (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' })
  await page.keyboard.press('/')
  await page.keyboard.type('hydration')
  await page.waitForSelector('#hits li')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.note h1:text-is("Hydration")')
  await said(/Hydration, \d+ links/)
  // The ring around the note shows the keyboard focus, so the map needs no frame.
  expect(await page.evaluate(() => document.activeElement?.matches('.drawing:not(:focus-visible)'))).toBe(true)
  // There is a linked note in some direction. The address changes as soon as the key is handled.
  const first = await page.evaluate(() => location.hash)
  const keys = ['ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowLeft']
  do await page.keyboard.press(keys.shift() ?? 'End')
  while (keys.length > 0 && (await page.evaluate(() => location.hash)) === first)
  expect(await page.evaluate(() => location.hash)).not.toBe(first)
  await page.waitForSelector('.note h1:not(:text-is("Hydration"))')
  await page.keyboard.press('n')
  await said('Showing notes within 1 link.')
  await page.keyboard.press('p')
  await page.waitForFunction(() => document.activeElement?.closest('.picker') !== null)
  await page.keyboard.type('Louis Pasteur')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.chain blockquote')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelector('.chain') === null)
  await page.keyboard.press('/')
  for (let step = 0; step < 10; step++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.textContent === 'Problems')) break
  }
  await page.keyboard.press('Enter')
  await page.waitForSelector('.list li a')
  await page.keyboard.press('?')
  await page.waitForSelector('.help')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.help', { state: 'hidden' })
  expect(errors).toEqual([])
})

test('attachments and canvases appear on request beside their notes, and no note moves', async () => {
  const world = openWorld({ fixture: 'demo' })
  world.write('Photos.md', '![[oven.png]] and [[board.canvas]], see [[Hydration]].\n')
  world.write('oven.png', 'x')
  world.write('unused.png', 'x')
  world.write('board.canvas', JSON.stringify({ nodes: [], edges: [] }))
  const { page, errors } = await look(await openRoux(world))
  // The map may be laid out once more until communities are known.
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const before = await spotsOf(page)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.click('.filters summary')
  await page.check('.filters label:has-text("Attachments") input')
  await mapIsStill(page, before.size + 5)
  const after = await spotsOf(page)
  expect([...after.keys()].filter((id) => !before.has(id)).sort()).toEqual([
    'attachments/crumb-2025-02-15.png',
    'attachments/feeding-log.csv',
    'board.canvas',
    'maps/from flour to loaf.canvas',
    'oven.png',
  ])
  for (const [id, spot] of before) expect(after.get(id), id).toEqual(spot)
  expect(page.url()).toContain('attachments=yes')
  await page.click('nav[aria-label="Views"] button:text-is("Table")')
  await page.waitForSelector('.table caption:has-text("5 other files")')
  await page.click('.filters summary')
  await page.uncheck('.filters label:has-text("Attachments") input')
  await page.waitForSelector('.table caption:not(:has-text("other files"))')
  asked.length = 0
  world.write('More.md', '[[Photos]]\n')
  await page.waitForSelector('.table a:text-is("More")')
  expect(asked.filter((path) => path === '/web/files')).toEqual([])
  expect(errors).toEqual([])
})

test('the name of a note under the pointer appears beside the pointer and inside the window', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const { x: left = 0, y: top = 0, width = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const spots = [...(await spotsOf(page)).values()].toSorted((a, b) => a[0] - b[0])
  for (const [x, y] of [spots[0], spots.at(-1)].filter((one) => one !== undefined)) {
    await page.mouse.move(left + x, top + y)
    const tip = await (await page.waitForSelector('.tip')).boundingBox()
    const [across, down] = [
      Math.max((tip?.x ?? 0) - left - x, left + x - (tip?.x ?? 0) - (tip?.width ?? 0)),
      Math.max((tip?.y ?? 0) - top - y, top + y - (tip?.y ?? 0) - (tip?.height ?? 0)),
    ]
    expect([Math.round(across), Math.round(down)]).toEqual([14, 10])
    expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual(left + width)
    await page.mouse.move(left + 2, top + 2)
    await page.waitForSelector('.tip', { state: 'detached' })
  }
})

test('a note under the pointer or in focus is highlighted with its linked notes, and others are dimmed', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const far = 'people/antoine-augustin parmentier.md'
  /** Returns the difference between a note's color and the background. The area around the note remains in view. */
  const contrastOf = (id: string) =>
    page.evaluate((one) => {
      const drawing = document.querySelector<MapElement>('.map .drawing')
      const [x, y] = drawing?.map.spots().get(one) ?? [0, 0]
      const [red = 255, green = 255, blue = 255] = drawing?.map.picture()?.getContext('2d')?.getImageData(x, y, 1, 1).data ?? []
      return 3 * 255 - red - green - blue
    }, id)
  const spots = await spotsOf(page)
  const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const [x, y] = spots.get('concepts/amylase.md') ?? [0, 0]
  const plain = await contrastOf(far)
  expect(plain).toBeGreaterThan(100)
  const seen = (await labelsOf(page)).length
  await page.mouse.move(left + x, top + y)
  await page.waitForSelector('.tip')
  await mapIsStill(page)
  const labels = (await labelsOf(page)).map(({ text }) => text)
  expect(labels[0]).toBe('Amylase')
  expect(labels.length).toBeLessThan(seen)
  expect(labels).not.toContain('Antoine-Augustin Parmentier')
  expect(await contrastOf(far)).toBeLessThan(plain * 0.25)
  await page.mouse.move(left + 2, top + 2)
  await page.waitForSelector('.tip', { state: 'detached' })
  await mapIsStill(page)
  expect(await contrastOf(far)).toBe(plain)
  await page.mouse.click(left + x, top + y)
  await page.waitForSelector('.note h1:text-is("Amylase")')
  await mapIsStill(page)
  expect(await contrastOf(far)).toBeLessThan(plain * 0.25)
})

test('a group chosen in the legend keeps its land and its name', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const colorAt = (x: number, y: number) =>
    page.evaluate(
      ([left = 0, top = 0]) => [
        ...(document.querySelector<MapElement>('.map .drawing')?.map.picture()?.getContext('2d')?.getImageData(left, top, 1, 1)
          .data ?? []),
      ],
      [x, y],
    )
  /** Returns how much color the area next to the group's name has. */
  const landOf = async (name: string) => {
    const { box: [left, top] = [0, 0] } =
      (await labelsOf(page)).find(({ text, font }) => text === name && font.startsWith('700')) ?? {}
    const [red = 0, green = 0, blue = 0] = await colorAt(left, top)
    return Math.max(red, green, blue) - Math.min(red, green, blue)
  }
  expect(await landOf('Poolish')).toBeGreaterThan(8)
  await page.click('.legend button:has-text("Poolish")')
  await mapIsStill(page)
  expect(await landOf('Poolish')).toBeGreaterThan(8)
})

test('a chosen group is described beside the map, with links to its notes and to linked groups', async () => {
  const { page } = await lookAtDemo()
  await page.click('.legend button:has-text("Poolish")')
  // The legend is folded while a group is selected.
  const inLegend = (part: string) => page.waitForSelector(`.legend button${part}`, { state: 'attached' })
  await inLegend('[aria-pressed="true"]:has-text("Poolish")')
  await page.waitForSelector('.right h1:text-is("Poolish")')
  const linked = page.locator('.right h2:has-text("Linked groups") + .rows button').first()
  const name = (await linked.textContent()) ?? ''
  await linked.click()
  await page.waitForSelector(`.right h1:text-is("${name}")`)
  await inLegend(`[aria-pressed="true"]:has-text("${name}")`)
  await page.click('.right button:text-is("Show everything")')
  await page.waitForSelector('.legend button[aria-pressed="true"]', { state: 'detached' })
  await page.click('.legend button:has-text("Poolish")')
  await page.click('.right .rows a')
  await page.waitForSelector('.note h1')
})

test('the card at the pointer shows links in and out and the first sentence, the theme can be switched, and the map saved', async () => {
  const { page } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const [x, y] = (await spotsOf(page)).get('concepts/gluten.md') ?? [0, 0]
  await page.mouse.move(left + x, top + y)
  await page.waitForSelector('.tip p:text-is("Gluten does not exist in dry flour.")')
  expect(await page.innerText('.tip small')).toMatch(/\d+ in · \d+ out$/)
  await page.click('button[aria-label="Dark theme"]')
  await page.waitForSelector('html[data-theme="dark"]')
  await page.reload()
  await page.waitForSelector('button[aria-label="Light theme"]')
  await mapIsStill(page)
  await page.click('summary[aria-label="Save the map"]')
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Save as PNG"]')])
  expect(saved.suggestedFilename()).toBe('notes.png')
  const [drawn] = await Promise.all([page.waitForEvent('download'), page.click('button[aria-label="Save as SVG"]')])
  const svg = readFileSync(await drawn.path(), 'utf8')
  // Unlike the page, an empty page allows scripts to parse HTML.
  const empty = await page.context().newPage()
  const read = await empty.evaluate((text) => {
    const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml')
    const isThere = ['path[fill-rule="evenodd"]', 'linearGradient'].map((part) => documentElement.querySelector(part) !== null)
    return [documentElement.localName, ...isThere, documentElement.textContent]
  }, svg)
  expect(read).toEqual(['svg', true, true, expect.stringMatching(/gluten/i)])
})

test('the map replays the growth of the vault, and colors show when notes were last changed', async () => {
  const world = openWorld()
  const today = new Date().toISOString().slice(0, 10)
  world.write('Old.md', '---\ncreated: 2020-01-01\nmodified: 2020-01-02\n---\n[[Recent]]\n')
  world.write('Recent.md', `---\ncreated: ${today}\nmodified: ${today}\n---\n[[Old]]\n`)
  writeVault(world, 2, 6)
  const { page } = await look(await openRoux(world))
  await page.waitForSelector('.legend select')
  await page.selectOption('select[aria-label="Colors by"]', 'age')
  await page.waitForSelector('.legend li:has-text("last 7 days")')
  await page.waitForSelector('.legend li:has-text("earlier")')
  const named = async () => (await labelsOf(page)).map(({ text }) => text)
  const growth = page.locator('button[aria-label="How the vault grew"]')
  await growth.click()
  await page.fill('.growth input', String(Date.UTC(2021, 0, 1) / 86_400_000))
  await page.waitForSelector('.growth:has-text("2021-01-01 · 1 note")')
  await expect.poll(named).not.toContain('Recent')
  expect(await named()).toContain('Old')
  await page.click('.growth button[aria-label="Play"]')
  await page.waitForSelector('.growth:has-text("14 notes")')
  await page.waitForSelector('.growth button[aria-label="Play"]')
  await growth.click()
  await page.waitForSelector('.growth', { state: 'detached' })
})

test('a list or a search is drawn on the map, a link shows its card, and the right button opens a menu', async () => {
  const { page } = await lookAtDemo({ hash: '&note=Gluten' })
  await page.waitForSelector('.body a')
  await page.hover('.body a:text-is("Autolyse")')
  await page.waitForSelector('.tip strong:text-is("Autolyse")')
  await page.waitForSelector('.tip p')
  await page.click('.depth button[aria-label="Close the note"]')
  await page.waitForSelector('.tip', { state: 'detached' })
  await page.click('nav[aria-label="Views"] button:text-is("Problems")')
  await page.click('button[aria-label="Show everything"]')
  // The names of groups are bold.
  const named = async () => (await labelsOf(page)).flatMap(({ text, font }) => (font.startsWith('700 ') ? [] : [text])).toSorted()
  await expect.poll(named).toEqual(['2025-03-08', 'Baking with steam', 'Oven light bulb', 'Pale crust', 'Reading list'])
  await mapIsStill(page)
  const reds = await page.evaluate(() => {
    const drawing = document.querySelector<MapElement>('.map .drawing')
    const [x, y] = drawing?.map.spots().get('faults/pale crust.md') ?? [0, 0]
    const { data = [] } = drawing?.map.picture()?.getContext('2d')?.getImageData(x, y, 40, 1) ?? {}
    return [...data].filter((red, at) => at % 4 === 0 && red > 190 && (data[at + 1] ?? 255) < 70).length
  })
  expect(reds).toBeGreaterThan(0)
  await page.fill('#search', 'focaccia')
  await page.waitForSelector('#hits li')
  await expect.poll(named).not.toContain('Oven light bulb')
  expect(await named()).toContain('Focaccia')
  await page.click('nav[aria-label="Views"] button:text-is("Map")')
  await mapIsStill(page)
  const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const [x, y] = (await spotsOf(page)).get('concepts/amylase.md') ?? [0, 0]
  await page.mouse.click(left + x, top + y, { button: 'right' })
  await page.waitForSelector('.menu a[href^="obsidian://open?vault=vault&file=Concepts%2FAmylase.md"]')
  expect(await barriersOf(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Open in a new tab')
  await page.keyboard.press('Escape')
  await page.waitForSelector('.menu', { state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.className === 'drawing')
  // With Ctrl on a Mac, and with a finger, the menu opens while the first button is down. Its release must be neither a click nor
  // a press outside the menu.
  const before = page.url()
  await page.mouse.move(left + x, top + y)
  await page.mouse.down()
  await page.evaluate(
    (at) => document.querySelector('.map .drawing')?.dispatchEvent(new MouseEvent('contextmenu', { ...at, cancelable: true })),
    { clientX: left + x, clientY: top + y },
  )
  await page.waitForSelector('.menu')
  await page.mouse.move(left + x - 2, top + y - 2)
  await page.mouse.up()
  await page.waitForSelector('.menu a')
  expect(page.url()).toBe(before)
  await page.mouse.click(left + 3, top + 3)
  await page.waitForSelector('.menu', { state: 'detached' })
  await page.mouse.click(left + x, top + y, { button: 'right' })
  await page.click('.menu button:text-is("Path from here")')
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.picker input')?.value === 'Amylase')
  // In WebKit, the key's event looks like a press of the right button in a corner.
  await page.press('.map .drawing', 'Shift')
  await page.evaluate(() =>
    document.querySelector('.map .drawing')?.dispatchEvent(new MouseEvent('contextmenu', { button: 2, cancelable: true })),
  )
  await page.waitForSelector('.menu[aria-label="Amylase"]')
  await page.keyboard.press('Tab')
  await page.waitForSelector('.menu', { state: 'detached' })
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
})

test('small notes are round on a high-resolution screen, too', async () => {
  const { page } = await lookAtDemo({
    density: 2,
    before: () => {
      const { rect } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.rect = function (...place) {
        window.ran = [...(window.ran ?? []), 'rect']
        rect.apply(this, place)
      }
    },
  })
  await page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.zoom(0.1))
  await mapIsStill(page)
  expect((await labelsOf(page)).length).toBeGreaterThan(0)
  expect(await page.evaluate(() => window.ran ?? [])).toEqual([])
})

test('the left button opens a note, Ctrl opens it in a tab, and a click on an empty place closes it', async () => {
  const { page, context } = await lookAtDemo()
  await page.waitForSelector('.legend li')
  await mapIsStill(page)
  const { x: left = 0, y: top = 0 } = (await page.locator('.map .drawing').boundingBox()) ?? {}
  const [x, y] = (await spotsOf(page)).get('concepts/hydration.md') ?? [0, 0]
  await page.mouse.click(left + x, top + y, { button: 'right' })
  await page.keyboard.down('Control')
  const [tab] = await Promise.all([context.waitForEvent('page'), page.mouse.click(left + x, top + y)])
  await page.keyboard.up('Control')
  await tab.waitForSelector('.note h1:text-is("Hydration")')
  expect(page.url()).not.toContain('note=')
  await page.mouse.click(left + x, top + y)
  await page.waitForSelector('.note h1:text-is("Hydration")')
  await page.mouse.click(left + 3, top + 3)
  await page.waitForSelector('.welcome')
  expect(page.url()).not.toContain('note=')
})
