import { shortHash } from './note-properties.ts'

/** The label of a vault's words and their index. Each vault has its own: an index counts how rare a word is over all that it holds. */
export function wordNames(vault: string) {
  const hash = shortHash(vault)
  return { wordLabel: `RouxWords_${hash}`, wordIndex: `roux_words_${hash}` }
}
