// Generates the library's interface from the tools: the type of an open vault, and the table of its methods in docs/library.md.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `get_node` → `getNode`. */
export function methodName(tool) {
  return tool.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
}

/** The file whose declaration the build generates. */
export const METHODS = 'src/library/methods.ts'

/** The declaration to use for that file. */
export function methodsModule(root, tools) {
  const cases = new Map(tools.map(({ name }) => [name, useCasesOf(root, name)]))
  const imports = new Map()
  for (const { name, file } of [...cases.values()].flat()) imports.set(file, new Set([...(imports.get(file) ?? []), name]))
  return `// Written by the build from the tools.
${[...imports]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([file, names]) => `import type { ${[...names].sort().join(', ')} } from '${file}'`)
  .join('\n')}

export interface CallOptions {
  /** The signal is aborted when nobody waits for the answer any more. */
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

/** Arguments that make a tool run another function, whose answer has another type. */
const NARROWED = {
  countNodes: { given: '{ readonly count: true }', otherwise: '{ readonly count?: false }' },
  groupNodes: { given: '{ readonly group_by: string }', otherwise: '{ readonly group_by?: undefined }' },
}

/** The functions of `src/app` that a tool's literal runs. The usual one comes last. */
function useCasesOf(root, tool) {
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
  const usual = found.filter(({ name }) => NARROWED[name] === undefined)
  if (usual.length !== 1)
    throw new Error(`${tool} needs exactly one usual use case, but has: ${usual.map(({ name }) => name).join(', ')}`)
  return [...found.filter(({ name }) => NARROWED[name] !== undefined), ...usual]
}

function method({ name, description, inputSchema }, useCases) {
  const isOptional = (inputSchema.required ?? []).length === 0
  const narrowed = useCases.slice(0, -1)
  return useCases
    .map((useCase) => {
      const more = NARROWED[useCase.name]?.given ?? narrowed.map((other) => NARROWED[other.name].otherwise).join(' & ')
      const args = `${typeText(inputSchema, '  ')}${more === '' ? '' : ` & ${more}`}`
      return `  /** ${description} */
  ${methodName(name)}(args${isOptional ? '?' : ''}: ${args}, options?: CallOptions): ReturnType<typeof ${useCase.name}>`
    })
    .join('\n\n')
}

/** Converts a JSON Schema to a type. */
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
