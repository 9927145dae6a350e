import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { MalformedPart } from '../../core/note.ts'
import { MAX_YAML_DEPTH, tooDeepAt } from '../../core/text/deep-yaml.ts'
import type { LineIndex } from '../line-index.ts'
import { carriesFacts, type Frontmatter, type PropertyText } from './plain-frontmatter.ts'

declare const require: (id: 'yaml') => typeof Yaml

let yamlModule: typeof Yaml | undefined

/**
 * Loads the YAML library on first use, so startup is faster. In the bundle, `require` defers its evaluation. Plain ES modules
 * need `createRequire`.
 */
export function yaml(): typeof Yaml {
  if (yamlModule) return yamlModule
  try {
    yamlModule = require('yaml')
  } catch {
    yamlModule = createRequire(import.meta.url)('yaml') as typeof Yaml
  }
  return yamlModule
}

/** Maximum length for the full parser, which takes about a second for a few megabytes. */
export const MAX_LENGTH = 512 * 1024

export interface FullFrontmatter extends Frontmatter {
  readonly malformed: MalformedPart | undefined
}

const EMPTY = { properties: {}, texts: [] }

/** Reads YAML 1.2 core frontmatter except aliases. Anchors are ignored. The reader sets `malformed` instead of throwing. */
export function readFullFrontmatter(text: string, range: readonly [from: number, to: number], lines: LineIndex): FullFrontmatter {
  const [from, to] = range
  const source = text.slice(from, to)
  const fail = (at: number, why: string): FullFrontmatter => ({
    ...EMPTY,
    malformed: { line: lines.lineAt(from + at), message: `The frontmatter cannot be read: ${why}.` },
  })
  if (source.length > MAX_LENGTH) return fail(0, 'it is larger than 512 KB and not plain')
  // If the library is missing, the installation is broken, not the note.
  yaml()
  try {
    const converter = new Converter(text, from)
    const properties = converter.read(source)
    return { properties, texts: converter.texts, malformed: undefined }
  } catch (error) {
    if (error instanceof Malformed) return fail(error.at, error.message)
    return fail(0, 'it is not valid YAML')
  }
}

/** @throws Malformed */
function parseDocument(source: string): Yaml.Document.Parsed {
  const { Composer, Parser } = yaml()
  const tokens = [...new Parser().parse(source)]
  const deep = tooDeepAt(tokens)
  if (deep !== undefined) throw tooDeep(deep)
  // The library's check for unique keys is off, because it takes quadratic time. The converter uses a set.
  const composer = new Composer({ ...YAML_OPTIONS, uniqueKeys: false })
  const [document] = composer.compose(tokens, true, source.length)
  return document as Yaml.Document.Parsed
}

class Malformed extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

function tooDeep(at: number): Malformed {
  return new Malformed(at, `it is nested more than ${MAX_YAML_DEPTH} levels deep`)
}

class Converter {
  readonly texts: PropertyText[] = []
  readonly #text: string
  readonly #from: number
  #depth = 0
  #lists = 0

  constructor(text: string, from: number) {
    this.#text = text
    this.#from = from
  }

  read(source: string): Record<string, unknown> {
    const document = parseDocument(source)
    const error = document.errors[0]
    if (error) throw new Malformed(error.pos[0], sentence(error.message))
    const { contents } = document
    if (contents === null || (yaml().isScalar(contents) && contents.value === null)) return {}
    if (!yaml().isMap(contents)) throw new Malformed(contents.range?.[0] ?? 0, 'it is not a mapping of properties')
    return this.#mapping(contents, '')
  }

  #value(node: unknown, key: string): unknown {
    const { isAlias, isMap, isScalar, isSeq } = yaml()
    if (isAlias(node)) throw new Malformed(node.range?.[0] ?? 0, 'aliases (*name) are not supported')
    if (isScalar(node)) return this.#scalar(node, key)
    if (isMap(node)) return this.#mapping(node, key)
    if (isSeq(node)) return this.#list(node, key)
    return null
  }

  #mapping(node: Yaml.YAMLMap, path: string): Record<string, unknown> {
    this.#enter(node)
    // The members are collected in a map, because an assignment to `__proto__` would set an object's prototype.
    const members = new Map<string, unknown>()
    for (const pair of node.items) {
      const name = this.#keyName(pair.key)
      if (members.has(name)) throw new Malformed(startOf(pair.key), `the key ${JSON.stringify(name)} occurs twice`)
      members.set(name, this.#value(pair.value, path === '' ? name : `${path}.${name}`))
    }
    this.#depth--
    return Object.fromEntries(members)
  }

  #list(node: Yaml.YAMLSeq, key: string): unknown[] {
    this.#enter(node)
    const link = this.#unquotedLink(node)
    if (link) this.texts.push({ key, unquoted: true, ...link })
    this.#lists++
    const list = node.items.map((item) => this.#value(item, key))
    this.#lists--
    this.#depth--
    return list
  }

  #enter(node: Yaml.YAMLMap | Yaml.YAMLSeq): void {
    // The depth is checked again, because `[a: b]` becomes a nested mapping that the tokens do not show.
    if (++this.#depth > MAX_YAML_DEPTH) throw tooDeep(startOf(node))
  }

  #unquotedLink(node: Yaml.YAMLSeq): { value: string; start: number; end: number } | undefined {
    if (!node.flow || node.items.length !== 1 || !node.range || !yaml().isSeq(node.items[0])) return undefined
    const start = node.range[0] + this.#from
    const end = node.range[1] + this.#from
    const value = this.#text.slice(start, end)
    return /^\[\[[^\n[\]]+\]\]$/.test(value) && !/["']/.test(value[2] as string) ? { value, start, end } : undefined
  }

  #keyName(node: unknown): string {
    if (yaml().isScalar(node)) {
      return typeof node.value === 'string' ? node.value : node.value === null ? '' : String(plain(node))
    }
    if (node === null) return ''
    const range = (node as Yaml.Node).range
    if (yaml().isAlias(node)) throw new Malformed(range?.[0] ?? 0, 'aliases (*name) are not supported')
    return range ? this.#text.slice(range[0] + this.#from, range[1] + this.#from).trim() : ''
  }

  #scalar(node: Yaml.Scalar, key: string): unknown {
    const value = plain(node)
    if (typeof value === 'string' && node.range && carriesFacts(key, value)) {
      const range = { start: node.range[0] + this.#from, end: node.range[1] + this.#from }
      this.texts.push(this.#lists > 1 ? { key, value, ...range, nested: true } : { key, value, ...range })
    }
    return value
  }
}

export const YAML_OPTIONS = {
  version: '1.2',
  schema: 'core',
  logLevel: 'silent',
  prettyErrors: false,
  stringKeys: false,
} as const

function plain(node: Yaml.Scalar): unknown {
  const { value } = node
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  return node.source ?? String(value)
}

function startOf(node: unknown): number {
  return (node as { range?: Yaml.Range | null } | null)?.range?.[0] ?? 0
}

function sentence(message: string): string {
  const first = (message.split('\n', 1)[0] as string).trimEnd()
  return first.charAt(0).toLowerCase() + first.slice(1).replace(/[.:]$/, '')
}
