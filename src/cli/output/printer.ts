import { once } from 'node:events'
import type { Warning } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { type Host, type Out, UsageError } from '../host.ts'
import { type Look, printable, printableText, type Style, wrapSentence } from './text.ts'

/** Matches are red, as in `grep`, because red is readable on light and dark backgrounds. */
const CODES: Readonly<Record<Style, string>> = {
  bold: '1',
  faint: '2',
  red: '31',
  green: '32',
  yellow: '33',
  cyan: '36',
  mark: '1;31',
}

export type RenderAnswer = (value: unknown, look: Look) => string | undefined

export interface AnswerOptions {
  readonly warnings?: readonly Warning[]
  readonly question?: string | undefined
  readonly render?: RenderAnswer | undefined
}

/** Writes answers to stdout and all other output to stderr. */
export class Printer {
  readonly #host: Host
  /** If true, output is JSON. The default is true if stdout is not a terminal. */
  readonly json: boolean

  constructor(host: Host, json: boolean) {
    this.#host = host
    this.json = json || host.stdout.isTTY !== true
  }

  get stderr(): Out {
    return this.#host.stderr
  }

  async answer(value: unknown, { warnings = [], question, render }: AnswerOptions = {}): Promise<void> {
    for (const { message } of warnings) this.warn(message)
    if (this.json) return await this.text(`${JSON.stringify(value)}\n`)
    const { stdout } = this.#host
    // The module is imported on demand to keep server startup fast.
    const { renderForPeople } = await import('./render.ts')
    const look = { width: stdout.columns || undefined, paint: (style: Style, text: string) => this.paint(style, text, stdout) }
    await this.text(render?.(value, look) ?? renderForPeople(value, { ...look, question }))
  }

  async text(text: string): Promise<void> {
    await write(this.#host.stdout, text)
  }

  warn(message: string): void {
    this.note(this.#wrapped(`${this.paint('yellow', 'warning:')} ${printable(message)}`))
  }

  note(line: string): void {
    this.#host.stderr.write(`${line}\n`)
  }

  error(error: unknown): void {
    const { message, hint, candidates = [], stack } = explain(error)
    const text = `${this.paint('red', 'error:')} ${printableText(message)}`
    // A query error has extra lines that point at the error.
    this.note(text.includes('\n') ? text.replaceAll('\n', '\n  ') : this.#wrapped(text))
    if (hint !== undefined) this.note(`  ${this.#wrapped(printable(hint))}`)
    for (const candidate of candidates.slice(0, CANDIDATES)) this.note(`  ${printable(candidate)}`)
    if (candidates.length > CANDIDATES) this.note(`  and ${candidates.length - CANDIDATES} more`)
    if (stack !== undefined) this.note(stack)
  }

  #wrapped(text: string): string {
    const { isTTY, columns } = this.#host.stderr
    return wrapSentence(text, isTTY === true ? columns : undefined, '  ')
  }

  paint(style: Style, text: string, stream: Out = this.#host.stderr): string {
    const { NO_COLOR, TERM } = this.#host.env
    const plain = stream.isTTY !== true || (NO_COLOR ?? '') !== '' || TERM === 'dumb'
    return plain ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`
  }
}

export async function write(stream: Out, text: string): Promise<void> {
  if (text !== '' && !stream.write(text)) await once(stream, 'drain')
}

const CANDIDATES = 20

function explain(error: unknown): {
  readonly message: string
  readonly hint?: string | undefined
  readonly candidates?: readonly string[]
  readonly stack?: string | undefined
} {
  if (error instanceof UsageError)
    return error.hint === undefined ? { message: error.message } : { message: error.message, hint: error.hint }
  if (error instanceof RouxError) {
    const { message, hint } = error
    const fullText = `${message} ${hint ?? ''}`
    const candidates = (error.candidates ?? []).map(describeCandidate).filter((candidate) => !fullText.includes(candidate))
    return { message, hint, candidates }
  }
  const stack = error instanceof Error ? error.stack : String(error)
  return { message: 'Internal error: a bug in Roux.', hint: 'Please report it with the lines below.', stack }
}

/** Describes a heading as `--section` accepts it, or a change with its id. */
function describeCandidate(candidate: unknown): string {
  if (typeof candidate === 'string') return candidate
  const { line, path, id, title } = isRecord(candidate) ? candidate : {}
  if (typeof id === 'string' && typeof title === 'string') return `${id}  ${title}`
  if (typeof line !== 'number') return JSON.stringify(candidate)
  return Array.isArray(path) ? `line ${line}: ${path.join('#')}` : `line ${line}`
}
