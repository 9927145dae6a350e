// Tests the page of "roux open" in a real browser, after `npm run build`. Skips the tests if there is no Chromium.
import { spawnSync } from 'node:child_process'
import { findChromium } from './chromium.mjs'

const chromium = findChromium()
if (chromium === undefined) {
  console.log('skipped: the page in a browser (no Chromium; install one, or set the variable CHROMIUM)')
} else {
  console.log(`The page in a browser: ${chromium}`)
  const args = ['vitest', 'run', '--config', 'test/web/browser/vitest.config.ts', ...process.argv.slice(2)]
  const { status } = spawnSync('npx', args, { stdio: 'inherit', env: { ...process.env, CHROMIUM: chromium } })
  process.exitCode = status ?? 1
}
