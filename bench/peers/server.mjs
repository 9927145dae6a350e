import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, within } from '../client.mjs'

/** Milliseconds to prepare a vault, to start, and to answer. */
const LIMIT = { prepare: 240_000, answer: 60_000 }

/** Replaces `{name}` in every text of a value. */
export function fill(value, words) {
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (all, name) => words[name] ?? all)
  if (Array.isArray(value)) return value.map((one) => fill(one, words))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, words)]))
}

/** A server with its own copy of a vault and its own home folder. */
export class World {
  constructor(server, vault, places) {
    this.server = server
    this.root = mkdtempSync(join(tmpdir(), 'peers-'))
    this.vault = join(this.root, 'vault')
    this.home = join(this.root, 'home')
    cpSync(vault, this.vault, { recursive: true, verbatimSymlinks: true })
    if (server.folder !== undefined) mkdirSync(join(this.vault, server.folder), { recursive: true })
    mkdirSync(this.home)
    this.places = { ...places, vault: this.vault, home: this.home }
    const folders = Object.fromEntries(['CACHE', 'STATE', 'CONFIG', 'DATA'].map((name) => [`XDG_${name}_HOME`, this.home]))
    this.env = { ...folders, HOME: this.home, ROUX_SERVE_SHARED: 'off', ...fill(server.env ?? {}, this.places) }
    this.before = hashes(this.vault)
  }

  /** Builds what the server needs before its first start. Returns the time in milliseconds, or an error message. */
  prepare() {
    const started = performance.now()
    for (const words of this.server.prepare ?? []) {
      const fault = this.run(words)
      if (fault !== undefined) return fault
    }
    return performance.now() - started
  }

  /** Runs a command of the server. Returns an error message if it fails. */
  run(words) {
    const [command, ...args] = fill(words, this.places)
    const env = { ...process.env, ...this.env }
    const { status, error } = spawnSync(command, args, {
      env,
      cwd: this.vault,
      stdio: 'ignore',
      timeout: LIMIT.prepare,
      killSignal: 'SIGKILL',
    })
    if (error !== undefined) return `not within ${LIMIT.prepare / 1000} s`
    return status === 0 ? undefined : `exit code ${status}`
  }

  start() {
    const [command, ...args] = fill(this.server.start, this.places)
    return new Asked(new Client(command, args, this.env, this.vault), this)
  }

  /**
   * Returns how many files the server has changed, added or removed without being asked to. `edited` is the number of files
   * changed by the benchmark.
   */
  touched(edited = 0) {
    const after = hashes(this.vault)
    return (
      [...new Set([...this.before.keys(), ...after.keys()])].filter((path) => this.before.get(path) !== after.get(path)).length -
      edited
    )
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 3 })
  }
}

function hashes(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name))
  return new Map(paths.map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]))
}

/** A running server that is asked the same questions as the others. */
class Asked {
  constructor(client, { server }) {
    this.client = client
    this.server = server
  }

  initialize() {
    return within(LIMIT.answer * 2, this.client.initialize(), 'no answer')
  }

  /** Asks a question (`search`, `read`, `backlinks`) about a note. Returns the text a model would read, and the value in it. */
  async ask(question, { path = '', query = '' }) {
    const { tool, args } = this.server[question]
    const words = { path, query, key: path.replace(/\.md$/, '') }
    const asked = this.client.request('tools/call', { name: tool, arguments: fill(args, words) })
    const { message, arrived } = await within(LIMIT.answer, asked, 'no answer')
    const content = message.result?.content ?? []
    const text = content.map((one) => one.text ?? one.resource?.text ?? '').join('\n')
    const isError = message.error !== undefined || message.result.isError === true
    return { text, first: content[0]?.text ?? '', isError, arrived }
  }

  async tools() {
    return (await within(LIMIT.answer, this.client.request('tools/list', {}), 'no answer')).message.result.tools
  }

  /** The notes that link to a note, or `undefined` if the answer is an error. */
  async backlinks(path) {
    const { first, isError } = await this.ask('backlinks', { path })
    if (isError) return undefined
    const { list, take, where = {} } = this.server.backlinks
    const items = pick(JSON.parse(first), list).filter((item) =>
      Object.entries(where).every(([key, value]) => item[key] === value),
    )
    return new Set(items.map((item) => foldPath(item[take])).filter((one) => one !== foldPath(path)))
  }

  async close() {
    this.client.process.stdin.end()
    const gone = setTimeout(() => this.client.process.kill('SIGKILL'), 5_000)
    await this.client.exited
    clearTimeout(gone)
  }
}

/** Returns the values at a path such as `results.*.links`. A list counts as its elements. */
function pick(value, path) {
  const steps = path.split('.').filter((step) => step !== '' && step !== '*')
  return steps.reduce((all, step) => all.flatMap((one) => one?.[step] ?? []), [value].flat())
}

export function foldPath(path) {
  return String(path).normalize('NFC').toLowerCase().replace(/\.md$/, '')
}

/** Checks whether an answer names a note, by its path or by the form that some servers make of it. */
export function names(text, path) {
  const [answer, wanted] = [foldPath(text), foldPath(path)]
  return answer.includes(wanted) || answer.includes(wanted.replace(/[^\p{L}\p{N}/]+/gu, '-'))
}
