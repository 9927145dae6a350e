// A server that is asked by the official client over stdio; what each answer costs is counted.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
const STILL = new Set(['INDEX_BUILDING', 'EMBEDDING', 'STALE'])

/** Tokens of a text as answers.md counts them: UTF-8 bytes / 4, not rounded. */
export function tokensOf(text) {
  return Buffer.byteLength(text) / 4
}

/** Starts the program on a vault, its files in the folder `scratch`; `write`: with the tools that write. @returns it when everything is found. */
export async function openServer({ program, vault, scratch, write = false }) {
  const client = new Client({ name: 'bench-answers', version })
  const environment = { XDG_CACHE_HOME: join(scratch, 'cache'), XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [resolve(program), 'serve', resolve(vault), ...(write ? ['--write'] : [])],
    env: { ...process.env, ...environment },
    cwd: scratch,
    stderr: 'ignore',
  })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const server = { client, tools: new Map(tools.map((tool) => [tool.name, tool])) }
  for (;;) {
    const { warnings } = await openSession(server).call('search', { query: 'anything', limit: 1 })
    if (!warnings.some(({ code }) => STILL.has(code))) return server
    await new Promise((done) => setTimeout(done, 200))
  }
}

/** What one question costs: `call` makes a call and counts it, `log` is every call made, `offers` asks the tools' schemas. */
export function openSession({ client, tools }) {
  const log = []
  const parameter = (tool, name) => tools.get(tool)?.inputSchema.properties?.[name]
  return {
    log,
    parameter,
    /** Whether a tool has a parameter and, where a value is given, names it among those it takes or in its description. */
    offers(tool, name, value) {
      const schema = parameter(tool, name)
      if (schema === undefined || value === undefined) return schema !== undefined
      const listed = schema.enum ?? schema.items?.enum
      return listed === undefined ? (schema.description ?? '').includes(value) : listed.includes(value)
    },
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args })
      const texts = result.content.filter(({ type }) => type === 'text').map(({ text }) => text)
      if (result.isError) throw new Error(`${tool} ${JSON.stringify(args)}: ${texts.join(' ')}`)
      const structured = result.structuredContent ?? {}
      const answer = {
        tool,
        args,
        texts,
        tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0),
        value: JSON.parse(texts[0]),
        total: structured.total,
        next: structured.next_offset,
        warnings: structured._warnings ?? [],
      }
      log.push(answer)
      return answer
    },
  }
}
