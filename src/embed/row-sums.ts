import { ROW_SUMS_MODULE } from './row-sums-module.ts'

export interface RowSums {
  readonly kind: 'simd' | 'plain'
  /** Returns the column sums of the rows, multiplied by their factors. The array is valid until the next call. */
  of(rows: Int32Array, factors: Float64Array, count: number): Float64Array
}

export interface TableRoom {
  allocate(bytes: number): Uint8Array
  /** Returns a calculator of sums. `weights` must come from `allocate`. */
  sums(weights: Int8Array, columns: number): RowSums
}

/**
 * Allocates tables for WebAssembly SIMD if available. Otherwise, for example if the process cannot reserve gigabytes of address
 * space, plain JavaScript gives identical results.
 */
export function makeTableRoom(simd = true): TableRoom {
  if (simd && runtime?.validate(moduleBytes())) return new SimdRoom(runtime)
  return plainRoom
}

const plainRoom: TableRoom = {
  allocate: (bytes) => new Uint8Array(bytes),
  sums: plainSums,
}

function plainSums(weights: Int8Array, columns: number): RowSums {
  const sums = new Float64Array(columns)
  return {
    kind: 'plain',
    of(rows, factors, count) {
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
const MAX_COLUMNS = 4_096
const TABLE_AT = SUMS_AT + 8 * MAX_COLUMNS

class SimdRoom implements TableRoom {
  readonly #runtime: WasmRuntime
  #memory: { readonly buffer: ArrayBuffer } | undefined

  constructor(wasm: WasmRuntime) {
    this.#runtime = wasm
  }

  allocate(bytes: number): Uint8Array {
    try {
      // The memory is a few bytes larger, because the kernel may read beyond the last row.
      this.#memory = new this.#runtime.Memory({ initial: Math.ceil((TABLE_AT + bytes + TOGETHER) / PAGE) })
      return new Uint8Array(this.#memory.buffer, TABLE_AT, bytes)
    } catch (error) {
      if (error instanceof RangeError) return plainRoom.allocate(bytes)
      throw error
    }
  }

  sums(weights: Int8Array, columns: number): RowSums {
    const memory = this.#memory
    if (memory === undefined || weights.buffer !== memory.buffer || columns > MAX_COLUMNS) return plainSums(weights, columns)
    const { Instance, Module } = this.#runtime
    const { rows: addRows } = new Instance(new Module(moduleBytes()), { env: { memory } }).exports
    return simdSums(addRows, weights, columns)
  }
}

function simdSums(addRows: AddRows, weights: Int8Array, columns: number): RowSums {
  const { buffer, byteOffset } = weights
  const stop = SUMS_AT + 8 * TOGETHER * Math.ceil(columns / TOGETHER)
  const all = new Float64Array(buffer, SUMS_AT, (stop - SUMS_AT) / 8)
  const sums = all.subarray(0, columns)
  const list = new Int32Array(buffer, LIST_AT, ROWS)
  const factorList = new Float64Array(buffer, FACTORS_AT, ROWS)
  return {
    kind: 'simd',
    of(rows, factors, count) {
      all.fill(0)
      for (let from = 0; from < count; from += ROWS) {
        const length = Math.min(ROWS, count - from)
        for (let i = 0; i < length; i++) {
          list[i] = byteOffset + (rows[from + i] as number) * columns
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
