// A minimal client, so that the benchmark measures the server, from outside, over its pipes.
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
}

/** Starts a program that speaks MCP over stdio. `started` is the time before the spawn. */
export class Client {
  #pending = new Map()
  #rest = []
  #id = 0

  /** The program runs in a temporary folder, because the repository has a settings file with every default. */
  constructor(command, args, env = {}, cwd = tmpdir()) {
    this.started = performance.now()
    this.process = spawn(command, args, {
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ROUX_SERVE_SHARED: 'off', ...env },
    })
    this.errors = ''
    this.process.stderr.on('data', (chunk) => {
      this.errors += chunk
    })
    this.process.stdout.on('data', (chunk) => this.#receive(chunk))
    this.exited = new Promise((resolve) => this.process.on('exit', resolve))
  }

  #receive(chunk) {
    let from = 0
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#rest.push(chunk.subarray(from, at))
      const line = Buffer.concat(this.#rest)
      this.#rest = []
      from = at + 1
      const arrived = performance.now()
      const message = JSON.parse(line)
      this.#pending.get(message.id)?.({ message, arrived, bytes: line.length })
      this.#pending.delete(message.id)
    }
    if (from < chunk.length) this.#rest.push(chunk.subarray(from))
  }

  send(method, params) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method, params })}\n`)
  }

  request(method, params) {
    const id = ++this.#id
    const answer = new Promise((resolve) => this.#pending.set(id, resolve))
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    return answer
  }

  /** @returns milliseconds from the process start to the answer */
  async initialize() {
    const { arrived } = await this.request('initialize', INITIALIZE)
    this.send('notifications/initialized', {})
    return arrived - this.started
  }

  async call(name, args = {}) {
    const sent = performance.now()
    const { message, arrived, bytes } = await this.request('tools/call', { name, arguments: args })
    if (message.error || message.result.isError)
      throw new Error(`${name}: ${JSON.stringify(message.error ?? message.result.content)}`)
    return {
      value: JSON.parse(message.result.content[0].text),
      warnings: message.result.structuredContent._warnings ?? [],
      ms: arrived - sent,
      arrived,
      bytes,
    }
  }

  /** Peak resident memory in MB, on Linux; NaN elsewhere. */
  peak() {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.process.pid}/status`, 'utf8'))[1]) / 1024
    } catch {
      return Number.NaN
    }
  }

  async close() {
    this.process.stdin.end()
    await this.exited
  }
}

/** Returns the progress of indexing. @throws if it stopped, with what the server printed, for example that memory ran short */
export async function statusOf(client) {
  const { message } = await client.request('resources/read', { uri: 'roux://system-info' })
  const { index } = JSON.parse(message.result.contents[0].text).vault
  if (index.phase === 'failed' || index.search?.isStopped) throw new Error(`indexing stopped: ${client.errors.slice(-300)}`)
  return index
}

export function isDone(progress) {
  return progress !== undefined && progress.done >= progress.total
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

export const median = (values) => quantile(values, 0.5)

/** Returns the milliseconds that Node needs to start and end. */
export function bareNode() {
  const started = performance.now()
  const { status } = spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  if (status !== 0) throw new Error('node -e 0 failed')
  return performance.now() - started
}

/** Rejects with the message if the promise takes longer than this many milliseconds. */
export function within(ms, promise, message) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${message} within ${ms / 1000} s`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
