import type { TextEdit } from '../../core/changes.ts'
import { editText } from '../../core/text/edit-text.ts'

/** Turns the result of one step into edits of that text; may throw a `RouxError`. */
export type EditStep = (text: string) => readonly TextEdit[]

/** Runs steps, each on what the one before left, and returns their common edits of `text`. */
export function editInSteps(text: string, steps: readonly EditStep[]): readonly TextEdit[] {
  let edits: readonly TextEdit[] = []
  let current = text
  for (const step of steps) {
    const next = step(current)
    if (next.length === 0) continue
    edits = composeEdits(edits, next)
    current = editText(current, next)
  }
  return withoutNoOps(text, edits)
}

/** The edits that do at once what `first`, and then `second` on its result, do. Linear in their number. */
export function composeEdits(first: readonly TextEdit[], second: readonly TextEdit[]): readonly TextEdit[] {
  const composer = new Composer(first)
  for (const edit of second) {
    composer.copyTo(edit.start)
    composer.dropTo(edit.end)
    composer.insert(edit.text)
  }
  composer.copyTo(Number.POSITIVE_INFINITY)
  return composer.edits
}

/** Walks over the result of the first edits, a place at a time, and notes what becomes of the original. */
class Composer {
  readonly edits: TextEdit[] = []
  readonly #first: readonly TextEdit[]
  #next = 0
  /** How much of the current edit's text was walked over. */
  #used = 0
  /** The place in the first result, and the one in the original that belongs to it. */
  #at = 0
  #original = 0

  constructor(first: readonly TextEdit[]) {
    this.#first = first
  }

  copyTo(place: number): void {
    this.#walk(place, true)
  }

  dropTo(place: number): void {
    this.#walk(place, false)
  }

  insert(text: string): void {
    this.#push(this.#original, this.#original, text)
  }

  #walk(place: number, keep: boolean): void {
    for (;;) {
      const edit = this.#first[this.#next]
      const gap = edit ? edit.start - this.#original : Number.POSITIVE_INFINITY
      // An edit has begun when some of its text was used; until then the stretch before it comes first.
      if (this.#used === 0 && gap > 0) {
        const length = Math.min(gap, place - this.#at)
        if (!keep) this.#push(this.#original, this.#original + length, '')
        this.#original += length
        this.#at += length
        if (length < gap) return
      }
      if (!edit || (place === this.#at && edit.text.length > this.#used)) return
      this.#useText(edit, place, keep)
      if (this.#used < edit.text.length) return
      this.#push(edit.start, edit.end, '')
      this.#original = edit.end
      this.#used = 0
      this.#next++
    }
  }

  #useText(edit: TextEdit, place: number, keep: boolean): void {
    const length = Math.min(edit.text.length - this.#used, place - this.#at)
    if (keep) this.#push(edit.start, edit.start, edit.text.slice(this.#used, this.#used + length))
    this.#used += length
    this.#at += length
  }

  #push(start: number, end: number, text: string): void {
    if (start === end && text === '') return
    const last = this.edits.at(-1)
    if (last && last.end === start) this.edits[this.edits.length - 1] = { start: last.start, end, text: last.text + text }
    else this.edits.push({ start, end, text })
  }
}

/** Leaves out the edits that put in what is there. */
export function withoutNoOps(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  return edits.filter(({ start, end, text: inserted }) => text.slice(start, end) !== inserted)
}
