import { dirname } from 'node:path'
import { Composer, type Document, isAlias, isMap, isScalar, LineCounter, type Node, type Pair, Parser } from 'yaml'
import type { RouxError } from '../core/errors.ts'
import { MAX_YAML_DEPTH, tooDeepAt } from '../core/text/deep-yaml.ts'
import { type GivenSetting, invalid, type SettingsSource, unknownKey } from './given.ts'
import { SECTIONS, SETTINGS } from './settings-schema.ts'

/** Collects errors in `problems`. */
export function parseConfig(path: string, text: string): SettingsSource {
  const lines = new LineCounter()
  const refuse = (at: number, why: string, hint?: string): SettingsSource => ({
    given: [],
    problems: [invalid(`${path}:${lines.linePos(at).line}: ${why}`, hint)],
  })
  const tokens = [...new Parser(lines.addNewLine).parse(text)]
  const deep = tooDeepAt(tokens)
  if (deep !== undefined) return refuse(deep, `the settings are nested more than ${MAX_YAML_DEPTH} levels deep.`)
  const [document, second] = new Composer({ prettyErrors: false }).compose(tokens, true, text.length) as Iterable<Document>
  if (document === undefined) return { given: [], problems: [] }
  const [broken] = document.errors
  if (broken) return refuse(broken.pos[0], sentence(broken.message), 'The file is not valid YAML.')
  if (second !== undefined)
    return refuse(second.range?.[0] ?? 0, 'a second YAML document starts here.', 'A settings file may contain only one document.')
  const follow = (node: Node | null): Node | null => (isAlias(node) ? (node.resolve(document) ?? null) : node)
  const itemOf = ({ key, value }: Pair<Node, Node | null>): Item => ({
    key: String(isScalar(key) ? key.value : key),
    value,
    line: lines.linePos(key.range?.[0] ?? 0).line,
  })
  return collect({
    path,
    contents: document.contents as Node | null,
    itemsOf(node) {
      const map = follow(node)
      if (map === null || (isScalar(map) && map.value === null)) return []
      return isMap(map) ? map.items.map((pair) => itemOf(pair as Pair<Node, Node | null>)) : undefined
    },
    toValue: (node) => follow(node)?.toJS(document) ?? null,
  })
}

interface Item {
  readonly key: string
  readonly value: Node | null
  readonly line: number
}

interface Tree {
  readonly path: string
  readonly contents: Node | null
  /** Returns the items of a mapping, none for an empty value, and `undefined` for any other node. */
  itemsOf(node: Node | null): readonly Item[] | undefined
  /** Converts a node to a value. @throws if aliases expand excessively */
  toValue(node: Node | null): unknown
}

function collect({ path, contents, itemsOf, toValue }: Tree): SettingsSource {
  const items: GivenSetting[] = []
  const problems: RouxError[] = []
  const addSetting = ({ key, value, line }: Item): void => {
    const where = `${path}:${line}`
    try {
      items.push({ key, raw: toValue(value), written: 'yaml', where, base: dirname(path) })
    } catch (error) {
      problems.push(invalid(`${where}: ${sentence((error as Error).message)}`))
    }
  }
  /** A key `url:` below `neo4j:` below `store:` sets `store.neo4j.url`. */
  const giveOrOpen = (item: Item): void => {
    const below = SETTINGS.some(({ key }) => key.startsWith(`${item.key}.`)) ? itemsOf(item.value) : undefined
    if (below === undefined) addSetting(item)
    else for (const { key, ...rest } of below) addSetting({ key: `${item.key}.${key}`, ...rest })
  }
  const root = itemsOf(contents)
  if (root === undefined) problems.push(invalid(`${path}: expected settings, such as "vault:" with "  mode: docs" below it.`))
  for (const item of root ?? []) {
    const inside = Object.hasOwn(SECTIONS, item.key) ? itemsOf(item.value) : undefined
    // A dotted key such as `vault.mode: docs` equals a nested one.
    if (item.key.includes('.')) addSetting(item)
    else if (!Object.hasOwn(SECTIONS, item.key)) problems.push(unknownKey({ key: item.key, where: `${path}:${item.line}` }))
    else if (inside === undefined)
      problems.push(invalid(`${path}:${item.line}: "${item.key}" must contain settings, one per line below it.`))
    else for (const { key, ...rest } of inside) giveOrOpen({ key: `${item.key}.${key}`, ...rest })
  }
  return { given: items, problems }
}

function sentence(message: string): string {
  const line = message.split('\n', 1)[0] ?? ''
  return /[.!?]$/.test(line) ? line : `${line}.`
}
