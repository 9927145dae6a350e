/** Returns the normalized vector, or `undefined` if it has no direction: it is zero or contains NaN or infinity. */
export function unitVector(values: readonly number[] | Float32Array | Float64Array): Float32Array | undefined {
  // Scaling by the largest component first keeps the sum of squares finite.
  let largest = 0
  for (const value of values) {
    const size = Math.abs(value)
    if (!(size <= Number.MAX_VALUE)) return undefined
    if (size > largest) largest = size
  }
  if (largest === 0) return undefined
  let squares = 0
  for (const value of values) squares += (value / largest) ** 2
  const length = Math.sqrt(squares)
  return Float32Array.from(values, (value) => value / largest / length)
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}
