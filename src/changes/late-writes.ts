import { hash as digest } from 'node:crypto'
import { quietly } from '../core/quietly.ts'
import type { ChangeFiles, FileStamp } from './file-system.ts'

/**
 * The time for which a file is watched, in milliseconds. On a busy computer, a program can take this long between opening and
 * writing a file.
 */
const WATCHED = 2_000

const MAX_OPEN = 200
/** The maximum size in bytes, because a file with late writes is read into memory. */
const MAX_SIZE = 64n << 20n
/** A file system may give two writes within this time the same `mtime`. FAT has steps of 2 s. */
const CLOCK_STEP_MS = 2_000

export interface WatchedFile {
  readonly stamp: FileStamp
  /** The hash of bytes that need not be rescued. */
  readonly hash: string
  rescue(bytes: Uint8Array, hash: string): void
}

/** Keeps removed files open for a while, because a program that opened one earlier may still write to it. */
export class LateWrites {
  readonly #fs: ChangeFiles
  readonly #files = new Map<number, WatchedFile & { readonly isRecent: boolean }>()

  constructor(fs: ChangeFiles) {
    this.#fs = fs
  }

  /** Watches a file for late writes. This must be called before the file is removed. It never fails, so the change does not. */
  watch(path: string, file: WatchedFile): void {
    if (this.#files.size >= MAX_OPEN || file.stamp.size > MAX_SIZE) return
    const fd = quietly(() => this.#fs.open(path))
    if (fd === undefined) return
    const isRecent = Date.now() - Number(file.stamp.mtimeNs / 1_000_000n) < CLOCK_STEP_MS
    this.#files.set(fd, { ...file, isRecent })
    setTimeout(() => this.#examine(fd), WATCHED).unref()
  }

  close(): void {
    for (const fd of this.#files.keys()) this.#examine(fd)
  }

  #examine(fd: number): void {
    const file = this.#files.get(fd)
    if (file === undefined) return
    this.#files.delete(fd)
    quietly(() => {
      const { size, mtimeNs } = this.#fs.stampOpen(fd)
      const isUntouched = !file.isRecent && size === file.stamp.size && mtimeNs === file.stamp.mtimeNs
      if (isUntouched || size === 0n || size > MAX_SIZE) return
      const bytes = this.#fs.readOpen(fd)
      const hash = digest('sha256', bytes, 'hex')
      if (hash !== file.hash) file.rescue(bytes, hash)
    })
    quietly(() => this.#fs.close(fd))
  }
}
