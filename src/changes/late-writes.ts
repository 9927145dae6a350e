import { hash as digest } from 'node:crypto'
import { quietly } from '../core/quietly.ts'
import type { ChangeFiles } from './file-system.ts'

/**
 * The time for which a file is watched, in milliseconds. On a busy computer, a program can take this long between opening and
 * writing a file.
 */
const WATCHED = 2_000

const MAX_OPEN = 200

interface OpenFile {
  readonly fd: number
  readonly hash: string
  rescue(bytes: Uint8Array): void
}

/** Keeps removed files open for a while, because a program that opened one earlier may still write to it. */
export class LateWrites {
  readonly #fs: ChangeFiles
  readonly #files = new Set<OpenFile>()

  constructor(fs: ChangeFiles) {
    this.#fs = fs
  }

  /**
   * Watches a file for late writes. This must be called before the file is removed.
   * @param hash of bytes that need not be rescued
   */
  watch(path: string, hash: string, rescue: OpenFile['rescue']): void {
    if (this.#files.size >= MAX_OPEN) return
    const file = { fd: this.#fs.open(path), hash, rescue }
    this.#files.add(file)
    setTimeout(() => this.#examine(file), WATCHED).unref()
  }

  close(): void {
    for (const file of this.#files) this.#examine(file)
  }

  #examine(file: OpenFile): void {
    if (!this.#files.delete(file)) return
    quietly(() => {
      const bytes = this.#fs.readOpen(file.fd)
      if (bytes.length > 0 && digest('sha256', bytes, 'hex') !== file.hash) file.rescue(bytes)
    })
    this.#fs.close(file.fd)
  }
}
