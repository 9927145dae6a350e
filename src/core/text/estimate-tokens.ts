/** Of what no one counted: UTF-8 bytes / 3, which is above the true number of nearly all texts. */
const BYTES_PER_TOKEN = 3

/** How many tokens a text is at the most, or nearly so. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}
