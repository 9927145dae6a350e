import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, inject, onTestFinished } from 'vitest'
import { CHROMIUM_FLAGS } from '../../../scripts/chromium.mjs'
import type { Label } from '../../../src/web/client/map-labels.ts'
import type { MapView } from '../../../src/web/client/map-view.ts'
import { openWorld, PROGRAM, type World, type WorldOptions } from '../../e2e/support.ts'
import { PATIENCE } from '../../support/patience.ts'
import { addressOf, sessionOf } from './demo-server.ts'

export { openWorld, type World }

/** The element of the map, with what draws in it. */
export type MapElement = HTMLElement & { readonly map: MapView }

declare global {
  interface Window {
    /** The loads that the page's policy refused. */
    refusals?: string[]
    /** The payloads of a note that were executed. */
    ran?: string[]
    /** The number of images that were drawn on a canvas. */
    painted?: number
  }
}

/** A running `roux open`. */
export interface RunningRoux {
  /** The address with the code, which works for one browser. */
  readonly address: string
  /** The address without the code. */
  readonly url: string
  readonly port: number
  /** Returns everything that the program has printed. */
  readonly told: () => string
  stop(): Promise<void>
}

/** Starts `roux open` for a world's vault, or what `args` name. It ends with the test. */
export async function openRoux(world: World, args?: readonly string[]): Promise<RunningRoux> {
  const roux = await startRoux(world, args)
  onTestFinished(roux.kill)
  return roux
}

/** The target of a window: a running `roux open`, optionally with an existing session. */
export interface Place {
  readonly address: string
  readonly session?: string
}

/**
 * Shares one `roux open` between all tests of a file that only read the same vault. It must be called outside the tests. The
 * first test that needs it starts it. `write` fills the vault and may return other arguments than the vault.
 */
export function shareRoux(
  write: (world: World) => readonly string[] | undefined,
  options: WorldOptions = {},
): () => Promise<Required<Place>> {
  let roux: ReturnType<typeof startRoux> | undefined
  let place: Promise<Required<Place>> | undefined
  const ends: (() => void)[] = []
  const start = async (): Promise<Required<Place>> => {
    const world = openWorld({ ...options, until: (remove) => ends.push(remove) })
    roux = startRoux(world, write(world) ?? undefined)
    const { address, url } = await roux
    return { address: `${url}#`, session: await sessionOf(address) }
  }
  afterAll(async () => {
    await (await roux)?.kill()
    for (const end of ends) end()
  })
  return () => {
    place ??= start()
    return place
  }
}

