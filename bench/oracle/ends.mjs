/** Finds where each link of a vault leads, down to the heading or block. The write fuzzer compares this before and after a change. */
import { parentPort, workerData } from 'node:worker_threads'
import { readVault } from './oracle.mjs'

/**
 * Where a link leads: a path, and the index of a heading or the id of a block in it. `path` is absent for a broken link.
 * @typedef {{ line: number, written: string, path?: string, heading?: number, block?: string }} End
 */

/**
 * @typedef {object} ReadFile
 * @property {string} kind
 * @property {boolean} malformed whether its frontmatter is invalid YAML
 * @property {number} firstLine of the body
 * @property {readonly import('./body.mjs').RawHeading[]} headings
 * @property {readonly string[]} tags
 * @property {readonly End[]} ends
 */

/**
 * @param {string} root
 * @param {{ profile: string, mode: string, comments: boolean }} flavor
 * @returns {Map<string, ReadFile>} by path
 */
export function readEnds(root, flavor) {
  const { files, resolve, mode } = readVault(root, flavor)
  return new Map(
    [...files].map(([path, { kind, malformed, firstLine, headings, tags, links }]) => {
      const counted = links.filter(({ form }) => form !== 'html' || mode === 'docs')
      return [
        path,
        { kind, malformed, firstLine, headings, tags, ends: counted.map((link) => endOf(link, resolve(link, path), files)) },
      ]
    }),
  )
}

function endOf(link, target, files) {
  const own = { line: link.line, written: link.target }
  if (target.kind !== 'file') return own
  const found = files.get(target.path)
  const subpath = subpathOf(link)
  if (subpath.startsWith('^')) {
    const block = subpath.slice(1).toLowerCase()
    return { ...own, path: target.path, ...(found.blocks.some((id) => id.toLowerCase() === block) ? { block } : {}) }
  }
  const heading = subpath === '' ? undefined : headingOf(subpath, found.headings, link.form !== 'wiki')
  return { ...own, path: target.path, ...(heading === undefined ? {} : { heading }) }
}

/** The text after the first `#`, without a label. */
function subpathOf({ form, target }) {
  const written = form === 'wiki' ? target.replace(/(?<!^)\\?\|.*$/s, '') : decode(target)
  const hash = written.indexOf('#')
  return hash === -1 ? '' : written.slice(hash + 1).trim()
}

function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** In `A#B`, each name is a heading below the previous one. A Markdown link may also use GitHub's heading anchors. */
function headingOf(subpath, headings, mayBeSlug) {
  const names = subpath
    .split('#')
    .map(plain)
    .filter((name) => name !== '')
  const byName = names.length === 0 ? undefined : descend(names, headings)
  if (byName !== undefined || !mayBeSlug) return byName
  const at = slugsOf(headings).indexOf(subpath.toLowerCase())
  return at === -1 ? undefined : at
}

/** The first heading with the last name that is below headings with the other names, in this order. */
function descend(names, headings) {
  const named = headings.map(({ text }) => plain(shown(text)))
  const at = headings.findIndex((_, index) => {
    if (named[index] !== names.at(-1)) return false
    const above = []
    let depth = headings[index].depth
    for (let each = index - 1; each >= 0; each--) {
      if (headings[each].depth >= depth) continue
      depth = headings[each].depth
      above.unshift(named[each])
    }
    const left = names.slice(0, -1)
    for (const name of above) if (name === left[0]) left.shift()
    return left.length === 0
  })
  return at === -1 ? undefined : at
}

/** The text of a link for comparison, without formatting and punctuation. */
const shown = (text) =>
  text.replace(/!?\[\[([^[\]]*)\]\]/g, (_, inner) => inner.replace(/\\?\|/g, ' ')).replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
const plain = (text) =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

function slugsOf(headings) {
  const seen = new Map()
  return headings.map(({ text }) => {
    const said = text.replace(/!?\[\[(?:[^[\]|]*\|)?([^[\]|]*)\]\]/g, '$1').replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    const slug = said
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

// As a worker thread, it answers with the ends of each requested vault.
if (workerData === 'ends')
  parentPort.on('message', ({ root, flavor }) => {
    try {
      parentPort.postMessage({ read: readEnds(root, flavor) })
    } catch (error) {
      parentPort.postMessage({ error })
    }
  })
