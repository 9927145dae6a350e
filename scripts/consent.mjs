// Does what a person does to connect a program: runs "roux connect", fills in the page that opens, and follows the browser back.
import { createServer } from 'node:net'

/** Returns a port of this computer that is free. */
export async function freePort() {
  const listener = createServer()
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const { port } = listener.address()
  await new Promise((resolve) => listener.close(resolve))
  return port
}

/**
 * Opens the consent page at `address`, allows all that it offers with the code of `roux connect`, and opens the address to which the
 * page returns. Returns the text of the consent page, and the address without its query.
 */
export async function consent(address, code) {
  const page = await (await fetch(address)).text()
  const form = new URLSearchParams({ code, decision: 'allow' })
  for (const [, name, value] of page.matchAll(/<input [^>]*?name="(request|scope|vault)" value="([^"]*)"/g))
    form.append(
      name,
      value.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(number)),
    )
  const headers = { Origin: new URL(address).origin, 'Sec-Fetch-Site': 'same-origin' }
  const sent = await fetch(new URL('/authorize', address), { method: 'POST', body: form, headers, redirect: 'manual' })
  const location = sent.headers.get('location')
  if (location === null) throw new Error(`The page answered ${sent.status}: ${await sent.text()}`)
  await (await fetch(location)).text()
  return { page, returnedTo: location.split('?')[0] }
}
