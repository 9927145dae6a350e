import { hash as digest } from 'node:crypto'
import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { foldId } from '../../core/ids.ts'
import type { RewrittenLine } from '../../core/operations.ts'
import { editBytes } from '../../markdown/edit/text-edits.ts'

interface DraftOrigin {
  readonly key: number
  readonly original: string | undefined
  /** The path of the file, which may be in `.trash/`. */
  readonly path: string
  /** The function is called at most once. */
  readonly load: () => Uint8Array
}

/** A planned file. Its bytes are read lazily, because many files are only moved. */
export class Draft {
  readonly key: number
  readonly original: string | undefined
  path: string
  /** True if the bytes differ from those on disk. */
  isEdited: boolean
  #relinked: readonly RewrittenLine[] = []
  readonly #load: () => Uint8Array
  #disk: Uint8Array | undefined
  #bytes: Uint8Array | undefined
  #before: string | undefined

  constructor({ key, original, path, load }: DraftOrigin) {
    this.key = key
    this.original = original
    this.path = path
    this.isEdited = original === undefined
    this.#load = load
  }

  /** The bytes on disk. For a new file, these are its initial bytes. */
  get disk(): Uint8Array {
    this.#disk ??= this.#load()
    return this.#disk
  }

  get bytes(): Uint8Array {
    return this.#bytes ?? this.disk
  }

  get text(): string {
    return decode(this.bytes)
  }

  get relinked(): readonly RewrittenLine[] {
    return this.#relinked
  }

  /** Adds rewritten links. A link that is rewritten twice is listed once. */
  addRelinked(rewritten: readonly RewrittenLine[]): void {
    const earlier = groupBy(this.#relinked.toReversed(), ({ line, after }) => `${line} ${after}`)
    const again = new Map<RewrittenLine, string>()
    const added: RewrittenLine[] = []
    for (const { line, before, after } of rewritten) {
      const first = earlier.get(`${line} ${before}`)?.pop()
      if (first === undefined) added.push({ line, before, after })
      else again.set(first, after)
    }
    const kept = this.#relinked.map((each) => ({ ...each, after: again.get(each) ?? each.after }))
    this.#relinked = [...kept.filter(({ before, after }) => before !== after), ...added]
  }

  /** The SHA-256 of the bytes on disk, in hex. */
  get before(): string | undefined {
    if (this.original === undefined) return undefined
    this.#before ??= digest('sha256', this.disk, 'hex')
    return this.#before
  }

  /** Writes UTF-8. @throws RouxError `EDIT_MISMATCH` if the file is UTF-16 */
  edit(edits: readonly TextEdit[]): void {
    if (isUtf16(this.bytes)) throw otherEncoding(this.original ?? this.path)
    this.#bytes = editBytes(this.bytes, edits)
    this.isEdited = this.original === undefined || Buffer.compare(this.#bytes, this.disk) !== 0
  }
}

export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function otherEncoding(path: string): RouxError {
  return new RouxError('EDIT_MISMATCH', `"${path}" is encoded in UTF-16, which Roux cannot write. Nothing was written.`, {
    hint: 'Save it as UTF-8 with an editor, then call again.',
  })
}

export class DraftTable {
  readonly #byKey = new Map<number, Draft>()
  readonly #byOriginal = new Map<string, Draft>()
  readonly #byFolded = new Map<string, Set<Draft>>()

  add(draft: Draft): Draft {
    this.#byKey.set(draft.key, draft)
    if (draft.original !== undefined) this.#byOriginal.set(draft.original, draft)
    this.#enter(draft)
    return draft
  }

  place(draft: Draft, path: string): void {
    this.#byFolded.get(foldId(draft.path))?.delete(draft)
    draft.path = path
    this.#enter(draft)
  }

  has(key: number): boolean {
    return this.#byKey.has(key)
  }

  get(key: number): Draft | undefined {
    return this.#byKey.get(key)
  }

  all(): readonly Draft[] {
    return [...this.#byKey.values()]
  }

  from(original: string): Draft | undefined {
    return this.#byOriginal.get(original)
  }

  at(path: string): Draft | undefined {
    return this.like(foldId(path)).find((draft) => draft.path === path)
  }

  like(folded: string): readonly Draft[] {
    return [...(this.#byFolded.get(folded) ?? [])]
  }

  #enter(draft: Draft): void {
    const folded = foldId(draft.path)
    const drafts = this.#byFolded.get(folded)
    if (drafts === undefined) this.#byFolded.set(folded, new Set([draft]))
    else drafts.add(draft)
  }
}
