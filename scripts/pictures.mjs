/**
 * Takes the screenshots for README.md: the page of "roux open" on a copy of the demo vault, light and dark.
 *
 * Usage: npm run build && node scripts/pictures.mjs [folder] (default folder: docs/; needs a Chromium)
 */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from './chromium.mjs'

/** The maximum size of a picture in bytes. Every clone of the repository downloads the pictures. */
const MOST_BYTES = 150_000
const NOTE = 'Gluten'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'docs')
const executablePath = findChromium()
if (executablePath === undefined) {
  console.error('Chromium not found: install it, or set the variable CHROMIUM.')
  process.exit(1)
}
const scratch = mkdtempSync(join(tmpdir(), 'roux-pictures-'))
cpSync(join(root, 'fixtures/demo'), join(scratch, 'Bread'), { recursive: true })
const env = { ...process.env, XDG_CACHE_HOME: scratch, XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
// Wait for communities first: the layout depends on them.
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
  await page.waitForSelector('.legend li', { state: 'attached' })
  // The map moves to the note once the note has loaded. Only then can it be zoomed out to everything.
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

/** Starts `roux open`. It must be started for each browser, because an address works for only one. */
async function openRoux() {
  const args = [join(root, 'dist/cli/main.js'), 'open', join(scratch, 'Bread'), '--note', NOTE, '--print']
  const child = spawn(process.execPath, args, { env, cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  const address = await new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part
        const [found] = /http:\/\/\S+/.exec(output) ?? []
        if (found !== undefined) resolve(found)
      })
    void ended.then(() => reject(new Error(`roux open exited: ${output}`)))
  })
  return {
    address,
    stop() {
      child.kill('SIGINT')
      return ended
    },
  }
}
