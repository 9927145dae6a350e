// Finds the parts of a note, to decide which bytes may change. Independent of the program and deliberately simple: it skips what it is not
// sure of. A file is a latin1 string with one character per byte, so nothing is ever decoded.

const FRONTMATTER = /^---[ \t]*\r?\n(?:[\s\S]*?\n)??---[ \t]*(?:\r?\n|$)/
const MARK = '\xef\xbb\xbf'

export const toBytes = (raw) => Buffer.from(raw, 'latin1')
export const fromBytes = (bytes) => bytes.toString('latin1')
export const fromText = (text) => Buffer.from(text, 'utf8').toString('latin1')
const toText = (raw) => Buffer.from(raw, 'latin1').toString('utf8')

/** Where the frontmatter begins and ends (length 0 if there is none), and the line ending of the first line. */
export function anatomy(raw) {
  const start = raw.startsWith(MARK) ? MARK.length : 0
  const block = FRONTMATTER.exec(raw.slice(start))?.[0] ?? ''
  const ending = /\r?\n/.exec(raw)?.[0] ?? '\n'
  return { start, bodyStart: start + block.length, ending }
}

/** The lines with their offsets. */
function linesOf(raw, from, to) {
  const lines = []
  for (let at = from; at < to; ) {
    const found = raw.indexOf('\n', at)
    const end = found < 0 || found >= to ? to : found + 1
    lines.push({ start: at, end, text: raw.slice(at, end).replace(/\r?\n$/, '') })
    at = end
  }
  return lines
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
// Contains nothing that a reader might display differently from the source.
const PLAIN_HEADING = /^(#{1,6}) ([^\s[\]#^|*_`~<>\\$%=!&:](?:[^[\]#^|*_`~<>\\$%=!&:]*[^\s[\]#^|*_`~<>\\$%=!&:])?)[ \t]*$/
/** Constructs that continue past a blank line and may hide a heading. */
const LASTING = /<(?:pre|script|style|textarea|!\[CDATA|\?)/i
/** A line that may turn the line above it into a heading. */
const UNDERLINE = /\S[ \t]*\r?\n {0,3}(?:=+|-+)[ \t]*\r?(?:\n|$)/

/**
 * Finds a section with a unique plain-text heading, unambiguous bounds and no subsections.
 * @returns its heading, where its text begins, where it ends (without trailing blank lines), and where the next heading begins.
 */
export function findSection(raw) {
  const { bodyStart } = anatomy(raw)
  const headings = findHeadings(raw, bodyStart)
  const names = headings.map(({ text }) => nameOf(text))
  for (const [at, line] of headings.entries()) {
    const [, marks, heading] = PLAIN_HEADING.exec(line.text) ?? []
    if (heading === undefined || names.filter((name) => name === nameOf(heading)).length > 1) continue
    const next = headings[at + 1]
    if (next !== undefined && HEADING.exec(next.text)[1].length > marks.length) continue
    const end = next?.start ?? raw.length
    const text = raw.slice(line.end, end)
    const isParted = next === undefined || /\n[ \t]*\r?\n$/.test(raw.slice(0, end))
    if (text.trim() === '' || !isParted || !isClosed(raw.slice(bodyStart, line.start)) || !isClosed(text)) continue
    if (UNDERLINE.test(text) || !/(?:^|\n)[ \t]*\r?\n$/.test(raw.slice(bodyStart, line.start) || '\n')) continue
    return { heading: toText(heading), start: line.end, textEnd: line.end + text.trimEnd().length, end }
  }
  return undefined
}

/** Lines that are headings: none inside a fence, and none at all if a fence stays open. */
function findHeadings(raw, bodyStart) {
  const headings = []
  let fence
  for (const line of linesOf(raw, bodyStart, raw.length)) {
    const mark = FENCE.exec(line.text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.text.trim() === mark) fence = undefined
    } else if (mark !== undefined) fence = mark
    else if (HEADING.test(line.text)) headings.push(line)
  }
  return fence === undefined ? headings : []
}

/** Whether every comment, formula and similar construct that opens in a text also closes there. */
function isClosed(text) {
  const count = (mark) => text.split(mark).length - 1
  return count('%%') % 2 === 0 && count('$$') % 2 === 0 && count('<!--') === count('-->') && !LASTING.test(text)
}

function nameOf(heading) {
  return heading
    .replace(/^[ #]+/, '')
    .trim()
    .toLowerCase()
}

/** Some words within one line of the body that occur once in the whole file. */
export function findText(raw) {
  const { bodyStart } = anatomy(raw)
  const lines = linesOf(raw, bodyStart, raw.length)
  for (let n = 0; n < lines.length; n++) {
    // The search starts in the middle, so that the bytes before and after the match are both checked.
    const { start, text } = lines[(n + (lines.length >> 1)) % lines.length]
    const found = /[A-Za-z0-9][A-Za-z0-9 ,.]{6,40}[A-Za-z0-9]/.exec(text)
    if (found !== null && raw.split(found[0]).length === 2) return { start: start + found.index, text: found[0] }
  }
  return undefined
}

// These characters have a meaning of their own, and an edit may change them, too.
const OWN = /^(?:tags?|alias(?:es)?|cssclass(?:es)?|title|id|slug|type|created|modified|updated|date)$/i

/** Finds the value of a one-line property that consists of plain words. */
export function findProperty(raw) {
  const { start, bodyStart } = anatomy(raw)
  const lines = linesOf(raw, start, bodyStart).slice(1, -1)
  for (const [at, line] of lines.entries()) {
    const found = /^([A-Za-z][\w-]*):[ ]([A-Za-z][\w./-]*(?: [\w./-]+)*)$/.exec(line.text)
    if (found === null || OWN.test(found[1]) || /^(?:true|false|null|yes|no|on|off)$/i.test(found[2])) continue
    if (/^[ \t]/.test(lines[at + 1]?.text ?? '')) continue
    return {
      key: found[1],
      start: line.end - raw.slice(line.start, line.end).length + found[1].length + 2,
      length: found[2].length,
    }
  }
  return undefined
}