async function startRoux(
  { vault, env, root }: World,
  args: readonly string[] = [vault],
): Promise<RunningRoux & { kill(): Promise<void> }> {
  const child = spawn(process.execPath, [PROGRAM, 'open', ...args, '--print'], { env, cwd: root })
  let told = ''
  const address = await addressOf(child, (all) => {
    told = all
  })
  const { origin, port } = new URL(address)
  return {
    address,
    url: `${origin}/`,
    port: Number(port),
    told: () => told,
    stop: () => end(child, 'SIGINT'),
    kill: () => end(child, 'SIGKILL'),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** An emulated graphics card would take a third of the processor time. The page draws its map in the same way without it. */
const FLAGS = [...CHROMIUM_FLAGS, '--disable-gpu']

/** Two hidden pages of the address bar. Chromium would load them for each window, at about the cost of a small page. */
const UNUSED_FEATURES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

let browser: Promise<Browser> | undefined

function sharedBrowser(): Promise<Browser> {
  browser ??= launch()
  return browser
}

async function launch(): Promise<Browser> {
  // Chromium obeys only the last flag of this kind, so this one repeats the flag of Playwright, which quotes it when it cannot
  // start a browser.
  const { message }: Error = await chromium.launch({ executablePath: process.execPath }).then(String, (error) => error)
  const own = /--disable-features=\S+/.exec(message)
  if (own === null) throw new Error(`Playwright's flags are not in its error: ${message}`)
  const args = [...FLAGS, [own, ...UNUSED_FEATURES].join(',')]
  return await chromium.launch({ executablePath: process.env.CHROMIUM ?? '', args })
}

afterAll(async () => {
  await (await browser)?.close()
  browser = undefined
})

export interface LookOptions {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
  /** The number of screen pixels per CSS pixel. */
  readonly density?: number
  /** A function that runs before any script of the page. */
  readonly before?: () => void
  /** The session that the page has from the beginning. */
  readonly session?: string
}

/** A page that someone looks at. */
export interface Looked {
  readonly page: Page
  readonly context: BrowserContext
  /** The requested addresses of other servers. */
  readonly foreign: readonly string[]
  /** The uncaught errors of the page. */
  readonly errors: readonly string[]
}

/** Opens a new window with separate storage. */
export async function openWindow({
  width = 1280,
  height = 800,
  dark = false,
  density = 1,
  before,
  session,
}: LookOptions = {}): Promise<Looked> {
  const context = await (await sharedBrowser()).newContext({
    viewport: { width, height },
    deviceScaleFactor: density,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  onTestFinished(() => context.close())
  await context.addInitScript(() => {
    window.refusals = []
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      window.refusals?.push(`${violatedDirective} ${blockedURI} ${sample}`),
    )
  })
  if (session !== undefined) await context.addInitScript((kept) => sessionStorage.setItem('roux-session', kept), session)
  if (before !== undefined) await context.addInitScript(before)
  // The tests do not measure time. This limit ends a test that hangs on a busy machine.
  context.setDefaultTimeout(PATIENCE)
  const page = await context.newPage()
  await disturb(page)
  const foreign: string[] = []
  const errors: string[] = []
  context.on('request', (request) => {
    if (!/^(?:http:\/\/127\.0\.0\.1:|blob:)/.test(request.url())) foreign.push(request.url())
  })
  page.on('pageerror', ({ message }) => errors.push(message))
  return { page, context, foreign, errors }
}

/**
 * If `ROUX_JITTER` is a number, delays each answer randomly by up to 1.5 s, and scripts and frames by up to eight times as long.
 * Tests must not depend on what arrives first.
 */
async function disturb(page: Page): Promise<void> {
  const seed = Number(process.env.ROUX_JITTER)
  if (!(seed > 0)) return
  let state = seed + disturbed++
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return (state >> 8) / 2 ** 23
  }
  for (let at = 0; at < 3; at++) next()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 + next() ** 2 * 7 })
  await page.route(/\/web\/(?!events)/, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, next() ** 2 * 1_500))
    // The page may have been closed by then.
    await route.fallback().catch(() => undefined)
  })
}

let disturbed = 0

/** Opens the demo, which all tests share, and waits until the map is there. */
export function lookAtDemo(options: LookOptions & { readonly hash?: string } = {}): Promise<Looked> {
  const { url, session } = inject('demo')
  return look({ address: `${url}#`, session }, options)
}

/** Opens the page and waits until the map is there. */
export async function look({ address, session }: Place, options: LookOptions & { readonly hash?: string } = {}): Promise<Looked> {
  const looked = await openWindow({ ...(session === undefined ? {} : { session }), ...options })
  await looked.page.goto(`${address}${options.hash ?? ''}`)
  await mapIsStill(looked.page)
  return looked
}

/** Waits until the map shows at least this many notes and nothing moves. */
export async function mapIsStill(page: Page, notes = 0): Promise<void> {
  await page.waitForFunction(
    (least) => {
      const drawing = document.querySelector<MapElement>('.map .drawing')
      return drawing?.map?.isStill === true && drawing.map.spots().size >= least
    },
    notes,
    { polling: 50 },
  )
}

/** Returns the positions of notes in the window, by id. */
export async function spotsOf(page: Page): Promise<ReadonlyMap<string, readonly [x: number, y: number]>> {
  return new Map(
    await page.evaluate(() =>
      [...(document.querySelector<MapElement>('.map .drawing')?.map.spots() ?? [])].map(([id, at]) => [id, at] as const),
    ),
  )
}

/** The labels of the map now, in the order in which they were placed. */
export function labelsOf(page: Page): Promise<readonly Label[]> {
  return page.evaluate(() => document.querySelector<MapElement>('.map .drawing')?.map.draw() ?? [])
}
