/** How often each vocabulary piece occurs in a text. */
export interface PieceCounts {
  /** Counts by row. The next text reuses the array. */
  readonly counts: Int32Array
  /** The rows that occur, in order of first appearance. Only the first `distinct` items are valid. */
  readonly rows: Int32Array
  readonly distinct: number
}

export class RowCounts implements PieceCounts {
  readonly counts: Int32Array
  readonly rows: Int32Array
  #distinctCount = 0

  constructor(size: number) {
    this.counts = new Int32Array(size)
    this.rows = new Int32Array(size)
  }

  get distinct(): number {
    return this.#distinctCount
  }

  add(row: number): void {
    const before = this.counts[row] as number
    if (before === 0) this.rows[this.#distinctCount++] = row
    this.counts[row] = before + 1
  }

  /** Resets all counts. The cost is proportional to the number of counted rows. */
  clear(): void {
    for (let i = 0; i < this.#distinctCount; i++) this.counts[this.rows[i] as number] = 0
    this.#distinctCount = 0
  }
}
