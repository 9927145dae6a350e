import { expect, test } from 'vitest'
import { ORIGIN, PublicServer } from './support.ts'

const NOTE = { folder: 'notes', path: 'Soil/Worms.md', title: 'Worms' }

test('a source of an answer leads to a page with its title, its path and a link to the application', async () => {
  const server = await PublicServer.start()
  const address = server.side.addressOf(NOTE)
  expect(address.startsWith(`${ORIGIN}/open?note=`)).toBe(true)
  const { status, text, headers } = await server.ask(address)
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-store'])
  expect(text).toContain('<h1><bdi>Worms</bdi></h1>')
  expect(text).toContain('<bdi>notes/Soil/Worms.md</bdi>')
  expect(text).toContain('href="obsidian://open?vault=notes&#38;file=Soil%2FWorms.md"')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect([headers['referrer-policy'], headers['x-frame-options'], /<script/i.test(text)]).toEqual(['no-referrer', 'DENY', false])
})

test('the address of a note outlasts the server, and is valid for this server only', async () => {
  const server = await PublicServer.start()
  const address = server.side.addressOf(NOTE)
  await server.restart()
  expect((await server.ask(address)).status).toBe(200)
  const other = await PublicServer.start()
  expect((await other.ask(address)).status).toBe(404)
})

test.each([
  ['HTML', '</h1><script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['quotes', `"><a href="javascript:alert(1)">`],
  ['the end of a link', `x" onclick="alert(1)`],
  ['a script address', 'javascript:alert(1)'],
  ['another command', 'x&command=delete#y?z=1'],
  ['line breaks', 'x\r\nSet-Cookie: a=b\r\n\r\n<html>'],
  ['text from right to left', 'Worms \u202egpj.exe'],
  ['half a character', 'x\ud800'],
])('%s in a name is text', async (_, name) => {
  const server = await PublicServer.start()
  const { status, text, headers } = await server.ask(server.side.addressOf({ folder: name, path: name, title: name }))
  expect([status, headers['set-cookie'], headers.location]).toEqual([200, undefined, undefined])
  const tags = [...text.matchAll(/<(\/?[a-z]\w*)/gi)].map(([, tag]) => tag)
  expect(tags.join(' ')).toBe(
    'html head meta meta meta title /title style /style /head body main h1 bdi /bdi /h1 p bdi /bdi /p p a /a /p /main /body /html',
  )
  const [link = ''] = [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&#38;', '&'))
  const { protocol, searchParams } = new URL(link)
  expect([protocol, ...searchParams.keys()]).toEqual(['obsidian:', 'vault', 'file'])
  expect(searchParams.get('file')).toBe(name.toWellFormed())
})

test.each([
  ['nothing', ''],
  ['names without a signature', '?folder=notes&path=Home.md&title=x'],
  ['a made-up signature', `?note=${Buffer.from('["notes","Home.md","x"]').toString('base64url')}.AAAA`],
  ['a note twice', '?note=a&note=b'],
  ['a script', '?note=javascript:alert(1)'],
  ['a header', '?note=x%0d%0aSet-Cookie:%20a=b'],
])('an address with %s shows nothing of the vault or of itself', async (_, query) => {
  const server = await PublicServer.start()
  const { status, text, headers } = await server.ask(`/open${query}`)
  expect([status, headers['set-cookie']]).toEqual([404, undefined])
  expect(text).toContain('<h1>This link was not made by this server</h1>')
  expect(text).not.toMatch(/Home|alert|href/)
})

test('a value that the server signed for another purpose is not accepted as a note', async () => {
  const server = await PublicServer.start()
  const { json } = await server.register()
  expect((await server.ask(`/open?note=${json.client_id}`)).status).toBe(404)
})

test('the page exists only at the public address, and allows no other method', async () => {
  const server = await PublicServer.start()
  const address = server.side.addressOf(NOTE)
  expect((await server.ask(address, { headers: { Host: 'localhost' } })).status).toBe(404)
  expect((await server.ask(address, { method: 'POST' })).status).toBe(405)
})
