import { stemmer } from 'stemmer'
import { ownCopy } from './own-copy.ts'

/** Stems kept at hand; when they are more, all are forgotten. */
const MEMO = 50_000
const LETTERS = /^[a-z]+$/

/**
 * Endings of stems after the beginning shared with the form (`happy` → `happ·i`, `ability` → `ab·l`). A stem with
 * another ending is not used, so a prefix lookup finds every stem of a form.
 */
export const STEM_TAILS: readonly string[] = ['', 'e', 'i', 'l', 'le']

const memo = new Map<string, string>()

/** The stem of a form (M. F. Porter, An algorithm for suffix stripping, 1980); of anything but `a`–`z` the form itself. */
export function stemOf(form: string): string {
  const known = memo.get(form)
  if (known !== undefined) return known
  const own = ownCopy(form)
  const stem = isStemmed(own) ? checked(own, stemmer(own)) : own
  if (memo.size >= MEMO) memo.clear()
  memo.set(own, stem)
  return stem
}

/** Forgets the stems kept at hand: who indexed many words needs few from then on. */
export function forgetStems(): void {
  memo.clear()
}

/** Whether a form's stem may differ from it; true for all beginnings of such a form, too. */
export function isStemmed(form: string): boolean {
  return LETTERS.test(form)
}

function checked(form: string, stem: string): string {
  let shared = 0
  while (shared < stem.length && stem[shared] === form[shared]) shared++
  return shared > 0 && STEM_TAILS.includes(stem.slice(shared)) ? stem : form
}
