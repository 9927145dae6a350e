import type { CST } from 'yaml'

/** How deep collections may be nested in YAML: composing a document recurses, and so does reading one. */
export const MAX_YAML_DEPTH = 64

/**
 * Where collections are nested deeper than that in what the YAML library's parser found, or `undefined`. To be asked before a
 * document is composed: the library catches a stack overflow of its own and goes on where hardly any stack is left, and a
 * regular expression that V8 compiles there ends the process.
 */
export function tooDeepAt(tokens: readonly CST.Token[]): number | undefined {
  const found = tokens.map((token) => ({ token, depth: 1 }))
  // The list grows while it is read: what is nearest to the top comes first.
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
