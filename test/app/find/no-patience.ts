import { vi } from 'vitest'
import { MODEL_TIMEOUT } from '../../../src/app/find/question-vector.ts'

/** Makes waiting for a model time out after 10 ms, until mocks are restored. */
export function noPatience(): void {
  const wait = setTimeout
  const short = (run: () => void, ms?: number) => wait(run, ms === MODEL_TIMEOUT ? 10 : ms)
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(short as typeof setTimeout)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController()
    wait(() => controller.abort(new DOMException('too late', 'TimeoutError')), 10)
    return controller.signal
  })
}
