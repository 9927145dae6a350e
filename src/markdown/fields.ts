import { COLON, LF } from './chars.ts'

/** A key as Dataview and Logseq write it: words, perhaps emphasised, perhaps after a task box. */
const KEY =
  /^\s*(?:\[.\]\s+)?[*_~]*([\p{L}\p{N}\p{Extended_Pictographic}][\p{L}\p{N}\p{Extended_Pictographic}\p{Mn}\s_/-]*?)[*_~]*\s*$/u
const MAX_KEY = 80

/** The key that ends at `end`, where `::` stands, and begins at or after `start`. */
function keyBefore(text: string, start: number, end: number): string | undefined {
  return end - start > MAX_KEY ? undefined : KEY.exec(text.slice(start, end))?.[1]
}

/** Tells which inline field `key:: value`, `[key:: value]` or `(key:: value)` an offset of a run stands in; asked in ascending order. */
export class FieldTracker {
  #text = ''
  #at = 0
  #lineStart = 0
  #lineKey: string | undefined
  #bracketKey: string | undefined
  #open = ''
  #depth = 0
  #wholeLines = true

  begin(text: string, start: number, wholeLines: boolean): void {
    this.#text = text
    this.#at = start
    this.#lineStart = start
    this.#lineKey = undefined
    this.#bracketKey = undefined
    this.#wholeLines = wholeLines
  }

  keyAt(offset: number): string | undefined {
    const text = this.#text
    for (; this.#at < offset; this.#at++) {
      const c = text.charCodeAt(this.#at)
      if (c === LF) {
        this.#lineStart = this.#at + 1
        this.#lineKey = undefined
        this.#bracketKey = undefined
      } else if (c === COLON) {
        if (text.charCodeAt(this.#at + 1) === COLON) this.#beginField(this.#at)
      } else if (this.#bracketKey !== undefined) this.#follow(text[this.#at] as string)
    }
    return this.#bracketKey ?? this.#lineKey
  }

  #beginField(at: number): void {
    const text = this.#text
    if (this.#bracketKey !== undefined || !/[\s[!]/.test(text[at + 2] ?? ' ')) return
    const from = Math.max(this.#lineStart, at - MAX_KEY)
    const head = text.slice(from, at)
    const open = Math.max(head.lastIndexOf('['), head.lastIndexOf('('))
    const key = open === -1 ? undefined : keyBefore(text, from + open + 1, at)
    if (key !== undefined) {
      this.#bracketKey = key
      this.#open = head[open] as string
      this.#depth = 1
    } else if (this.#wholeLines) this.#lineKey ??= keyBefore(text, this.#lineStart, at)
  }

  #follow(c: string): void {
    const close = this.#open === '[' ? ']' : ')'
    if (c === this.#open) this.#depth++
    else if (c === close && --this.#depth === 0) this.#bracketKey = undefined
  }
}
