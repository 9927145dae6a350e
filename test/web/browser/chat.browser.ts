import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { FrameLocator } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { PROGRAM, shareDemoIndex, type Wire } from '../../e2e/support.ts'
import { barriersOf } from './barriers.ts'
import { type MapElement, openWindow, type World } from './support.ts'

const openDemo = shareDemoIndex()

/** The policy that hosts apply to a page that requests no other one, according to the extension. */
const DEFAULT_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
const EXTENSION = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

declare global {
  interface Window {
    /** All messages that the page sent to its host. */
    heard: Wire[]
    tell(message: object): void
    callServer(name: string, args: object): Promise<Wire>
    answer?: Wire
  }
}

/** A host for tests. It frames the page as a chat does, and forwards its requests to the server. */
const HOST = `<!doctype html><body style="margin:0"><script>
  window.heard = []
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style = 'border:0; width:700px; height:620px'
  frame.src = 'http://127.0.0.1:9/app'
  window.tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
  addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow) return
    heard.push(data)
    if (data.method === 'ui/initialize') {
      const hostContext = { theme: 'light', displayMode: 'inline', styles: { variables: { '--color-text-primary': 'rgb(1, 2, 3)' } } }
      tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'mock', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext } })
    } else if (data.method === 'tools/call') tell({ id: data.id, result: await callServer(data.params.name, data.params.arguments) })
    else if (data.method === 'ui/message') tell({ id: data.id, result: {} })
  })
  document.body.append(frame)
</script>`

interface Chat {
  readonly page: Awaited<ReturnType<typeof openWindow>>['page']
  readonly app: FrameLocator
  readonly errors: readonly string[]
  readonly foreign: readonly string[]
  /** Calls a tool as a model does, and shows its answer. */
  show(name: string, args: object): Promise<void>
  heard(method: string): Promise<readonly Wire[]>
  refusals(): Promise<unknown>
}

/** @param changed returns the answer that the page receives for a tool's answer */
async function openChat({ vault, env, root }: World, changed = (answer: Wire): Wire => answer): Promise<Chat> {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: EXTENSION } })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'serve', vault],
      env: env as Record<string, string>,
      cwd: root,
    }),
  )
  onTestFinished(() => client.close())
  const { contents } = await client.readResource({ uri: 'ui://roux/map' })
  const html = (contents[0] as Wire).text as string
  expect(Buffer.byteLength(html)).toBeLessThan(300_000)
  const { page, context, errors, foreign } = await openWindow({ width: 720, height: 640 })
  await context.route('http://127.0.0.1:8/host', (route) => route.fulfill({ contentType: 'text/html', body: HOST }))
  await context.route('http://127.0.0.1:9/app', (route) =>
    route.fulfill({ contentType: 'text/html', body: html, headers: { 'Content-Security-Policy': DEFAULT_POLICY } }),
  )
  await page.exposeFunction('callServer', async (name: string, args: Record<string, unknown>) =>
    changed(await client.callTool({ name, arguments: args })),
  )
  await page.goto('http://127.0.0.1:8/host')
  const heard = (method: string) =>
    page.evaluate((wanted) => window.heard.filter((one: Wire) => one.method === wanted), method) as Promise<readonly Wire[]>
  await expect.poll(() => heard('ui/notifications/initialized')).toHaveLength(1)
  const app = page.frameLocator('iframe')
  return {
    page,
    app,
    errors,
    foreign,
    heard,
    async show(name, args) {
      const result = await client.callTool({ name, arguments: args as Record<string, unknown> })
      await page.evaluate(
        (sent) => {
          window.tell({ method: 'ui/notifications/tool-input', params: { arguments: sent.args } })
          window.tell({ method: 'ui/notifications/tool-result', params: sent.result as object })
        },
        { args, result: result as Wire },
      )
      await app.locator('#map .drawing').waitFor()
    },
    refusals: () => app.locator('body').evaluate(() => window.refusals),
  }
}

