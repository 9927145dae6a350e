import { createInterface } from 'node:readline'
import type { Host } from './host.ts'

/** Asks a person at a terminal one question after the other. */
export interface Asker {
  /** What is answered, trimmed; `undefined` where the input ended or the person wants to stop (Ctrl+C). */
  ask(question: string): Promise<string | undefined>
  close(): void
}

/** An asker that takes lines in the order in which they are typed, also before they are asked for. */
export function openAsker({ stdin, stderr, onSignal }: Pick<Host, 'stdin' | 'stderr' | 'onSignal'>): Asker {
  const lines = createInterface({ input: stdin, output: stderr })
  const answers = lines[Symbol.asyncIterator]()
  let isOpen = true
  let isStopped = false
  lines.once('close', () => {
    isOpen = false
  })
  const stop = (): void => {
    isStopped = true
    lines.close()
  }
  // A terminal in raw mode hands Ctrl+C over as a key; otherwise it is a signal.
  lines.on('SIGINT', stop)
  onSignal(stop)
  return {
    async ask(question) {
      if (isStopped) return undefined
      lines.setPrompt(question)
      // Answers that were typed ahead are there when the input ended, too.
      if (isOpen) lines.prompt()
      else stderr.write(question)
      const { value, done } = await answers.next()
      if (!isStopped && done !== true) return value.trim()
      // The question has no answer behind it.
      stderr.write('\n')
      return undefined
    },
    close: () => lines.close(),
  }
}
