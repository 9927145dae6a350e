import { ROW_SUMS_MODULE } from './row-sums-module.ts'

/** A table of rows of small integers, which computes sums of rows. */
export interface RowTable {
  readonly kind: 'simd' | 'plain'
  /** The weights of the rows, in order. They are zero until the caller sets them. */
  readonly weights: Int8Array
  /** Returns the column sums of the rows, multiplied by their factors. The array is valid until the next call. */
  sum(rows: Int32Array, factors: Float64Array, count: number): Float64Array
}

/**
 * Creates a table for WebAssembly SIMD if available. Otherwise, for example if the process cannot reserve gigabytes of address
 * space, plain JavaScript gives identical results.
 */
export function createRowTable(rows: number, columns: number, simd = true): RowTable {
  if (!simd || !runtime?.validate(moduleBytes())) return createPlainTable(rows, columns)
  try {
    return createSimdTable(rows, columns, runtime)
  } catch (error) {
    if (error instanceof RangeError) return createPlainTable(rows, columns)
    throw error
  }
}

function createPlainTable(rowCount: number, columns: number): RowTable {
  const weights = new Int8Array(rowCount * columns)
  const sums = new Float64Array(columns)
  return {
    kind: 'plain',
    weights,
    sum(rows, factors, count) {
      sums.fill(0)
      for (let i = 0; i < count; i++) addRow(sums, factors[i] as number, weights, (rows[i] as number) * columns)
      return sums
    },
  }
}

function addRow(sums: Float64Array, factor: number, weights: Int8Array, first: number): void {
  for (let column = 0; column < sums.length; column++) {
    sums[column] = (sums[column] as number) + factor * (weights[first + column] as number)
  }
}

/** The part of WebAssembly in use. Node's types lack it, and `node --jitless` does not have it. */
interface WasmRuntime {
  validate(bytes: Uint8Array): boolean
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly rows: AddRows } }
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
}

type AddRows = (list: number, end: number, factors: number, sums: number, stop: number) => void

const runtime = (globalThis as { readonly WebAssembly?: WasmRuntime }).WebAssembly

const PAGE = 65_536
/** Number of columns that the kernel adds at once. */
const TOGETHER = 8
const ROWS = 2_048
const FACTORS_AT = 0
const LIST_AT = FACTORS_AT + 8 * ROWS
const SUMS_AT = LIST_AT + 4 * ROWS
/** The maximum number of columns, which is also that of table files. */
const MAX_COLUMNS = 4_096
const TABLE_AT = SUMS_AT + 8 * MAX_COLUMNS

function createSimdTable(rowCount: number, columns: number, { Memory, Instance, Module }: WasmRuntime): RowTable {
  // The memory is a few bytes larger, because the kernel may read beyond the last row.
  const memory = new Memory({ initial: Math.ceil((TABLE_AT + rowCount * columns + TOGETHER) / PAGE) })
  const { buffer } = memory
  const { rows: addRows } = new Instance(new Module(moduleBytes()), { env: { memory } }).exports
  const stop = SUMS_AT + 8 * TOGETHER * Math.ceil(columns / TOGETHER)
  const all = new Float64Array(buffer, SUMS_AT, (stop - SUMS_AT) / 8)
  const sums = all.subarray(0, columns)
  const list = new Int32Array(buffer, LIST_AT, ROWS)
  const factorList = new Float64Array(buffer, FACTORS_AT, ROWS)
  return {
    kind: 'simd',
    weights: new Int8Array(buffer, TABLE_AT, rowCount * columns),
    sum(rows, factors, count) {
      all.fill(0)
      for (let from = 0; from < count; from += ROWS) {
        const length = Math.min(ROWS, count - from)
        for (let i = 0; i < length; i++) {
          list[i] = TABLE_AT + (rows[from + i] as number) * columns
          factorList[i] = factors[from + i] as number
        }
        addRows(LIST_AT, LIST_AT + 4 * length, FACTORS_AT, SUMS_AT, stop)
      }
      return sums
    },
  }
}

function moduleBytes(): Uint8Array {
  return Buffer.from(ROW_SUMS_MODULE, 'base64')
}
