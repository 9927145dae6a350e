import type { MalformedPart } from '../../core/note.ts'
import { isExternal } from '../destinations.ts'
import { indexLines } from '../line-index.ts'

export interface CanvasText {
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface CanvasNode {
  file?: CanvasText
  subpath?: CanvasText
  text?: CanvasText
}

/** An empty file counts as an empty canvas. */
export function readCanvasNodes(source: string): { nodes: readonly CanvasNode[] } | { malformed: MalformedPart } {
  const start = source.charCodeAt(0) === 0xfeff ? 1 : 0
  const json = start === 0 ? source : source.slice(1)
  if (json.trim() === '') return { nodes: [] }
  const mistake = mistakeIn(json)
  if (mistake !== undefined) {
    const line = indexLines(json).lineAt(mistake === 'somewhere' ? badTokenAt(json) : mistake)
    return { malformed: { line, message: 'The canvas cannot be read: it is not valid JSON.' } }
  }
  return { nodes: new NodeReader(source, start).read() }
}

/** Returns the position of a mistake, which Node does not always report. */
function mistakeIn(json: string): number | 'somewhere' | undefined {
  try {
    JSON.parse(json)
    return undefined
  } catch (error) {
    const { message } = error as Error
    if (/^Unexpected end/.test(message)) return json.length
    const at = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
    return at === undefined ? 'somewhere' : Number(at)
  }
}

/** Finds the first invalid token by bisection. JSON cut off before that token is only incomplete. */
function badTokenAt(json: string): number {
  let before = 0
  let behind = json.length
  while (behind - before > 1) {
    const middle = (before + behind) >> 1
    if (mistakeIn(json.slice(0, middle)) === 'somewhere') behind = middle
    else before = middle
  }
  return before
}

const STRING_END = /["\\]/g

class NodeReader {
  readonly #source: string
  readonly #nodes: CanvasNode[] = []
  readonly #open: string[] = []
  #key = ''
  #topKey = ''
  #node: CanvasNode & { background?: CanvasText } = {}
  #type = ''
  #expectKey = false
  #at: number

  constructor(source: string, start: number) {
    this.#source = source
    this.#at = start
  }

  read(): readonly CanvasNode[] {
    const source = this.#source
    while (this.#at < source.length) {
      const c = source[this.#at] as string
      if (c === '"') this.#readString()
      else {
        if (c === '{' || c === '[') this.#enter(c)
        else if (c === '}' || c === ']') this.#leave()
        else if (c === ',') this.#expectKey = this.#inside('{')
        this.#at++
      }
    }
    return this.#nodes
  }

  #inside(bracket: string): boolean {
    return this.#open.at(-1) === bracket
  }

  #enter(bracket: string): void {
    if (this.#open.length === 1) this.#topKey = this.#key
    this.#open.push(bracket)
    this.#expectKey = bracket === '{'
    if (this.#isNode()) {
      this.#node = {}
      this.#type = ''
    }
  }

  #isNode(): boolean {
    return this.#open.length === 3 && this.#topKey === 'nodes' && this.#open.join('') === '{[{'
  }

  #leave(): void {
    if (this.#isNode()) this.#nodes.push(ofType(this.#type, this.#node))
    this.#open.pop()
    this.#expectKey = false
  }

  #readString(): void {
    const start = this.#at
    const end = this.#stringEnd(start)
    this.#at = end
    const key = this.#expectKey
    this.#expectKey = false
    if (key) {
      this.#key = end - start < 100 ? (JSON.parse(this.#source.slice(start, end)) as string) : ''
      return
    }
    if (!this.#isNode()) return
    const name = this.#key
    if (!isPart(name)) return
    const value = JSON.parse(this.#source.slice(start, end)) as string
    if (name === 'type') this.#type = value
    else this.#node[name] = { value, start, end }
  }

  #stringEnd(start: number): number {
    STRING_END.lastIndex = start + 1
    for (let found = STRING_END.exec(this.#source); found; found = STRING_END.exec(this.#source)) {
      if (found[0] === '"') return found.index + 1
      STRING_END.lastIndex = found.index + 2
    }
    return this.#source.length
  }
}

function isPart(key: string): key is 'type' | 'file' | 'subpath' | 'text' | 'background' {
  return ['type', 'file', 'subpath', 'text', 'background'].includes(key)
}

function ofType(type: string, { background, ...node }: CanvasNode & { readonly background?: CanvasText }): CanvasNode {
  if (type === 'text') return node.text ? { text: node.text } : {}
  if (type === 'file') return { ...(node.file ? { file: node.file } : {}), ...(node.subpath ? { subpath: node.subpath } : {}) }
  if (type === 'group') return background && background.value !== '' && !isExternal(background.value) ? { file: background } : {}
  return type === '' ? node : {}
}

/** An escaped character is longer in the file than in the value. */
export function sourceOffsets(text: string, card: CanvasText): (offset: number) => number {
  let offset = 0
  let source = card.start + 1
  return (wanted) => {
    if (wanted < offset) {
      offset = 0
      source = card.start + 1
    }
    for (; offset < wanted; offset++) source += text[source] !== '\\' ? 1 : text[source + 1] === 'u' ? 6 : 2
    return source
  }
}

/**
 * Returns the text of a canvas's cards. Everything else becomes spaces, so offsets and lines stay the same. A malformed canvas
 * gives an empty string.
 */
export function canvasProse(source: string): string {
  const nodes = readCanvasNodes(source)
  const cards = 'malformed' in nodes ? [] : nodes.nodes.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const parts: string[] = []
  let at = 0
  for (const { value, start, end } of cards) {
    parts.push(blank(source.slice(at, start)), ' ', value.replace(/[\n\r\u2028\u2029]/g, ' '))
    parts.push(' '.repeat(Math.max(0, end - start - 1 - value.length)))
    at = end
  }
  return parts.join('') + blank(source.slice(at))
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, (line) => ' '.repeat(line.length))
}
