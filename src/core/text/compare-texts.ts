/** Compares by UTF-16 code units. */
export function compareTexts<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : Number(a > b)
}
