/** Used to estimate the tokens of text that was not tokenized. UTF-8 bytes / 3 exceeds the real number for nearly all text. */
const BYTES_PER_TOKEN = 3

/** Returns an upper estimate of the text's number of tokens. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