/** Titles that are written on the map. */
const labels = (app: FrameLocator): Promise<readonly string[]> =>
  app.locator('#map .drawing').evaluate((drawing) => (drawing as MapElement).map.draw().map(({ text }) => text))

test('the map in a chat shows hubs under the default content security policy of hosts', async () => {
  const { app, show, heard, page, errors, foreign, refusals } = await openChat(openDemo())
  const [begun] = await heard('ui/initialize')
  expect(begun.params).toMatchObject({ protocolVersion: '2026-01-26', appInfo: { name: 'roux-map' } })
  await show('get_hubs', { limit: 4 })
  expect(await app.locator('#said').textContent()).toBe('The 4 most central notes')
  expect(await app.locator('#notes button').allTextContents()).toContain('Gluten · 24')
  await expect.poll(() => labels(app)).toEqual(expect.arrayContaining(['Gluten', 'Hydration']))
  await expect.poll(async () => (await heard('ui/notifications/size-changed')).at(-1)?.params.height).toBeGreaterThan(380)
  const [color] = await app.locator('body').evaluate((body) => [getComputedStyle(body).color])
  expect(color).toBe('rgb(1, 2, 3)')
  await page.screenshot({ path: process.env.SHOTS === undefined ? '' : `${process.env.SHOTS}/chat-hubs.png` }).catch(() => {})
  expect(await refusals()).toEqual([])
  expect([errors, foreign]).toEqual([[], []])
})

test('a note in an answer can be sent to the chat, or read in the picture', async () => {
  const { app, show, heard } = await openChat(openDemo())
  await show('get_neighbors', { id: 'Amylase', direction: 'in' })
  expect(await app.locator('#said').textContent()).toBe('8 notes linked with Amylase')
  await app.getByRole('button', { name: 'Malt', exact: true }).click()
  expect(await app.locator('#note h2').textContent()).toBe('Malt')
  await app.getByRole('button', { name: 'Ask about it' }).click()
  const words = 'Tell me about the note "Malt" (ingredients/malt.md).'
  await expect
    .poll(async () => (await heard('ui/message')).map(({ params }) => params))
    .toEqual([{ role: 'user', content: [{ type: 'text', text: words }] }])
  await app.getByRole('button', { name: 'Read it here' }).click()
  await expect.poll(() => app.locator('#note pre').textContent()).toContain('Diastatic')
})

test('the map in a chat shows paths and communities', async () => {
  const { app, show, page } = await openChat(openDemo())
  await show('find_path', { source: 'people/antoine-augustin parmentier', target: 'concepts/amylase' })
  expect(await app.locator('#said').textContent()).toBe('A path of 4 links')
  await expect.poll(() => labels(app)).toEqual(expect.arrayContaining(['Baguette', 'Malt', 'Amylase']))
  await page.screenshot({ path: process.env.SHOTS === undefined ? '' : `${process.env.SHOTS}/chat-path.png` }).catch(() => {})
  await show('map', {})
  await expect.poll(() => app.locator('#said').textContent()).toMatch(/^\d+ communities in \d+ notes$/)
  expect(await app.locator('#notes button').count()).toBeGreaterThan(2)
  await page.screenshot({ path: process.env.SHOTS === undefined ? '' : `${process.env.SHOTS}/chat-map.png` }).catch(() => {})
})

test('the picture in a chat follows the theme of the host', async () => {
  const { app, show, page } = await openChat(openDemo())
  await show('get_hubs', {})
  const ground = () =>
    app.locator('#map .drawing').evaluate((drawing) => {
      const view = drawing as MapElement
      view.map.draw()
      return [...(view.map.picture()?.getContext('2d')?.getImageData(1, 1, 1, 1).data ?? [])].slice(0, 3)
    })
  expect(await ground()).toEqual([252, 251, 249])
  await page.evaluate(() => window.tell({ method: 'ui/notifications/host-context-changed', params: { theme: 'dark' } }))
  await expect.poll(ground).toEqual([19, 21, 25])
  expect(await app.locator('html').getAttribute('data-theme')).toBe('dark')
})

