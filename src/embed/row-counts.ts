/** Number of occurrences of each vocabulary piece in a text. */
export interface PieceCounts {
  /** Indexed by row. The next count reuses the array. */
  readonly counts: Int32Array
  /** The rows that occur, in order of first appearance. The first `distinct` items are valid. */
  readonly rows: Int32Array
  readonly distinct: number
}

/** Counts the rows of a table. */
export class RowCounts implements PieceCounts {
  readonly counts: Int32Array
  readonly rows: Int32Array
  #distinct = 0

  constructor(size: number) {
    this.counts = new Int32Array(size)
    this.rows = new Int32Array(size)
  }

  get distinct(): number {
    return this.#distinct
  }

  add(row: number): void {
    const before = this.counts[row] as number
    if (before === 0) this.rows[this.#distinct++] = row
    this.counts[row] = before + 1
  }

  /** Takes time only for rows that were counted. */
  clear(): void {
    for (let i = 0; i < this.#distinct; i++) this.counts[this.rows[i] as number] = 0
    this.#distinct = 0
  }
}
