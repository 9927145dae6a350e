import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import ts from 'typescript'
import type { Rules } from './table.ts'

/** The specifiers that each file imports, by path below `src/`. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** The specifiers in a file as written: imports (types too), `export … from`, `import()` and `require()`. */
export function importsOf(text: string, loaded: readonly string[] = [], name = 'a.ts'): readonly string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && loaded.includes(node.text)) found.add(node.text)
    const specifier = specifierOf(node)
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) found.add(specifier.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest))
  return [...found]
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal
  if (!ts.isCallExpression(node)) return undefined
  const { expression, arguments: given } = node
  const isImport =
    expression.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(expression) && expression.text === 'require')
  return isImport ? given[0] : undefined
}

/** Every import that the rules forbid, one line each, followed by the import cycles. */
export function violationsOf(imports: Imports, rules: Rules): readonly string[] {
  const unknown = [...new Set([...imports.keys()].map(partOf))]
    .filter((part) => rules.arrows[part] === undefined)
    .map((part) => `${part} has no line in the table of arrows`)
  const forbidden = [...imports].flatMap(([file, specifiers]) =>
    specifiers.map((specifier) => problemWith(file, specifier, rules)).filter((problem) => problem !== undefined),
  )
  return [...unknown, ...forbidden, ...circlesOf(imports).map((circle) => `circle: ${circle}`)]
}

function problemWith(file: string, specifier: string, rules: Rules): string | undefined {
  const part = partOf(file)
  const target = targetOf(file, specifier)
  const isAllowed =
    target === undefined
      ? mayImportPackage(part, specifier, rules)
      : target.startsWith('..')
        ? rules.packages[target]?.includes(part)
        : [part, ...(rules.arrows[part] ?? [])].includes(partOf(target)) || rules.fileArrows[file]?.includes(target)
  return isAllowed ? undefined : `${file} imports ${target ?? specifier}`
}

function mayImportPackage(part: string, specifier: string, { packages, builtIns }: Rules): boolean {
  const [first = '', second] = specifier.replace(/^node:/, '').split('/')
  if (isBuiltin(specifier)) return builtIns[first]?.includes(part) ?? true
  return packages[first.startsWith('@') ? `${first}/${second}` : first]?.includes(part) ?? false
}

/** The cycles met on a walk through all imports, as `a.ts → b.ts → a.ts`; empty if and only if there is no cycle. */
export function circlesOf(imports: Imports): readonly string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const path: string[] = []
  const visit = (file: string): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    else if (!done.has(file)) {
      path.push(file)
      for (const specifier of imports.get(file) ?? []) {
        const target = targetOf(file, specifier)
        if (target !== undefined) visit(target)
      }
      path.pop()
      done.add(file)
    }
  }
  for (const file of imports.keys()) visit(file)
  return circles
}

/** A top-level folder or file; `web/client` counts as a folder of its own. */
function partOf(file: string): string {
  return file.startsWith(BROWSER) ? BROWSER.slice(0, -1) : (file.split('/')[0] ?? '')
}

const BROWSER = 'web/client/'

function targetOf(file: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : undefined
}