test('the wheel scrolls the conversation, and zooms the picture only when it has the focus', async () => {
  const { app, show, page, errors } = await openChat(openDemo())
  await show('get_hubs', {})
  const drawing = app.locator('#map .drawing')
  await expect.poll(() => drawing.evaluate((one) => (one as MapElement).map.isStill)).toBe(true)
  const scale = () => drawing.evaluate((one) => (one as MapElement).map.camera.scale)
  const before = await scale()
  const turned = app
    .locator('body')
    .evaluate(() => new Promise((resolve) => addEventListener('wheel', resolve, { capture: true })))
  await drawing.hover()
  await page.mouse.wheel(0, -200)
  await turned
  expect(await scale()).toBe(before)
  await drawing.focus()
  await page.mouse.wheel(0, -200)
  await expect.poll(scale).toBeGreaterThan(before)
  expect(errors).toEqual([])
})

test('the picture in a chat answers pings, rejects unknown requests and confirms its end', async () => {
  const { app, show, page, heard, errors } = await openChat(openDemo())
  await show('get_hubs', {})
  const answered = async (id: string) =>
    await page.evaluate((wanted) => window.heard.find((one: Wire) => one.id === wanted && one.method === undefined), id)
  const ask = (id: string, method: string) => page.evaluate((sent) => window.tell({ ...sent, params: {} }), { id, method })
  await ask('a', 'ping')
  await expect.poll(() => answered('a')).toMatchObject({ result: {} })
  await ask('b', 'ui/nonsense')
  await expect.poll(() => answered('b')).toMatchObject({ error: { code: -32601 } })
  await ask('c', 'ui/resource-teardown')
  await expect.poll(() => answered('c')).toMatchObject({ result: {} })
  await expect.poll(() => app.locator('body').evaluate((body) => body.childElementCount)).toBe(0)
  const before = (await heard('ui/notifications/size-changed')).length
  await ask('d', 'ping')
  await page.setViewportSize({ width: 500, height: 500 })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await answered('d')).toBeUndefined()
  expect(await heard('ui/notifications/size-changed')).toHaveLength(before)
  expect(errors).toEqual([])
})

test('a picture that has ended sends no more requests', async () => {
  // The answer says that communities are still being found, so the page asks again after two seconds.
  const changed = (answer: Wire): Wire => ({ ...answer, structuredContent: { ...answer.structuredContent, is_grouping: true } })
  const { app, show, page, errors } = await openChat(openDemo(), changed)
  await show('get_hubs', {})
  await page.evaluate(() => window.tell({ id: 'a', method: 'ui/resource-teardown', params: {} }))
  await expect.poll(() => app.locator('body').evaluate((body) => body.childElementCount)).toBe(0)
  await page.waitForTimeout(2_500)
  expect(errors).toEqual([])
})

test('the error of a tool is shown as text, and no map is requested', async () => {
  const { app, page, heard } = await openChat(openDemo())
  const result = { isError: true, content: [], structuredContent: { error: { message: 'The vault <b>is</b> not there.' } } }
  await page.evaluate((params) => window.tell({ method: 'ui/notifications/tool-result', params }), result)
  await expect.poll(() => app.locator('#said').textContent()).toBe('The vault <b>is</b> not there.')
  expect(await heard('tools/call')).toEqual([])
})

test('axe finds no problems in the picture in a chat, with and without a note', async () => {
  const { app, show, page } = await openChat(openDemo())
  const frame = page.frame({ url: 'http://127.0.0.1:9/app' })
  if (frame === null) throw new Error('There is no picture.')
  await show('get_neighbors', { id: 'Amylase', direction: 'in' })
  expect(await barriersOf(frame)).toEqual([])
  await app.getByRole('button', { name: 'Malt', exact: true }).click()
  await app.getByRole('button', { name: 'Read it here' }).click()
  await app.locator('#note pre').waitFor()
  expect(await barriersOf(frame)).toEqual([])
})
