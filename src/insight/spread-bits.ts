/** Mixes the bits of a 32-bit number, so similar numbers become very different ones (the finalizer of MurmurHash3). */
export function spreadBits(value: number): number {
  let hash = value ^ (value >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
