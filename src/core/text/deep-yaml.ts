import type { CST } from 'yaml'

/** Maximum nesting depth of YAML collections. Limited because both composing and reading a document are recursive. */
export const MAX_YAML_DEPTH = 64

/**
 * Returns the offset at which collections in the YAML parser's tokens are nested too deeply, or `undefined`. Check this before
 * composing a document. The library catches its own stack overflow and continues with almost no stack left, and V8 then aborts the
 * process when it compiles a regular expression.
 */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const openTokens = tokens.map((token) => ({ token, depth: 1 }))
  // A breadth-first search: nested tokens are appended while the loop runs.
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
