// Talks to a server over stdio with the official client and counts what each answer costs.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
const STILL = new Set(['INDEX_BUILDING', 'EMBEDDING', 'STALE'])

/** The only error after which a caller can continue, because its answer lists the notes that the name may mean. */
const AMBIGUOUS = 'AMBIGUOUS_NAME'

class ToolError extends Error {}

/** Thrown when a tool answers with an error, which counts as a wrong answer. All other errors are the benchmark's own. */
export function failureOf(error) {
  if (error instanceof ToolError) return { given: [], failed: [error.message] }
  throw error
}

/**
 * Tokens of a text as answers.md counts them: UTF-8 bytes
 * 4, not rounded.
 */
export function tokensOf(text) {
  return Buffer.byteLength(text) / 4
}

/**
 * Starts the program on a vault, with its files in `scratch`; `write` enables the write tools. @returns the server once everything is
 * searchable.
 */
export async function openServer({ program, vault, scratch, write = false }) {
  const client = new Client({ name: 'bench-answers', version })
  const environment = { XDG_CACHE_HOME: join(scratch, 'cache'), XDG_STATE_HOME: scratch, XDG_CONFIG_HOME: scratch }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [resolve(program), 'serve', resolve(vault), ...(write ? ['--write'] : [])],
    env: { ...process.env, ROUX_SERVE_SHARED: 'off', ...environment },
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

/** Measures one question: `call` makes a call and counts it, `log` lists all calls, `offers` checks the tools' schemas. */
export function openSession({ client, tools }) {
  const log = []
  const parameter = (tool, name) => tools.get(tool)?.inputSchema.properties?.[name]
  return {
    log,
    parameter,
    /** Whether a tool has a parameter and, if a value is given, accepts it or mentions it in its description. */
    offers(tool, name, value) {
      const schema = parameter(tool, name)
      if (schema === undefined || value === undefined) return schema !== undefined
      const listed = schema.enum ?? schema.items?.enum
      return listed === undefined ? (schema.description ?? '').includes(value) : listed.includes(value)
    },
    async call(tool, args) {
      const result = await client.callTool({ name: tool, arguments: args })
      const texts = result.content.filter(({ type }) => type === 'text').map(({ text }) => text)
      const { error } = result.isError ? JSON.parse(texts[0]) : {}
      const structured = result.structuredContent ?? {}
      const answer = {
        tool,
        args,
        texts,
        tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0),
        value: error === undefined ? JSON.parse(texts[0]) : [],
        error,
        total: structured.total,
        next: structured.next_offset,
        warnings: structured._warnings ?? [],
      }
      log.push(answer)
      if (error !== undefined && error.code !== AMBIGUOUS) throw new ToolError(`${tool} fails: ${error.code} ${error.message}`)
      return answer
    },
  }
}
