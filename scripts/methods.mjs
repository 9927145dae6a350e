// What the library offers, from what the tools are: the interface of an open vault, and the table of its methods in docs/library.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `get_node` → `getNode`. */
export function methodName(tool) {
  return tool.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
}

/** The file whose declaration the build writes. */
export const METHODS = 'src/library/methods.ts'

/** What stands in the place of that file when its declaration is written. */
export function methodsModule(root, tools) {
  const cases = new Map(tools.map(({ name }) => [name, useCaseOf(root, name)]))
  const imports = new Map()
  for (const { name, file } of cases.values()) imports.set(file, new Set([...(imports.get(file) ?? []), name]))
  return `// Written by the build from the tools.
${[...imports]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from '${file}'`)
  .join('\n')}

export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal
}

/** Every use case as a method. Arguments are named as those of the tool in docs/tools.md. */
export interface VaultMethods {
${tools.map((tool) => method(tool, cases.get(tool.name))).join('\n\n')}
}
`
}

/** Rows of the table in docs/library.md. */
export function methodRows(tools) {
  return tools.map(({ name, title, inputSchema: { properties, required = [] } }) => [
    `\`${methodName(name)}\``,
    title,
    Object.keys(properties)
      .map((key) => (required.includes(key) ? `**${key}**` : key))
      .join(', '),
    `[\`${name}\`](tools.md#${name})`,
  ])
}

/** The function of `src/app` that a tool runs, as its literal says. */
function useCaseOf(root, tool) {
  const folder = join(root, 'src/mcp/tools')
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const text = texts.find((one) => one.includes(`\n  name: '${tool}',`)) ?? ''
  const importing = /(?:import|const) \{ ([^}]*) \} (?:from |= await import\()'\.\.\/\.\.\/(app\/[^']*)'/g
  const imports = [...text.matchAll(importing)].flatMap(([, names, file]) =>
    names.split(/,\s*/).flatMap((name) => (name.trim() === '' ? [] : [{ name: name.trim(), file: `../${file}` }])),
  )
  const literal = text.slice(text.indexOf(`\n  name: '${tool}',`)).split('\n})')[0]
  const run = literal.slice(literal.indexOf('\n  run: '))
  const found = imports.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(run))
  if (found.length !== 1) throw new Error(`The use case of ${tool} is not one: ${found.map(({ name }) => name).join(', ')}`)
  return found[0]
}

function method({ name, description, inputSchema }, useCase) {
  const isOptional = (inputSchema.required ?? []).length === 0
  return `  /** ${description} */
  ${methodName(name)}(args${isOptional ? '?' : ''}: ${typeText(inputSchema, '  ')}, options?: CallOptions): ReturnType<typeof ${useCase.name}>`
}

/** A JSON Schema as a type. */
function typeText(schema, indent) {
  if (schema.anyOf) return schema.anyOf.map((one) => typeText(one, indent)).join(' | ')
  if (schema.enum) return schema.enum.map((value) => literal(value)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type }, indent)).join(' | ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return schema.items === undefined ? 'readonly unknown[]' : arrayOf(typeText(schema.items, indent))
    case 'object':
      return objectText(schema, indent)
    default:
      return 'unknown'
  }
}

function arrayOf(item) {
  return item.includes(' | ') && !item.startsWith('{') ? `readonly (${item})[]` : `readonly ${item}[]`
}

function objectText({ properties, required = [], additionalProperties }, indent) {
  if (properties === undefined) {
    const values = typeof additionalProperties === 'object' ? typeText(additionalProperties, indent) : 'unknown'
    return `Readonly<Record<string, ${values}>>`
  }
  const below = `${indent}  `
  const lines = Object.entries(properties).map(([key, schema]) => {
    const sentence = [schema.description, schema.default === undefined ? '' : `Default: ${JSON.stringify(schema.default)}.`]
    const comment = sentence.filter(Boolean).join(' ')
    const said = comment === '' ? '' : `${below}/** ${comment.replaceAll('*/', '*\\/')} */\n`
    return `${said}${below}readonly ${key}${required.includes(key) ? '' : '?'}: ${typeText(schema, below)}`
  })
  return lines.length === 0 ? 'Readonly<Record<string, never>>' : `{\n${lines.join('\n')}\n${indent}}`
}

function literal(value) {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value)
}
