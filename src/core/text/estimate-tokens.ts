/** For nearly all text, UTF-8 bytes divided by 3 exceed the number of tokens. */
const BYTES_PER_TOKEN = 3

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
