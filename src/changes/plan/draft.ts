import { hash as digest } from 'node:crypto'
import type { TextEdit } from '../../core/changes.ts'
import { editBytes } from '../../markdown/edit/edit-bytes.ts'

/** A line that was written anew to keep its link alive. */
interface RewrittenLine {
  readonly line: number
  readonly before: string
  readonly after: string
}

interface DraftOrigin {
  readonly key: number
  /** Where it is on disk; `undefined`: it is new. */
  readonly original: string | undefined
  /** Where it will be, `.trash/` included. */
  readonly path: string
  /** Called once, when the bytes are first needed. */
  readonly load: () => Uint8Array
}

/** A file as it will be. Its bytes are read when they are first asked for: many files only move. */
export class Draft {
  readonly key: number
  readonly original: string | undefined
  path: string
  /** Whether its bytes are not those on disk. */
  isEdited: boolean
  readonly relinked: RewrittenLine[] = []
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

  /** What is on disk, or what a new file began as. */
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

  /** SHA-256 of the bytes on disk, hex. */
  get before(): string | undefined {
    if (this.original === undefined) return undefined
    this.#before ??= digest('sha256', this.disk, 'hex')
    return this.#before
  }

  edit(edits: readonly TextEdit[]): void {
    this.#bytes = editBytes(this.bytes, edits)
    this.isEdited = this.original === undefined || Buffer.compare(this.#bytes, this.disk) !== 0
  }
}

export function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
