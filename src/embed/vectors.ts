/** Returns the normalized vector at `start`, or `undefined` if it has no direction: it is zero or contains NaN or infinity. */
export function unitVector(values: ArrayLike<number>, start = 0, dimensions = values.length): Float32Array | undefined {
  // Scaling by the largest component first keeps the sum of squares finite.
  let largest = 0
  for (let i = 0; i < dimensions; i++) {
    const size = Math.abs(values[start + i] as number)
    if (!(size <= Number.MAX_VALUE)) return undefined
    if (size > largest) largest = size
  }
  if (largest === 0) return undefined
  let squares = 0
  for (let i = 0; i < dimensions; i++) squares += ((values[start + i] as number) / largest) ** 2
  const length = Math.sqrt(squares)
  return Float32Array.from({ length: dimensions }, (_, i) => (values[start + i] as number) / largest / length)
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}
