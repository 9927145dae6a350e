// A server under test: runs a map's command and uses the map's tool names.
import { Client, within } from '../client.mjs'

const PATIENCE = 120_000

/** Starts the server. `fill` has the values of placeholders in commands: `$vault`, `$program`. */
export async function startServer(map, { command, fill, env }) {
  const [program, ...args] = fillIn(command ?? map.command, fill)
  const client = new Client(
    program.endsWith('.js') ? process.execPath : program,
    program.endsWith('.js') ? [program, ...args] : args,
    env,
  )
  await client.initialize()
  return new Server(client, map, fill)
}

/** Replaces placeholders (`"$name"`) in a template, in keys too. A value that fills a whole string keeps its type. */
function fillIn(template, values) {
  if (typeof template === 'string') {
    if (template.startsWith('$') && template.slice(1) in values) return values[template.slice(1)]
    return template.replace(/\$(\w+)/g, (name, key) => (key in values ? String(values[key]) : name))
  }
  if (Array.isArray(template)) return template.map((item) => fillIn(item, values))
  if (template === null || typeof template !== 'object') return template
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [fillIn(key, values), fillIn(value, values)]))
}

class Server {
  #client
  #map
  #fill

  constructor(client, map, fill) {
    this.#client = client
    this.#map = map
    this.#fill = fill
  }

  offers(step) {
    return this.#map[step] !== undefined
  }

  /** @returns `{refused}` with the reason, or `{answer}` with the JSON or text of the answer */
  async call(step, values) {
    const { tool, arguments: template } = this.#map[step]
    const request = this.#client.request('tools/call', { name: tool, arguments: fillIn(template, { ...this.#fill, ...values }) })
    const { message } = await within(PATIENCE, request, `${tool} did not answer`)
    const text = message.error?.message ?? message.result.content?.[0]?.text ?? ''
    const answer = parsed(text)
    if (message.error === undefined && message.result.isError !== true) return { answer }
    return { refused: answer?.error?.code ?? String(text).slice(0, 60), detail: text }
  }

  /** The full text as the reading tool returns it, joined from its parts. */
  async read(path) {
    const { text: field, next, cut = '' } = this.#map.read
    let whole = ''
    for (let offset = 0; ; ) {
      const { answer, refused } = await this.call('read', { path, offset })
      if (refused !== undefined) return { refused }
      const part = field === undefined ? answer : answer?.[field]
      if (typeof part !== 'string') return { refused: 'not found' }
      offset = next === undefined ? undefined : answer[next]
      if (offset === undefined) return { text: whole + part }
      whole += part.slice(0, part.length - cut.length)
    }
  }

  async close() {
    await this.#client.close()
  }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
