import type { Flavor } from '../core/note.ts'
import { decodePercent } from '../core/text/fold.ts'
import { unescapeText } from './destinations.ts'
import { readFrontmatter } from './frontmatter/frontmatter.ts'
import { LineIndex } from './line-index.ts'
import { scanBody } from './parse-note.ts'

/** A link to a file in a named vault: `obsidian://open?vault=work&file=Plan`. */
export interface VaultLink {
  readonly vault: string
  /** The path or name in that vault, usually without `.md`. */
  readonly file: string
  /** The 1-based line of the link. */
  readonly line: number
}

export function vaultLinksOf(text: string, flavor: Flavor): readonly VaultLink[] {
  if (!text.includes('obsidian:')) return []
  const lines = new LineIndex()
  const { end } = readFrontmatter(text, flavor, lines)
  return scanBody(text, end, { flavor, lines }).vaultLinks.flatMap(({ raw, line }): readonly VaultLink[] => {
    const target = readUri(unescapeText(raw))
    return target === undefined ? [] : [{ ...target, line }]
  })
}

/** Parses `obsidian://open?vault=…&file=…` and `obsidian://vault/<vault>/<file>`. */
function readUri(uri: string): Pick<VaultLink, 'vault' | 'file'> | undefined {
  const short = /^obsidian:\/\/vault\/([^/]+)\/(.+)$/.exec(uri)
  const query = /^obsidian:\/\/open\/?\?(.*)$/.exec(uri)?.[1]
  const parameters = new URLSearchParams(query)
  const vault = short ? decodePercent(short[1] ?? '') : parameters.get('vault')
  const file = short ? decodePercent(short[2] ?? '') : parameters.get('file')
  // The name of the file may end in `#heading`.
  const name = file?.split('#', 1)[0] ?? ''
  return vault && name !== '' ? { vault, file: name } : undefined
}
