/** For uncounted text: UTF-8 bytes / 3, which is above the true number for nearly all texts. */
const BYTES_PER_TOKEN = 3

/** An upper estimate of a text's tokens. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
