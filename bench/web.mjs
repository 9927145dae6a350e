/**
 * Measures the page of "roux open" in a real browser with software rendering, after `npm run build`.
 *
 * Usage: npm run bench:web -- [<vault>…] [--generate <notes>] [--keep <folder>] [--width <pixels>]
 *
 * For a copy of each vault: time from opening the address to a map with titles (with only the index kept; with layout and communities
 * kept), frame times while the map moves and while the pointer crosses it, time until a new file is on the map, and CPU use at rest. `--generate` also writes and measures a
 * vault with this many notes and ten links each; `--keep` keeps copies and indexes there for the next run.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../scripts/chromium.mjs'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { generate: { type: 'string' }, keep: { type: 'string' }, width: { type: 'string', default: '1440' } },
})
const executablePath = findChromium()
if (executablePath === undefined) {
  console.error('Chromium not found: install it, or set the variable CHROMIUM.')
  process.exit(2)
}
const base = options.keep ?? mkdtempSync(join(tmpdir(), 'roux-bench-web-'))
mkdirSync(base, { recursive: true })
const LONGEST = 180_000

for (const vault of [...positionals, ...(options.generate === undefined ? [] : [undefined])]) await measure(vault)
if (options.keep === undefined) rmSync(base, { recursive: true, force: true })

async function measure(given) {
  const name = given === undefined ? `generated-${options.generate}` : basename(given)
  const vault = join(base, name)
  if (!existsSync(vault)) {
    if (given !== undefined) cpSync(given, vault, { recursive: true })
    else
      spawnSync(process.execPath, [
        here('generate-vault.mjs'),
        vault,
        '--notes',
        options.generate,
        '--links',
        `${options.generate}0`,
      ])
  }
  const home = join(base, `${name}.home`)
  const isKept = existsSync(home)
  const state = { name, vault, home }
  // Builds the index, which the computation of communities needs.
  const first = await visit(state, async ({ page }) => coloredAfter(page).catch(() => undefined))
  console.log(`${name}: ${first.notes} notes`)
  const colored = first.result === undefined ? `not within ${seconds(LONGEST)}` : `${seconds(first.result)} later`
  if (!isKept) console.log(`  nothing kept: titles after ${seconds(first.titled)}, communities ${colored}`)
  for (const file of readdirSync(join(home, 'cache/roux'))) if (file.startsWith('layout-')) rmSync(join(home, 'cache/roux', file))
  const cold = await visit(state, ({ page }) => coloredAfter(page))
  console.log(`  index kept: titles after ${seconds(cold.titled)}`)
  const cached = await visit(state, async ({ page }) => {
    if (first.result !== undefined) await coloredAfter(page)
    return {
      moving: await frames(page),
      hovering: await hoverFrames(page),
      busy: await busyShare(page),
      added: await addedAfter(page, vault),
    }
  })
  console.log(`  places kept: titles after ${seconds(cached.titled)}`)
  const { moving, hovering, busy, added } = cached.result
  console.log(`  while it moves: ${told(moving)}`)
  console.log(`  while the pointer crosses it: ${told(hovering)}`)
  console.log(`  at rest: ${(busy * 100).toFixed(2)} % of a processor; a new file is on the map after ${seconds(added)}`)
}

/** Opens the page in a new browser and runs a function in it. */
async function visit({ vault, home }, act) {
  const env = {
    ...process.env,
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  }
  const server = spawn(process.execPath, [here('../dist/cli/main.js'), 'open', vault, '--print'], { env })
  const address = await new Promise((resolve) => {
    let told = ''
    server.stderr.on('data', (part) => {
      told += part
      const [found] = /http:\/\/\S+/.exec(told) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] })
  try {
    const page = await browser.newPage({ viewport: { width: Number(options.width), height: Math.round(options.width * 0.625) } })
    page.setDefaultTimeout(LONGEST)
    const begun = performance.now()
    await page.goto(address)
    await page.waitForFunction(() => document.querySelector('.map .drawing')?.map?.isStill, undefined, { polling: 20 })
    const titled = performance.now() - begun
    const notes = await page.evaluate(() => document.querySelector('.map .drawing').map.spots().size)
    return { titled, notes, result: await act({ page, begun }) }
  } finally {
    await browser.close()
    server.kill('SIGINT')
    await once(server, 'exit')
  }
}

async function coloredAfter(page) {
  const begun = performance.now()
  await page.waitForSelector('.legend li')
  return performance.now() - begun
}

/** Moves the map by a hundredth of its width in every frame. */
function frames(page) {
  return page.evaluate(async () => {
    const { map } = document.querySelector('.map .drawing')
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    map.zoom(1.5)
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const times = []
    let last = await nextFrame()
    for (let step = 0; step < 80; step++) {
      map.pan(step < 40 ? 0.01 : -0.01, 0.003)
      const now = await nextFrame()
      times.push(now - last)
      last = now
    }
    return times
  })
}

/** Moves the pointer from note to note. Like a slow hand, it moves to another note every tenth frame. */
function hoverFrames(page) {
  return page.evaluate(async () => {
    const drawing = document.querySelector('.map .drawing')
    const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    drawing.map.fit()
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    const { left, top } = drawing.getBoundingClientRect()
    const spots = [...drawing.map.spots().values()]
    const times = []
    let last = await nextFrame()
    for (let step = 0; step < 200; step++) {
      const [x, y] = spots[Math.floor(step / 10) * Math.floor(spots.length / 20)]
      const at = { clientX: left + x + (step % 10) / 10, clientY: top + y, bubbles: true }
      drawing.dispatchEvent(new PointerEvent('pointermove', at))
      const now = await nextFrame()
      times.push(now - last)
      last = now
    }
    return times
  })
}

function told(times) {
  const sorted = times.toSorted((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  const [median = 0, slow = 0] = [0.5, 0.95].map((share) => sorted[Math.floor(share * sorted.length)])
  return `${(1_000 / mean).toFixed(0)} frames per second; a frame ${median.toFixed(0)} ms (median), ${slow.toFixed(0)} ms (p95)`
}

/** Returns the share of CPU time that the page uses at rest. */
async function busyShare(page) {
  await page.waitForTimeout(2_000)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const taken = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value
  const before = await taken()
  await page.waitForTimeout(5_000)
  return ((await taken()) - before) / 5
}

async function addedAfter(page, vault) {
  const name = `bench ${Date.now()}`
  const begun = performance.now()
  writeFileSync(join(vault, `${name}.md`), 'New.\n')
  await page.waitForFunction((id) => document.querySelector('.map .drawing').map.spots().has(id), `${name}.md`, { polling: 20 })
  const after = performance.now() - begun
  rmSync(join(vault, `${name}.md`))
  return after
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(1)} s`
}
