import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]

/** A Chromium of this computer: what `CHROMIUM` names, or one that was installed; `undefined` where there is none. */
export function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const places = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  return [process.env.CHROMIUM ?? '', ...places, ...PLACES].find((path) => path !== '' && existsSync(path))
}

/** Without a sandbox, which containers do not allow, and drawing in software, which needs no graphics card. */
export const CHROMIUM_FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader']
