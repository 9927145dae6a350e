// Reads the final state of the vault, its trash and the record of changes.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

/** The current paths of all notes outside the trash. */
export function notePaths(vault) {
  for (;;) {
    try {
      return readdirSync(vault, { recursive: true }).filter((path) => /^[^.].*\.md$/.test(path))
    } catch (error) {
      // A folder was removed while it was listed.
      if (error.code !== 'ENOENT') throw error
    }
  }
}

/** Every file except the human's draft, by path. */
export function filesOf(vault) {
  const entries = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(vault.length + 1))
  return new Map(paths.filter((path) => path !== '.human').map((path) => [path, readFileSync(join(vault, path), 'utf8')]))
}

/** How often each token occurs in these texts. */
export function countTokens(texts) {
  const counts = new Map()
  for (const text of texts) {
    for (const [token] of text.matchAll(/\b(?:one|two|human)-\d+\b/g)) counts.set(token, (counts.get(token) ?? 0) + 1)
  }
  return counts
}

/** The tokens in all recorded contents. */
export function recordedTokens(state) {
  const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite')
  const database = new DatabaseSync(join(state, 'roux/state.db'), { readOnly: true })
  const tokens = new Set()
  for (const { deflated, bytes } of database.prepare('SELECT deflated, bytes FROM contents').iterate()) {
    const text = Buffer.from(deflated === 1 ? inflateRawSync(bytes) : bytes).toString()
    for (const token of countTokens([text]).keys()) tokens.add(token)
  }
  database.close()
  return tokens
}

/** Files with part of a line, and leftover temporary files. */
export function tornFiles(files) {
  return [...files].flatMap(([path, text]) => {
    if (path.includes('.roux-')) return [`${path} was left`]
    const torn = text.split('\n').find((line) => line !== '' && !/^- .* end$/.test(line))
    return torn === undefined ? [] : [`${path} has a torn line: ${JSON.stringify(torn.slice(0, 100))}`]
  })
}
