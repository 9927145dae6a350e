import { existsSync, readdirSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openInBrowser } from '../../../src/cli/serving/browser.ts'
import { look, openRoux, openWindow, openWorld } from './support.ts'

const world = () => openWorld({ fixture: 'demo' })

test('the code is removed from the address, opens one session, and appears in no address, history or output', async () => {
  const roux = await openRoux(world())
  const code = new URLSearchParams(new URL(roux.address).hash.slice(1)).get('code') ?? ''
  expect(code).toMatch(/^[\w-]{43}$/)
  const asked: string[] = []
  const { page, context } = await openWindow()
  context.on('request', (one) => asked.push(one.url(), one.headers().referer ?? ''))
  await page.goto(roux.address)
  await page.waitForSelector('.legend li')
  const secret = await page.evaluate(() => JSON.parse(sessionStorage.getItem('roux-session') ?? '{}').session as string)
  expect(secret).toMatch(/^[\w-]{43}$/)
  for (const word of [code, secret]) {
    expect(asked.filter((url) => url.includes(word))).toEqual([])
    expect(await page.evaluate(() => `${location.href} ${document.cookie} ${JSON.stringify(localStorage)}`)).not.toContain(word)
  }
  // The Back button must not lead to an address with the code.
  await page.goBack()
  expect(page.url()).not.toContain(code)
  expect(roux.told().split(code)).toHaveLength(2)
  const second = await openWindow()
  await second.page.goto(roux.address)
  await second.page.waitForSelector('.refused')
  expect(await second.page.textContent('.refused')).toContain('already been used')
})

test('a local file that leads to the page opens it', async () => {
  const there = world()
  const roux = await openRoux(there)
  let file = ''
  const host = { env: { ...there.env, PATH: '' }, home: there.root, platform: 'linux' }
  const isWaiting = async (): Promise<boolean> => {
    const [name] = readdirSync(join(there.root, 'state/roux')).filter((one) => one.endsWith('.html'))
    file = join(there.root, 'state/roux', name ?? '')
    const { page } = await openWindow()
    await page.goto(pathToFileURL(file).href)
    await page.waitForSelector('.legend li')
    expect(page.url()).not.toContain('code')
    return false
  }
  await openInBrowser(roux.address, { host, isWaiting, signal: new AbortController().signal })
  expect(existsSync(file)).toBe(false)
})

test('a reloaded tab continues, and a tab that Roux did not open says what to do', async () => {
  const roux = await openRoux(world())
  const { page } = await look(roux)
  await page.reload()
  await page.waitForSelector('.legend li')
  const stranger = await openWindow()
  await stranger.page.goto(roux.url)
  expect(await stranger.page.textContent('.refused')).toContain('Run "roux open"')
})

test('requests without the secret, or from another page, port or host, are refused', async () => {
  const roux = await openRoux(world())
  const { page } = await look(roux)
  const secret = await page.evaluate(() => JSON.parse(sessionStorage.getItem('roux-session') ?? '{}').session as string)
  const own = `127.0.0.1:${roux.port}`
  const status = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: roux.port, method: 'POST', path: '/web/picture' }
      const all = { Host: own, 'Content-Type': 'application/json', Authorization: `Bearer ${secret}`, ...headers }
      request({ ...options, headers: all }, (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
        .on('error', reject)
        .end('{}')
    })
  expect(await status({})).toBe(200)
  expect(await status({ Authorization: '' })).toBe(401)
  expect(await status({ Authorization: `Bearer ${secret.slice(0, -1)}` })).toBe(401)
  expect(await status({ Cookie: `roux-session=${secret}`, Authorization: '' })).toBe(401)
  expect(await status({ Host: `evil.example:${roux.port}` })).toBe(403)
  expect(await status({ Origin: 'http://evil.example' })).toBe(403)
  expect(await status({ Origin: `http://127.0.0.1:${roux.port + 1}` })).toBe(403)
  expect(await status({ Origin: 'null' })).toBe(403)
  expect(await status({ 'Sec-Fetch-Site': 'cross-site' })).toBe(403)
  expect(await status({ 'Sec-Fetch-Site': 'same-site' })).toBe(403)
})

test('a page at another port of this computer can neither frame it nor read from it', async () => {
  const roux = await openRoux(world())
  const other = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(`<iframe src="${roux.url}"></iframe>`)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await new Promise((resolve) => other.once('listening', resolve))
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : 0
  const { page } = await openWindow()
  await page.goto(`http://127.0.0.1:${port}/`)
  const read = await page.evaluate(async (url) => {
    const tries = [`${url}web/page.js`, `${url}web/picture`, url].map((one) =>
      fetch(one).then(
        (r) => r.text(),
        () => 'refused',
      ),
    )
    return Promise.all(tries)
  }, roux.url)
  // Another page may read why it is refused, but nothing else.
  expect(read.filter((text) => text !== 'refused' && !text.startsWith('{"error":{"message":"'))).toEqual([])
  await page.waitForTimeout(300)
  const [, frame] = page.frames()
  expect(await frame?.evaluate(() => document.querySelector('#page') === null).catch(() => true)).toBe(true)
})

test('the server sends the documented policy', async () => {
  const roux = await openRoux(world())
  const names = ['content-security-policy', 'cross-origin-resource-policy', 'cross-origin-opener-policy', 'referrer-policy']
  const wanted = [...names, 'x-content-type-options', 'access-control-allow-origin', 'set-cookie', 'cache-control']
  const { headers } = await fetch(roux.url)
  expect(wanted.map((name) => `${name}: ${headers.get(name)}`).join('\n')).toMatchInlineSnapshot(`
    "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types roux
    cross-origin-resource-policy: same-origin
    cross-origin-opener-policy: same-origin
    referrer-policy: no-referrer
    x-content-type-options: nosniff
    access-control-allow-origin: null
    set-cookie: null
    cache-control: no-store"
  `)
})
