import type { CST } from 'yaml'

/** The depth is limited, because the library composes and reads a document recursively. */
export const MAX_YAML_DEPTH = 64

/**
 * Returns the offset at which collections are nested too deeply. The check must precede composing: the library catches its own
 * stack overflow and continues with almost no stack, and V8 then aborts the process.
 */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const openTokens = tokens.map((token) => ({ token, depth: 1 }))
  // The search is breadth-first: the loop appends nested tokens.
  for (const { token, depth } of openTokens) {
    if (token.type === 'document' && token.value) openTokens.push({ token: token.value, depth })
    if (!('items' in token)) continue
    if (depth > MAX_YAML_DEPTH) return token.offset
    for (const { key, value } of token.items) {
      if (key) openTokens.push({ token: key, depth: depth + 1 })
      if (value) openTokens.push({ token: value, depth: depth + 1 })
    }
  }
  return undefined
}
