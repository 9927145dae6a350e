import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, type Json, PublicServer, proof } from '../../oauth/support.ts'
import { barriersOf } from './barriers.ts'
import { openWindow } from './support.ts'

for (const dark of [false, true]) {
  test(`on a ${dark ? 'dark' : 'light'} phone a person types the code and returns to the program, without a trace of the page`, async () => {
    const port = await freePort()
    const server = await PublicServer.start({ port, vaults: ['notes', 'diary'] })
    const origin = `http://127.0.0.1:${port}`
    const asked: Json[] = []
    // The server has another host name, so the policies of the page and of the browser apply as they do to a program elsewhere.
    const program = createServer(({ url, headers }, response) => {
      asked.push({ url, referer: headers.referer })
      response.end('connected')
    }).listen(0, '127.0.0.1')
    await once(program, 'listening')
    onTestFinished(() => void program.close().closeAllConnections())
    const { port: at } = program.address() as { port: number }
    const callback = `http://localhost:${at}/callback`
    const { json } = await server.register([callback], 'A program')
    const code = server.connect(['read', 'write'])
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: json.client_id,
      redirect_uri: callback,
      code_challenge: proof().challenge,
      code_challenge_method: 'S256',
      state: 'the state',
    })
    const { page, errors } = await openWindow({ width: 360, height: 780, dark })
    await page.goto(`${origin}/authorize?${query}`)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    // The page's style is the one that its policy names.
    expect(await page.evaluate(() => [getComputedStyle(document.body).margin, window.refusals])).toEqual(['0px', []])
    expect(await barriersOf(page)).toEqual([])
    await page.uncheck('input[value="diary"]')
    await page.fill('#code', 'AAAA-AAAA')
    await page.click('text=Allow')
    await page.waitForSelector('[role=alert]:has-text("9 tries left")')
    expect(await page.isChecked('input[value="diary"]')).toBe(false)
    await page.fill('#code', code.toLowerCase())
    await page.keyboard.press('Enter')
    await page.waitForURL(`${callback}?**`)
    const [first] = asked
    const given = new URL(first.url, callback).searchParams
    expect([given.get('iss'), given.get('state'), first.referer]).toEqual([origin, 'the state', undefined])
    expect(given.get('code')).toMatch(/^rouxc_/)
    expect(errors).toEqual([])
  })
}
