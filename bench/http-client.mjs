// Runs a server over HTTP for the benchmarks, as its clients see it.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'

/** Starts `serve --http` and waits for its address. `errors` collects what it prints after that. */
export async function serveHttp({ program, vault, env, node = [], args = [] }) {
  const all = { ...process.env, ...env }
  const server = spawn(process.execPath, [...node, program, 'serve', vault, '--http', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: all,
  })
  const url = await listening(server)
  const { stdout } = spawnSync(process.execPath, [program, 'token', 'show'], { env: all, encoding: 'utf8' })
  const serving = { process: server, url, token: stdout.trim(), errors: '' }
  server.stderr.on('data', (chunk) => {
    serving.errors += chunk
  })
  return serving
}

async function listening(server) {
  let told = ''
  for await (const chunk of server.stderr.iterator({ destroyOnReturn: false })) {
    told += chunk
    const found = /http:\/\/\S+\/mcp/.exec(told)
    if (found) return found[0]
  }
  throw new Error(`the server ended: ${told}`)
}

/** A client with one connection that posts each request; `head`: further headers, such as those of a session. */
export function httpClient({ url, token }, head = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    ...head,
  }
  const post = async (method, params) => {
    const asked = request(url, { agent, method: 'POST', headers })
    asked.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const [response] = await once(asked, 'response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    // A call that takes long is answered as a stream of events, the last of which is the answer.
    return { headers: response.headers, text: text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + 7) }
  }
  return {
    post,
    close: () => agent.destroy(),
    async call(name, args = {}) {
      const sent = performance.now()
      const { text } = await post('tools/call', { name, arguments: args })
      const ms = performance.now() - sent
      const { error, result } = JSON.parse(text)
      if (error || result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`)
      return { value: JSON.parse(result.content[0].text), warnings: result.structuredContent._warnings ?? [], ms }
    },
  }
}

/** Opens a session with a stream of events and returns its client. `close` drops both without notice, like a lost connection. */
export async function httpSession(server) {
  const opening = httpClient(server)
  const clientInfo = { name: 'bench', version: '1' }
  const { headers } = await opening.post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  opening.close()
  const head = { 'Mcp-Session-Id': headers['mcp-session-id'], 'MCP-Protocol-Version': '2025-11-25' }
  const client = httpClient(server, head)
  const stream = request(server.url, {
    headers: { ...head, Authorization: `Bearer ${server.token}`, Accept: 'text/event-stream' },
  })
  stream.on('response', (response) => response.on('error', () => {}).resume())
  stream.on('error', () => {}).end()
  return {
    ...client,
    close() {
      stream.destroy()
      client.close()
    },
  }
}
