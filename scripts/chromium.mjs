import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** Finds a Chromium: the one `CHROMIUM` names, or an installed one; otherwise `undefined`. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return [process.env.CHROMIUM ?? '', ...places, ...PLACES].find((path) => path !== '' && existsSync(path))
}

/** Containers do not allow a sandbox; software rendering needs no graphics card. */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
