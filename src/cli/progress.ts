import type { Indexing, IndexStatus } from '../core/indexing.ts'
import type { Printer } from './printer.ts'

// Reading that is done by then needs no word.
const SILENT_MS = 400
const EVERY_MS = 100

/** Shows on stderr how far the reading is: in a terminal one line that changes, elsewhere a line each tenth when `always`. */
export function followProgress(indexing: Indexing, printer: Printer, { always = false } = {}): { end(): void } {
  const terminal = printer.stderr.isTTY === true
  if (!terminal && !always) return { end: () => {} }
  const began = performance.now()
  let shown = 0
  let tenth = -1
  const show = (status: IndexStatus): void => {
    const { phase, done, total } = status
    if (total === 0 || (phase !== 'building' && phase !== 'verifying')) return
    const now = performance.now()
    if (terminal) {
      if (now - began < (always ? 0 : SILENT_MS) || now - shown < EVERY_MS) return
      shown = now
      printer.stderr.write(`\r\u001b[K${wording(status)}`)
    } else if (Math.floor((done * 10) / total) > tenth) {
      tenth = Math.floor((done * 10) / total)
      printer.note(wording(status))
    }
  }
  const stop = indexing.onStatus(show)
  return {
    end() {
      stop()
      if (shown > 0) printer.stderr.write('\r\u001b[K')
    },
  }
}

function wording({ phase, done, total }: IndexStatus): string {
  return `${phase === 'building' ? 'Reading' : 'Comparing'} ${done} of ${total} files`
}
