// Sends random writes to one server. Each leaves a unique token in every note that it touches.
import { basename } from 'node:path'
import { Client } from '../client.mjs'
import { notePaths } from './examine.mjs'

const PATIENCE = 60_000
/** Errors that can be caused by the other server or by the human. On a slow disk, the other server may hold the lock for too long. */
const EXPECTED = ['CONFLICT', 'NODE_NOT_FOUND', 'NODE_EXISTS', 'EDIT_MISMATCH', 'TIMEOUT']

export class Writer {
  /** Tokens that must be in the vault, with the number of notes that contain them. */
  accepted = []
  /** Number of refused calls by code. */
  refused = {}
  /** Unexpected answers. */
  wrong = []
  #count = 0

  constructor(name, vault, { program, env }) {
    this.name = name
    this.vault = vault
    this.client = new Client(process.execPath, [program, 'serve', vault, '--write', '--set', 'write.keep_mb=10000'], env)
  }

  /** Writes until `more()` returns false. */
  async work(more) {
    while (more()) await this.#one()
  }

  async #one() {
    const token = `${this.name}-${this.#count++}`
    const chance = Math.random()
    const [note, second, third] = this.#notes()
    if (chance < 0.5) await this.#write(token, 'update_node', append(note, token))
    else if (chance < 0.7) await this.#readThenWrite(token, note)
    else if (chance < 0.8)
      await this.#write(token, 'apply_changes', { operations: [note, second, third].map((id) => operation(id, token)) })
    else if (chance < 0.87) await this.#replace(token)
    else if (chance < 0.94)
      await this.#ask('move_node', { id: note, to: note.startsWith('moved/') ? basename(note) : `moved/${note}` })
    else await this.#deleteAndRestore(note)
  }

  async #write(token, tool, args) {
    const answer = await this.#ask(tool, args)
    if (answer !== undefined) this.accepted.push({ token, id: args.id, copies: args.operations?.length ?? 1 })
  }

  /** A careful client first reads a note and then sends its hash. */
  async #readThenWrite(token, id) {
    const note = await this.#ask('get_node', { id })
    if (note?.hash !== undefined) await this.#write(token, 'update_node', { ...append(id, token), expected_hash: note.hash })
  }

  /** Records a line that this server wrote. */
  async #replace(token) {
    const earlier = this.accepted.findLast(({ id }) => id !== undefined)
    const id = earlier?.id ?? this.#notes()[0]
    const find = earlier?.token ?? 'no such token'
    const answer = await this.#ask('update_node', { id, replace_text: { find: `${find} end`, replace: `${find} ${token} end` } })
    if (answer !== undefined) this.accepted.push({ token, copies: 1 })
  }

  async #deleteAndRestore(id) {
    const answer = await this.#ask('delete_node', { id })
    if (answer?.deleted === true) await this.#ask('restore_node', { id })
  }

  /** @returns the answer, or `undefined` if the call was refused */
  async #ask(name, args) {
    let timer
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${this.name}: ${name} did not answer in ${PATIENCE / 1000} s`)), PATIENCE)
    })
    const { message } = await Promise.race([this.client.request('tools/call', { name, arguments: args }), late])
    clearTimeout(timer)
    const text = message.error?.message ?? message.result.content[0].text
    if (message.error === undefined && message.result.isError !== true) return JSON.parse(text) ?? undefined
    const code = /"code":"(\w+)"/.exec(text)?.[1]
    if (!EXPECTED.includes(code)) this.wrong.push(`${name} ${JSON.stringify(args)}: ${text}`)
    this.refused[code] = (this.refused[code] ?? 0) + 1
    return undefined
  }

  /** Three different notes from the folder's current listing. */
  #notes() {
    const notes = notePaths(this.vault)
    const start = Math.floor(Math.random() * notes.length)
    return [0, 1, 2].map((step) => notes[(start + step * 7) % notes.length])
  }
}

function append(id, token) {
  return { id, append: `- ${token} end` }
}

function operation(id, token) {
  return { tool: 'update_node', arguments: append(id, token) }
}
