/**
 * Takes the pictures of README.md: the page of "roux open" on a copy of the demo vault, light and dark.
 *
 * Usage: npm run build && node scripts/pictures.mjs [folder]    (docs/ without a folder; needs a Chromium)
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from './chromium.mjs'

/** Everyone who gets the repository gets the pictures, too. */
const MOST_BYTES = 150_000
const NOTE = 'Gluten'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'docs')
const executablePath = findChromium()
if (executablePath === undefined) {
  console.error('There is no Chromium: install one, or name it in the variable CHROMIUM.')
  process.exit(1)
}
const scratch = mkdtempSync(join(tmpdir(), 'roux-pictures-'))
cpSync(join(root, 'fixtures/demo'), join(scratch, 'Bread'), { recursive: true })
const env = { ...process.env, XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
// Communities are found first: notes are laid out by them.
spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'map', '--vault', join(scratch, 'Bread')], { env, cwd: scratch })
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_FLAGS] })
try {
  for (const colorScheme of ['light', 'dark']) await take(colorScheme)
} finally {
  await browser.close()
  rmSync(scratch, { recursive: true, force: true, maxRetries: 3 })
}

async function take(colorScheme) {
  const { address, stop } = await openRoux()
  const viewport = { width: 1280, height: 760 }
  const page = await browser.newPage({ viewport, colorScheme, reducedMotion: 'reduce' })
  await page.goto(address)
  await page.waitForSelector('.legend li')
  // The map goes to the note once that is there; then all of it is shown.
  await page.waitForFunction((title) => document.querySelector('.note h1')?.textContent === title, NOTE)
  await page.waitForTimeout(1_000)
  await page.keyboard.press('0')
  await page.waitForTimeout(1_500)
  const path = join(folder, `map-${colorScheme}.jpg`)
  await page.screenshot({ path, type: 'jpeg', quality: 72 })
  await page.close()
  await stop()
  const { size } = statSync(path)
  console.log(`${path}: ${size} bytes`)
  if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`)
}

/** Each address is good for one browser. */
async function openRoux() {
  const args = [join(root, 'dist/cli/main.js'), 'open', join(scratch, 'Bread'), '--note', NOTE, '--print']
  const child = spawn(process.execPath, args, { env, cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const address = await new Promise((resolve, reject) => {
    let told = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        told += part
        const [found] = /http:\/\/\S+/.exec(told) ?? []
        if (found !== undefined) resolve(found)
      })
    void ended.then(() => reject(new Error(`roux open ended: ${told}`)))
  })
  return {
    address,
    stop() {
      child.kill('SIGINT')
      return ended
    },
  }
}
