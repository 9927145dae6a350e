import type { Limits } from './limits.ts'
import { type Refusal, refusal } from './refusal.ts'

/** Counts what is in work, and says no in time. */
export class Load {
  readonly #limits: Pick<Limits, 'calls' | 'streams'>
  #calls = 0
  #streams = 0
  #onIdle: (() => void) | undefined

  constructor(limits: Pick<Limits, 'calls' | 'streams'>) {
    this.#limits = limits
  }

  /** The refusal of one more call; `undefined` where there is room. */
  get callsRefusal(): Refusal | undefined {
    return this.#calls < this.#limits.calls
      ? undefined
      : tooMany(`${this.#limits.calls} calls are in work, as many as there may be.`)
  }

  /** The refusal of one more stream; `undefined` where there is room. */
  get streamsRefusal(): Refusal | undefined {
    return this.#streams < this.#limits.streams
      ? undefined
      : tooMany(`${this.#limits.streams} streams are open, as many as there may be.`)
  }

  /** Counts a call until the function is called that it gives. */
  beginCall(): () => void {
    this.#calls++
    return once(() => {
      if (--this.#calls === 0) this.#onIdle?.()
    })
  }

  /** Counts a stream until the function is called that it gives. */
  beginStream(): () => void {
    this.#streams++
    return once(() => this.#streams--)
  }

  /** Resolves when no call is in work, or when so many milliseconds have passed. */
  async idle(atMost: number): Promise<void> {
    if (this.#calls === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, atMost)
      this.#onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function tooMany(message: string): Refusal {
  return refusal(429, message, { hint: 'Try again in a moment.', headers: { 'Retry-After': '1' } })
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
