import { isDeepStrictEqual } from 'node:util'
import type * as Yaml from 'yaml'
import { readFullFrontmatter, yaml } from '../frontmatter/yaml-frontmatter.ts'
import { LineIndex } from '../line-index.ts'

export interface Style {
  readonly flow?: boolean
  readonly quotes?: 'QUOTE_SINGLE' | 'QUOTE_DOUBLE' | undefined
  /** If true, strings such as dates stay unquoted, although YAML 1.1 misreads them. */
  readonly plain?: boolean
  /** True if the dashes of a list are not indented. */
  readonly outdented?: boolean
}

export interface WrittenValue {
  /** The text after the colon: ` value`, ` |-` or nothing. */
  readonly head: string
  readonly body: string
}

/**
 * Writes a value. Strings that YAML 1.1 or 1.2 would misread (dates, `yes`, `12:30`) are quoted. Multi-line strings become
 * literal blocks.
 */
export function writeValue(value: unknown, style: Style = {}): WrittenValue {
  const source = documentOf(value, style)
  if (!source.startsWith('x:') || !isDeepStrictEqual(propertiesOf(source)?.x, value))
    return { head: ` ${JSON.stringify(value)}`, body: '' }
  const newline = source.indexOf('\n')
  return { head: source.slice(2, newline), body: source.slice(newline + 1) }
}

export function writeFlow(value: unknown, style: Style = {}): string {
  const list = writeValue([value], { ...style, flow: true })
  const listSource = list.head.slice(2, -1)
  return list.body === '' && list.head.startsWith(' [') && !listSource.includes('\n') ? listSource : JSON.stringify(value)
}

export function writeKey(key: string): string {
  const source = new (yaml().Document)({ [key]: 1 }, { ...WRITING, compat: 'yaml-1.1' }).toString(LAYOUT)
  const nameSource = source.endsWith(': 1\n') ? source.slice(0, -4) : ''
  // The written key is checked, because other parsers reject keys such as `- x` and `? x`, which the library writes.
  const read = nameSource === '' || nameSource.includes('\n') ? undefined : propertiesOf(source)
  return read && isDeepStrictEqual(Object.entries(read), [[key, 1]]) ? nameSource : JSON.stringify(key)
}

/** @returns `undefined` if the frontmatter is malformed */
function propertiesOf(source: string): Readonly<Record<string, unknown>> | undefined {
  const { properties, malformed } = readFullFrontmatter(source, [0, source.length], new LineIndex())
  return malformed ? undefined : properties
}

const WRITING = { version: '1.2', schema: 'core', aliasDuplicateObjects: false } as const
const LAYOUT = { lineWidth: 0, flowCollectionPadding: false, blockQuote: 'literal' } as const

function documentOf(value: unknown, { flow = false, quotes, plain = false, outdented = false }: Style): string {
  const compat = plain ? null : 'yaml-1.1'
  const document = new (yaml().Document)({ x: null }, { ...WRITING, compat })
  const node = document.createNode(value, { flow, aliasDuplicateObjects: false }) as Yaml.Node
  if (quotes) quoteTexts(node, quotes)
  document.set('x', node)
  return document.toString({ ...LAYOUT, indentSeq: !outdented })
}

function quoteTexts(node: Yaml.Node, quotes: NonNullable<Style['quotes']>): void {
  yaml().visit(node, {
    Scalar(key, scalar) {
      if (key !== 'key' && typeof scalar.value === 'string' && !scalar.value.includes('\n')) scalar.type = quotes
    },
  })
}
