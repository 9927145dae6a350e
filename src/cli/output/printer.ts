import { once } from 'node:events'
import type { Warning } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'
import type { Heading } from '../../core/note.ts'
import { type Host, type Out, UsageError } from '../host.ts'
import type { FoundOptions } from './render-found.ts'
import { printable, printableText } from './table.ts'

export type Style = 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'cyan' | 'mark'
/** Found words look as `grep` shows them, which can be read on light and dark grounds. */
const CODES: Readonly<Record<Style, string>> = {
  bold: '1',
  faint: '2',
  red: '31',
  green: '32',
  yellow: '33',
  cyan: '36',
  mark: '1;31',
}

/** Puts a text into a style, where that can be seen. */
export type Paint = (style: Style, text: string) => string

/** An answer as people read it; `undefined` to have it shown as any other. */
export type RenderAnswer = (value: unknown, paint: Paint) => string | undefined

export interface AnswerOptions {
  readonly warnings?: readonly Warning[]
  /** What was asked, to mark its words. */
  readonly question?: string | undefined
  /** In place of tables and facts. */
  readonly render?: RenderAnswer | undefined
}

/** Writes what a command has to say: answers to stdout, everything else to stderr. */
export class Printer {
  readonly #host: Host
  /** Answers as JSON: asked for, or no one looks at them. */
  readonly json: boolean

  constructor(host: Host, json: boolean) {
    this.#host = host
    this.json = json || host.stdout.isTTY !== true
  }

  get stderr(): Out {
    return this.#host.stderr
  }

  /** An answer: compact JSON for programs, tables and passages for people. */
  async answer(value: unknown, { warnings = [], question, render }: AnswerOptions = {}): Promise<void> {
    for (const { message } of warnings) this.warn(message)
    if (this.json) return await this.text(`${JSON.stringify(value)}\n`)
    // What draws tables is loaded only to show one: a server starts without it.
    const { renderForPeople } = await import('./render.ts')
    const special = render?.(value, (style, text) => this.#style(style, text, this.#host.stdout))
    await this.text(special ?? renderForPeople(value, { ...this.#people(), question }))
  }

  /** A text for people that is an answer, e.g. help. */
  async text(text: string): Promise<void> {
    await write(this.#host.stdout, text)
  }

  /** Something a person should know about an answer that is there. */
  warn(message: string): void {
    this.note(`${this.#style('yellow', 'warning:')} ${printable(message)}`)
  }

  /** A line beside the answer. */
  note(line: string): void {
    this.#host.stderr.write(`${line}\n`)
  }

  /** What went wrong in one line, what to do about it in another. */
  error(error: unknown): void {
    const { message, hint, candidates = [], stack } = explain(error)
    // A place in a query is shown on lines of its own.
    this.note(`${this.#style('red', 'error:')} ${printableText(message).replaceAll('\n', '\n  ')}`)
    if (hint !== undefined) this.note(`  ${printable(hint)}`)
    for (const candidate of candidates.slice(0, CANDIDATES)) this.note(`  ${printable(candidate)}`)
    if (candidates.length > CANDIDATES) this.note(`  and ${candidates.length - CANDIDATES} more`)
    if (stack !== undefined) this.note(stack)
  }

  /** A text in a style, as notes show it. */
  paint(style: Style, text: string): string {
    return this.#style(style, text)
  }

  bold(text: string): string {
    return this.#style('bold', text, this.#host.stdout)
  }

  #people(): FoundOptions {
    const { stdout } = this.#host
    return {
      ...(stdout.columns ? { width: stdout.columns } : {}),
      head: (text) => this.bold(text),
      mark: (text) => this.#style('mark', text, stdout),
      faint: (text) => this.#style('faint', text, stdout),
    }
  }

  #style(style: Style, text: string, stream: Out = this.#host.stderr): string {
    const { NO_COLOR, TERM } = this.#host.env
    const plain = stream.isTTY !== true || (NO_COLOR ?? '') !== '' || TERM === 'dumb'
    return plain ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`
  }
}

/** Writes and waits until there is room for more. */
export async function write(stream: Out, text: string): Promise<void> {
  if (text !== '' && !stream.write(text)) await once(stream, 'drain')
}

/** How many things that may have been meant an error names. */
const CANDIDATES = 20

function explain(error: unknown): {
  readonly message: string
  readonly hint?: string | undefined
  /** What may have been meant, where neither message nor hint says so. */
  readonly candidates?: readonly string[]
  readonly stack?: string | undefined
} {
  if (error instanceof UsageError)
    return error.hint === undefined ? { message: error.message } : { message: error.message, hint: error.hint }
  if (error instanceof RouxError) {
    const { message, hint } = error
    const told = `${message} ${hint ?? ''}`
    const candidates = (error.candidates ?? []).map(describeCandidate).filter((candidate) => !told.includes(candidate))
    return { message, hint, candidates }
  }
  const stack = error instanceof Error ? error.stack : String(error)
  return { message: 'Internal error, a mistake in Roux.', hint: 'Please report it with the lines below.', stack }
}

/** An id or a block as it is, a heading with its line. */
function describeCandidate(candidate: unknown): string {
  if (typeof candidate === 'string') return candidate
  return isHeading(candidate)
    ? `line ${candidate.line}: ${'#'.repeat(candidate.level)} ${candidate.text}`
    : JSON.stringify(candidate)
}

function isHeading(candidate: unknown): candidate is Heading {
  return typeof candidate === 'object' && candidate !== null && 'level' in candidate && 'text' in candidate && 'line' in candidate
}
