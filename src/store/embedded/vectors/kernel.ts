import { RouxError } from '../../../core/errors.ts'
import { KERNEL_MODULE } from './kernel-module.ts'

/** Computes dot products of a query with int8 rows in growable memory. The views are replaced when the memory grows. */
export interface Kernel {
  readonly kind: 'simd' | 'plain'
  /** The query. Its components must be within ±`QUERY_PEAK`. */
  readonly query: Int16Array
  /** All rows, concatenated, each padded with zeros to `stride`. New rows are zero. */
  readonly rows: Int8Array
  /** Reserves space for the given number of rows. Throws a `RouxError` if there is not enough memory. */
  reserve(rows: number): void
  /**
   * Returns the query's dot products with `count` ≤ `BLOCK` rows, starting at `first`. Valid until the next call. Only the given
   * columns are read, by default all; the query must be 0 in the others.
   */
  dots(first: number, count: number, columns?: ColumnRange): Int32Array
}

/** A range of columns. Its bounds are multiples of `WIDTH`, and it spans at least one register. */
export interface ColumnRange {
  readonly from: number
  readonly to: number
}

/** Maximum number of rows per call. A call's results (16 KB) stay in the L1 cache. */
export const BLOCK = 4096

/** Maximum absolute value of the query's components, because 127 × 4095 × 4096 dimensions fits into an int32. */
export const QUERY_PEAK = 4095

/** Width of a SIMD register in bytes. */
export const WIDTH = 16

/** Returns the bytes per row: the dimensions, rounded up to whole registers. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / WIDTH) * WIDTH
}

/**
 * Creates the SIMD kernel. If that is impossible, or if the process may not reserve the gigabytes of address space that
 * WebAssembly memory takes, creates a plain JavaScript version, which gives identical results but is about twenty times slower.
 */
export function createKernel(stride: number, simd = hasSimd()): Kernel {
  if (!simd || runtime === undefined) return createPlainKernel(stride)
  try {
    return createSimdKernel(stride, runtime)
  } catch (error) {
    if (error instanceof RangeError) return createPlainKernel(stride)
    throw error
  }
}

export function hasSimd(): boolean {
  return runtime?.validate(moduleBytes()) ?? false
}

/** The parts of WebAssembly that are used here. Node's types do not declare them, and `node --jitless` has no WebAssembly. */
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

/**
 * Takes the addresses of the query, the first row and the rows' end, the bytes from row to row, the address of the results, and
 * the bytes to read per row.
 */
type Multiply = (query: number, row: number, end: number, stride: number, out: number, length: number) => void

const runtime = (globalThis as unknown as { readonly WebAssembly?: WasmRuntime }).WebAssembly

const PAGE = 65_536
const MAX_PAGES = 65_536
/** The kernel reads four rows at a time. */
const TOGETHER = 4

interface Layout {
  readonly query: Int16Array
  readonly dots: Int32Array
  readonly rows: Int8Array
}

function layOut(buffer: ArrayBuffer, stride: number): Layout {
  const rowsAt = rowsOffset(stride)
  return {
    query: new Int16Array(buffer, 0, stride),
    dots: new Int32Array(buffer, 2 * stride, BLOCK),
    rows: new Int8Array(buffer, rowsAt),
  }
}

function rowsOffset(stride: number): number {
  return 2 * stride + 4 * BLOCK
}

/** Returns the number of memory pages for the given number of rows. Grows by at least a third, so rows are rarely copied. */
function pagesFor(rows: number, stride: number, pages: number): number {
  const needed = Math.ceil((rowsOffset(stride) + (rows + TOGETHER) * stride) / PAGE)
  if (needed <= pages) return pages
  if (needed <= MAX_PAGES) return Math.min(MAX_PAGES, Math.max(needed, Math.ceil((pages * 4) / 3)))
  throw new RouxError('TOO_LARGE', `${rows} vectors of ${stride} bytes exceed the limit of 4 GB per index.`, {
    hint: 'Choose an embedding model with fewer dimensions, or index fewer notes.',
  })
}

function createSimdKernel(stride: number, { Memory, Instance, Module }: WasmRuntime): Kernel {
  let pages = pagesFor(0, stride, 1)
  const memory = new Memory({ initial: pages, maximum: MAX_PAGES })
  const { dots: multiply } = new Instance(new Module(moduleBytes()), { env: { memory } }).exports
  let layout = layOut(memory.buffer, stride)
  const all = { from: 0, to: stride }
  return {
    kind: 'simd',
    get query() {
      return layout.query
    },
    get rows() {
      return layout.rows
    },
    reserve(rows) {
      const wanted = pagesFor(rows, stride, pages)
      if (wanted === pages) return
      memory.grow(wanted - pages)
      pages = wanted
      layout = layOut(memory.buffer, stride)
    },
    dots(first, count, { from, to } = all) {
      const row = rowsOffset(stride) + first * stride + from
      multiply(2 * from, row, row + count * stride, stride, 2 * stride, to - from)
      return layout.dots
    },
  }
}

function createPlainKernel(stride: number): Kernel {
  let pages = pagesFor(0, stride, 1)
  let layout = layOut(new ArrayBuffer(pages * PAGE), stride)
  const all = { from: 0, to: stride }
  return {
    kind: 'plain',
    get query() {
      return layout.query
    },
    get rows() {
      return layout.rows
    },
    reserve(rows) {
      const wanted = pagesFor(rows, stride, pages)
      if (wanted === pages) return
      const grown = layOut(new ArrayBuffer(wanted * PAGE), stride)
      grown.query.set(layout.query)
      grown.rows.set(layout.rows)
      pages = wanted
      layout = grown
    },
    dots(first, count, { from, to } = all) {
      const { query, rows, dots } = layout
      for (let i = 0, at = first * stride; i < count; i++, at += stride) {
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
