import type { PropertyText } from '../frontmatter/plain-frontmatter.ts'
import { literalPassage, mappedPassage, type Passage } from './passage.ts'

/** How a YAML scalar writes a piece of its text: by the quotes around it. What plain scalars cannot hold is not told here. */
function yamlEncoder(quote: string | undefined): Passage['encode'] {
  if (quote === '"') return (text) => JSON.stringify(text).slice(1, -1)
  if (quote === "'") return (text) => text.replaceAll("'", "''")
  return (text) => text
}

/** The text of a quoted scalar on one line, with where its characters stand; `undefined` for every other scalar. */
export function quotedPassage(file: string, { value, start, end }: PropertyText): Passage | undefined {
  const quote = file[start]
  if ((quote !== '"' && quote !== "'") || file[end - 1] !== quote) return undefined
  const sources = new Uint32Array(value.length + 1)
  let at = start + 1
  let offset = 0
  while (at < end - 1 && offset < value.length) {
    const unit = quote === '"' ? doubleUnit(file, at) : singleUnit(file, at)
    if (unit === undefined || !value.startsWith(unit.text, offset)) return undefined
    // Of an escape for a surrogate pair both halves stand where it stands.
    for (let i = 0; i < unit.text.length; i++) sources[offset + i] = at
    offset += unit.text.length
    at += unit.length
  }
  if (offset !== value.length || at !== end - 1) return undefined
  sources[offset] = at
  return mappedPassage(value, sources, yamlEncoder(quote))
}

interface Unit {
  readonly text: string
  /** How many UTF-16 code units of the file say it. */
  readonly length: number
}

function singleUnit(file: string, at: number): Unit | undefined {
  const c = file[at] as string
  if (c === '\n') return undefined
  return c === "'" ? { text: c, length: 2 } : { text: c, length: 1 }
}

const HEX: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
/** The single-character escapes of YAML 1.2, 5.7, that are not the character itself. */
const ESCAPED: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

function doubleUnit(file: string, at: number): Unit | undefined {
  const c = file[at] as string
  if (c === '\n') return undefined
  if (c !== '\\') return { text: c, length: 1 }
  const kind = file[at + 1] ?? ''
  const digits = HEX[kind]
  if (digits === undefined) return { text: ESCAPED[kind] ?? kind, length: 2 }
  const code = Number.parseInt(file.slice(at + 2, at + 2 + digits), 16)
  return code <= 0x10ffff ? { text: String.fromCodePoint(code), length: 2 + digits } : undefined
}

/** A piece of a scalar that stands in the file as it is read. */
export function literalInScalar(file: string, { start }: PropertyText): Passage {
  return literalPassage(file, yamlEncoder(file[start]))
}
