/** The tag grammar (semantics 1.7). */

// Not part of a tag: general punctuation, white space, ASCII punctuation except `_`, `-`, `/`.
const TAG = /^[^\u2000-\u206f\u2e00-\u2e7f\s'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+/

const isTagName = (name) => /[^\d/]/.test(name)

/**
 * Tags in the source of one text node. The start of the node is a boundary: a line, a cell or another token ends there (T4).
 * @param {string} slice
 * @returns {{ name: string, at: number }[]}
 */
export function tagsInText(slice) {
  const tags = []
  let tokenEnd = 0
  for (let at = 0; at < slice.length; at++) {
    if (slice[at] === '\\' && /[!-/:-@[-`{-~]/.test(slice[at + 1] ?? '')) {
      at += 1
      tokenEnd = at + 1
    } else if (slice[at] === '#' && startsTag(slice, at, tokenEnd)) {
      const written = slice.slice(at + 1).match(TAG)?.[0] ?? ''
      const name = written.replace(/\/+$/, '')
      if (!isTagName(name)) continue
      tags.push({ name, at })
      at += written.length
      tokenEnd = at + 1
    }
  }
  return tags
}

function startsTag(slice, at, tokenEnd) {
  if (at === tokenEnd || /\s/.test(slice[at - 1])) return true
  // A blockquote mark without a space after it.
  return slice[at - 1] === '>' && /\n[ \t>]*$/.test(slice.slice(0, at))
}

/**
 * One item of a `tags` property, or `undefined` if it is not a valid tag.
 * @param {string} item with or without `#`
 */
export function tagOfProperty(item) {
  const name = item.trim().replace(/^#/, '').replace(/\/+$/, '')
  return name.match(TAG)?.[0] === name && isTagName(name) ? name : undefined
}

/** Unique tags, each in its first spelling (T10). */
export function distinctTags(names) {
  const byFolded = new Map()
  for (const name of names) {
    const folded = name.normalize('NFC').toLowerCase()
    if (!byFolded.has(folded)) byFolded.set(folded, name)
  }
  return [...byFolded.values()]
}
