import type { CST } from 'yaml'

/** How deep collections may be nested in YAML: composing a document recurses, and so does reading one. */
export const MAX_YAML_DEPTH = 64

/**
 * The offset where collections are nested too deeply in the YAML parser's tokens, or `undefined`. Check this before
 * composing a document: the library catches its own stack overflow and continues with almost no stack, where V8 ends
 * the process when it compiles a regular expression.
 */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const found = tokens.map((token) => ({ token, depth: 1 }))
  // The list grows while it is read, so the shallowest collections come first.
  for (const { token, depth } of found) {
    if (token.type === 'document' && token.value) found.push({ token: token.value, depth })
    if (!('items' in token)) continue
    if (depth > MAX_YAML_DEPTH) return token.offset
    for (const { key, value } of token.items) {
      if (key) found.push({ token: key, depth: depth + 1 })
      if (value) found.push({ token: value, depth: depth + 1 })
    }
  }
  return undefined
}
