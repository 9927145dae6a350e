import type * as Yaml from 'yaml'
import type { TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { type Fences, findFences, readFrontmatter } from '../frontmatter/frontmatter.ts'
import { MAX_LENGTH, YAML_OPTIONS, yaml } from '../frontmatter/yaml-frontmatter.ts'
import { startOfLine } from './lines.ts'

export interface Entry {
  readonly key: string
  /** The offset of the key, or of its line in block form. */
  readonly start: number
  /** The end of the property's last line, or of its value in flow form. */
  readonly end: number
  readonly colonEnd: number
  readonly value: Value
}

export interface Value {
  readonly node: Yaml.Node | undefined
  /**
   * The start of the value, including a tag such as `!!str` or an anchor. An empty value starts and ends after the colon or dash.
   */
  readonly start: number
  readonly end: number
}

export interface ListItem extends Value {
  readonly dash: number
  readonly lineStart: number
  readonly lineEnd: number
}

export function withoutItem({ lineStart, lineEnd }: ListItem): TextEdit {
  return { start: lineStart, end: lineEnd, text: '' }
}

export interface FrontmatterTree {
  readonly text: string
  /** The start of the text, after a byte order mark. */
  readonly start: number
  readonly fences?: Fences
  /** `flow` is JSON. The form is `undefined` if there are no properties. */
  readonly form: 'block' | 'flow' | undefined
  readonly properties: Readonly<Record<string, unknown>>
  readonly entries: readonly Entry[]
  readonly indent: string
  readonly items: (list: Yaml.YAMLSeq) => readonly ListItem[]
}

/**
 * Parses the frontmatter.
 * @throws RouxError `EDIT_MISMATCH` with the line if the frontmatter is malformed; `TOO_LARGE` if it exceeds 512 KB
 */
export function requireFrontmatter(text: string): FrontmatterTree {
  const { properties, malformed } = readFrontmatter(text)
  const [problem] = malformed
  if (problem) {
    throw new RouxError('EDIT_MISMATCH', `Line ${problem.line}: ${problem.message}`, {
      hint: 'Fix the frontmatter first. Until then, only the body can be edited.',
      candidates: [{ line: problem.line }],
    })
  }
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  const fences = findFences(text, start)
  if (typeof fences !== 'string' && fences.to - fences.from > MAX_LENGTH) {
    throw new RouxError('TOO_LARGE', 'The frontmatter is larger than 512 KB.', { hint: 'Edit it by hand.' })
  }
  const tree = { text, start, properties, entries: [], indent: '', items: () => [], form: undefined }
  return typeof fences === 'string' ? tree : { ...tree, fences, ...entriesIn(text, fences) }
}

function entriesIn(text: string, { from, to }: Fences): Pick<FrontmatterTree, 'form' | 'entries' | 'indent' | 'items'> {
  const source = text.slice(from, to)
  const { contents } = yaml().parseDocument(source, { ...YAML_OPTIONS, uniqueKeys: false, keepSourceTokens: true })
  const reader = new TreeReader(text, from)
  const items = (list: Yaml.YAMLSeq) => reader.items(list)
  if (!yaml().isMap(contents)) return { form: undefined, entries: [], indent: '', items }
  const entries = contents.items.map((pair) => reader.entry(pair, contents.flow === true))
  const first = from + startOf(contents)
  const indent = contents.flow ? '' : text.slice(startOfLine(text, first), first)
  return { form: contents.flow ? 'flow' : 'block', entries, indent, items }
}

class TreeReader {
  readonly #text: string
  readonly #from: number

  constructor(text: string, from: number) {
    this.#text = text
    this.#from = from
  }

  entry(pair: Yaml.Pair, flow: boolean): Entry {
    const { key, colonEnd, value } = this.#pair(pair)
    const begin = this.#from + (tokenOf(pair.srcToken?.start, 'explicit-key-ind')?.offset ?? startOf(pair.key))
    const start = flow ? begin : startOfLine(this.#text, begin)
    return { key, start, end: flow ? Math.max(value.end, colonEnd) : this.#nextLine(value.end), colonEnd, value }
  }

  items(list: Yaml.YAMLSeq): readonly ListItem[] {
    const tokens = (list.srcToken as Yaml.CST.BlockSequence | Yaml.CST.FlowCollection | undefined)?.items ?? []
    return list.items.map((node, i) => {
      const before = tokens[i]?.start
      const dash = this.#from + (tokenOf(before, 'seq-item-ind')?.offset ?? startOf(node))
      const value = this.#value(node, before, dash + 1)
      return { ...value, dash, lineStart: startOfLine(this.#text, dash), lineEnd: this.#nextLine(value.end) }
    })
  }

  #pair(pair: Yaml.Pair): { readonly key: string; readonly colonEnd: number; readonly value: Value } {
    const sep = pair.srcToken?.sep
    const colon = tokenOf(sep, 'map-value-ind')
    const colonEnd = this.#from + (colon ? colon.offset + 1 : endOf(pair.key))
    const key = yaml().isScalar(pair.key) ? String(pair.key.value ?? '') : ''
    return { key, colonEnd, value: this.#value(pair.value, sep, colonEnd) }
  }

  #value(node: unknown, before: readonly Yaml.CST.SourceToken[] | undefined, absentAt: number): Value {
    if (!yaml().isNode(node) || !node.range) return { node: undefined, start: absentAt, end: absentAt }
    const mark = tokenOf(before, 'tag', 'anchor')
    if (node.range[0] === node.range[1] && !mark) return { node: undefined, start: absentAt, end: absentAt }
    return { node, start: this.#from + (mark?.offset ?? node.range[0]), end: this.#endOf(node) }
  }

  /** Returns the end of a node. The library's range includes blank lines and comments below a block collection. */
  #endOf(node: Yaml.Node): number {
    const { isMap, isSeq } = yaml()
    if (isSeq(node) && !node.flow) return this.items(node).at(-1)?.end ?? this.#from + endOf(node)
    const last = isMap(node) && !node.flow ? node.items.at(-1) : undefined
    return last ? this.#pair(last).value.end : this.#from + endOf(node)
  }

  #nextLine(at: number): number {
    // The range of a block scalar includes its last line ending.
    return this.#text[at - 1] === '\n' ? at : this.#text.indexOf('\n', at) + 1
  }
}

function tokenOf(tokens: readonly Yaml.CST.SourceToken[] | undefined, ...types: readonly Yaml.CST.SourceToken['type'][]) {
  return tokens?.find(({ type }) => types.includes(type))
}

function startOf(node: unknown): number {
  return (node as Yaml.Node | null)?.range?.[0] ?? 0
}

function endOf(node: unknown): number {
  return (node as Yaml.Node | null)?.range?.[1] ?? 0
}
