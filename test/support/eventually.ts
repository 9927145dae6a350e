import { vi } from 'vitest'
import { PATIENCE } from './patience.ts'

/** Polls until an expectation holds, and returns its value. */
export function eventually<T>(expectation: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(expectation, { timeout: PATIENCE, interval: 20 })
}
