import type { Indexing, IndexStatus } from '../../core/indexing.ts'
import type { Progress } from '../../core/search.ts'
import type { Printer } from './printer.ts'
import { bytesText, cutToWidth, durationText } from './text.ts'

const SILENT_MS = 400
const EVERY_MS = 100

interface Step extends Progress {
  readonly stage: 'files' | 'words' | 'vectors' | 'download' | 'queries'
  readonly text: string
}

/** A progress line that is updated in place on a terminal. Other streams get a line per 10 percent, but only with `always`. */
export class ProgressLine {
  readonly #printer: Printer
  readonly #isAlwaysShown: boolean
  readonly #startedAt = performance.now()
  #shownAt = 0
  #last: { readonly stage: Step['stage']; readonly tenth: number } | undefined
  #hasReportedDownload = false

  constructor(printer: Printer, { always = false } = {}) {
    this.#printer = printer
    this.#isAlwaysShown = always
  }

  follow(indexing: Indexing): () => void {
    const stop = indexing.onStatus((status) => this.show(stepOf(status)))
    return () => {
      stop()
      this.clear()
    }
  }

  download({ loaded, total }: { readonly loaded: number; readonly total?: number }): void {
    if (!this.#hasReportedDownload) {
      this.#hasReportedDownload = true
      this.clear()
      this.#printer.note(`Downloading the model${total === undefined ? '' : `, ${bytesText(total)}`}, from the Hugging Face hub.`)
    }
    const text = `Downloading the model: ${bytesText(loaded)}${total === undefined ? '' : ` of ${bytesText(total)}`}`
    this.show({ stage: 'download', done: loaded, total: total ?? 0, text })
  }

  show(step: Step | undefined): void {
    if (step === undefined) this.clear()
    else if (this.#printer.stderr.isTTY === true) this.#showLine(step)
    else if (this.#isAlwaysShown) this.#showTenth(step)
  }

  #showLine({ text }: Step): void {
    const now = performance.now()
    if (now - this.#startedAt < (this.#isAlwaysShown ? 0 : SILENT_MS) || now - this.#shownAt < EVERY_MS) return
    this.#shownAt = now
    const { columns } = this.#printer.stderr
    this.#printer.stderr.write(`\r\u001b[K${columns ? cutToWidth(text, columns - 1) : text}`)
  }

  #showTenth({ stage, done, total, text }: Step): void {
    const tenth = total === 0 ? 0 : Math.floor((done * 10) / total)
    if (this.#last?.stage === stage && tenth <= this.#last.tenth) return
    this.#last = { stage, tenth }
    this.#printer.note(text)
  }

  clear(): void {
    if (this.#shownAt > 0) this.#printer.stderr.write('\r\u001b[K')
    this.#shownAt = 0
  }
}

function stepOf({ phase, done, total, search }: IndexStatus): Step | undefined {
  if (phase === 'building' || phase === 'verifying') {
    if (total === 0) return undefined
    return { stage: 'files', done, total, text: `${phase === 'building' ? 'Reading' : 'Comparing'} ${done} of ${total} files` }
  }
  if (search === undefined) return undefined
  const { words, vectors } = search
  if (words.done < words.total)
    return { stage: 'words', ...words, text: `Indexing the words of ${words.done} of ${words.total} notes` }
  // The number of notes is unknown until the embedder is open.
  if (vectors?.embedder === undefined || vectors.done >= vectors.total) return undefined
  const time = vectors.remaining === undefined ? '' : `, ${durationText(vectors.remaining)} left`
  return { stage: 'vectors', ...vectors, text: `Embedding ${vectors.done} of ${vectors.total} notes${time}` }
}
