import { expect } from 'vitest'
import type { TextEdit } from '../../../src/core/changes.ts'
import { RouxError } from '../../../src/core/errors.ts'
import { editText } from '../../../src/core/text/edit-text.ts'

/** The text after an edit. */
export function edited(text: string, edit: (text: string) => readonly TextEdit[]): string {
  return editText(text, edit(text))
}

/** The error that a call throws. */
export function errorOf(call: () => unknown): RouxError {
  try {
    call()
  } catch (error) {
    if (error instanceof RouxError) return error
    throw error
  }
  return expect.fail('nothing was thrown')
}

/** All parts of an error on one line. */
export function refusal(call: () => unknown): string {
  const { code, message, hint } = errorOf(call)
  return [code, message, hint ?? ''].join(' | ')
}
