import { RouxError } from '../../../core/errors.ts'
import { KERNEL_MODULE } from './kernel-module.ts'

/** Computes dot products of a query with int8 rows. The views change when memory grows. */
export interface Kernel {
  /** The query, with components of at most ±`QUERY_PEAK`. */
  readonly query: Int16Array
  /** The rows, padded with zeros to `stride`. */
  readonly rows: Int8Array
  /** Reserves memory for rows. @throws RouxError if there is not enough */
  reserve(rows: number): void
  /**
   * Returns dot products of up to `BLOCK` rows. The result is valid until the next call. The query must be 0 outside `columns`.
   */
  dots(first: number, count: number, columns?: ColumnRange): Int32Array
}

/** A range of columns that is at least one register long, with bounds that are multiples of `WIDTH`. */
export interface ColumnRange {
  readonly from: number
  readonly to: number
}

/** The number of rows per call. The results (16 KB) fit into the L1 cache. */
export const BLOCK = 4096

/** The largest component of a query: 127 × 4095 × 4096 dimensions fits into an int32. */
export const QUERY_PEAK = 4095

/** The size of a SIMD register in bytes. */
export const WIDTH = 16

/** Returns the number of bytes per row: dimensions, rounded up to whole registers. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / WIDTH) * WIDTH
}

/**
 * Creates a kernel in WebAssembly, or in JavaScript if there is no SIMD or no address space for WebAssembly memory. JavaScript is
 * about twenty times slower.
 */
export function createKernel(rowBytes: number, simd = hasSimd()): Kernel {
  if (!simd || runtime === undefined) return createPlainKernel(rowBytes)
  try {
    return createSimdKernel(rowBytes, runtime)
  } catch (error) {
    if (error instanceof RangeError) return createPlainKernel(rowBytes)
    throw error
  }
}

export function hasSimd(): boolean {
  return runtime?.validate(moduleBytes()) ?? false
}

/** Node's types lack WebAssembly, and `node --jitless` does not have it. */
interface WasmRuntime {
  validate(bytes: Uint8Array): boolean
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly dots: Multiply } }
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory
}

interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

/** The function of the kernel. `query`, `row`, `end` and `out` are addresses. `length` is the number of bytes to read per row. */
type Multiply = (query: number, row: number, end: number, stride: number, out: number, length: number) => void

const runtime = (globalThis as unknown as { readonly WebAssembly?: WasmRuntime }).WebAssembly

const PAGE = 65_536
const MAX_PAGES = 65_536
/** The number of rows that the kernel reads at a time. */
const TOGETHER = 4

interface Layout {
  readonly query: Int16Array
  readonly dots: Int32Array
  readonly rows: Int8Array
}

function layOut(buffer: ArrayBuffer, rowBytes: number): Layout {
  const rowsAt = rowsOffset(rowBytes)
  return {
    query: new Int16Array(buffer, 0, rowBytes),
    dots: new Int32Array(buffer, 2 * rowBytes, BLOCK),
    rows: new Int8Array(buffer, rowsAt),
  }
}

function rowsOffset(rowBytes: number): number {
  return 2 * rowBytes + 4 * BLOCK
}

/** Returns the size in pages. It grows by at least a third, to copy rows rarely. */
function pagesFor(rows: number, rowBytes: number, pages: number): number {
  const pagesNeeded = Math.ceil((rowsOffset(rowBytes) + (rows + TOGETHER) * rowBytes) / PAGE)
  if (pagesNeeded <= pages) return pages
  if (pagesNeeded <= MAX_PAGES) return Math.min(MAX_PAGES, Math.max(pagesNeeded, Math.ceil((pages * 4) / 3)))
  throw new RouxError('TOO_LARGE', `${rows} vectors of ${rowBytes} bytes exceed the limit of 4 GB per index.`, {
    hint: 'Choose an embedding model with fewer dimensions, or index fewer notes.',
  })
}

function createSimdKernel(rowBytes: number, { Memory, Instance, Module }: WasmRuntime): Kernel {
  let pages = pagesFor(0, rowBytes, 1)
  const memory = new Memory({ initial: pages, maximum: MAX_PAGES })
  const { dots: multiply } = new Instance(new Module(moduleBytes()), { env: { memory } }).exports
  let layout = layOut(memory.buffer, rowBytes)
  const all = { from: 0, to: rowBytes }
  return {
    get query() {
      return layout.query
    },
    get rows() {
      return layout.rows
    },
    reserve(rows) {
      const pagesNeeded = pagesFor(rows, rowBytes, pages)
      if (pagesNeeded === pages) return
      memory.grow(pagesNeeded - pages)
      pages = pagesNeeded
      layout = layOut(memory.buffer, rowBytes)
    },
    dots(first, count, { from, to } = all) {
      const row = rowsOffset(rowBytes) + first * rowBytes + from
      multiply(2 * from, row, row + count * rowBytes, rowBytes, 2 * rowBytes, to - from)
      return layout.dots
    },
  }
}

function createPlainKernel(rowBytes: number): Kernel {
  let pages = pagesFor(0, rowBytes, 1)
  let layout = layOut(new ArrayBuffer(pages * PAGE), rowBytes)
  const all = { from: 0, to: rowBytes }
  return {
    get query() {
      return layout.query
    },
    get rows() {
      return layout.rows
    },
    reserve(rows) {
      const pagesNeeded = pagesFor(rows, rowBytes, pages)
      if (pagesNeeded === pages) return
      const larger = layOut(new ArrayBuffer(pagesNeeded * PAGE), rowBytes)
      larger.query.set(layout.query)
      larger.rows.set(layout.rows)
      pages = pagesNeeded
      layout = larger
    },
    dots(first, count, { from, to } = all) {
      const { query, rows, dots } = layout
      for (let i = 0, at = first * rowBytes; i < count; i++, at += rowBytes) {
        let sum = 0
        for (let j = from; j < to; j++) sum = (sum + (query[j] as number) * (rows[at + j] as number)) | 0
        dots[i] = sum
      }
      return dots
    },
  }
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(KERNEL_MODULE, 'base64')
  return new Uint8Array(bytes)
}
