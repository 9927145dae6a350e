import type { Printer } from '../output/printer.ts'

const EVERY_MS = 100
const STEPS = 4

/** Tells on stderr how far something is: in a terminal one line that changes, elsewhere a line each quarter. */
export class Counter {
  readonly #printer: Printer
  readonly #what: string
  #done = 0
  #shown = 0
  #step = 0

  constructor(printer: Printer, what: string) {
    this.#printer = printer
    this.#what = what
  }

  /** One more. */
  add(total: number): void {
    this.set(this.#done + 1, total)
  }

  set(done: number, total: number): void {
    this.#done = done
    if (total === 0) return
    const line = `${this.#what}: ${done} of ${total}`
    if (this.#printer.stderr.isTTY === true) this.#redraw(line)
    else if (Math.floor((STEPS * done) / total) > this.#step) {
      this.#step = Math.floor((STEPS * done) / total)
      this.#printer.note(line)
    }
  }

  /** Takes the line away. */
  end(): void {
    if (this.#shown > 0) this.#printer.stderr.write('\r\u001b[K')
    this.#shown = 0
  }

  #redraw(line: string): void {
    const now = performance.now()
    if (now - this.#shown < EVERY_MS) return
    this.#shown = now
    this.#printer.stderr.write(`\r\u001b[K${line}`)
  }
}
