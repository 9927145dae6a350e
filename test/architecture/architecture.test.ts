import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { circlesOf, type Imports, importsOf, violationsOf } from './check-imports.ts'
import { RULES } from './table.ts'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
const IMPORTS = importsIn(FILES.map((file) => [file.split(sep).join('/'), readFileSync(join(SRC, file), 'utf8')]))

test('every import is allowed by the table, and files have no import cycles', () => {
  expect(IMPORTS.size).toBeGreaterThan(100)
  expect(violationsOf(IMPORTS, RULES)).toEqual([])
})

test('the folders of use cases have no import cycles', () => {
  const roomOf = (path: string): string | undefined => /^app\/([a-z-]+)\//.exec(path)?.[1]
  const rooms = new Map<string, Set<string>>()
  for (const [file, imports] of IMPORTS) {
    const from = roomOf(file)
    if (from === undefined) continue
    const targets = rooms.get(from) ?? new Set()
    rooms.set(from, targets)
    for (const one of imports) {
      const to = one.startsWith('.') ? roomOf(posix.join(posix.dirname(file), one)) : undefined
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  const before = new Set<string>()
  while (before.size < rooms.size) {
    const free = [...rooms].filter(([room, targets]) => !before.has(room) && [...targets].every((one) => before.has(one)))
    expect(free.length, `in a circle: ${[...rooms.keys()].filter((room) => !before.has(room)).join(', ')}`).toBeGreaterThan(0)
    for (const [room] of free) before.add(room)
  }
  expect(before.has('find')).toBe(true)
})

test('every package in the table is imported', () => {
  const imported = [...IMPORTS.values()].flat()
  const isImported = (name: string): boolean =>
    imported.some((one) => one === name || one.startsWith(`${name}/`) || one === `../${name}`)
  expect(Object.keys(RULES.packages).filter((name) => !isImported(name))).toEqual([])
})

test('the page is loaded only when it is served: a single function imports it dynamically', () => {
  const importing = FILES.map((file) => file.split(sep).join('/'))
    .filter((file) => !file.startsWith('web/'))
    .flatMap((file) => {
      const lines = readFileSync(join(SRC, file), 'utf8').split('\n')
      return lines
        .filter((line) => /['"][./]+\/web\//.test(line) && !line.startsWith('import type '))
        .map((line) => `${file}: ${line.trim()}`)
    })
  expect(importing).toEqual(["cli/serving/serve-http.ts: const { webRoutes } = await import('../../web/routes.ts')"])
})

describe('finds an import', () => {
  test.each([
    ["import a from './a.ts'"],
    ["import {\n  a,\n  type B,\n} from './a.ts'"],
    ["import type { A } from './a.ts'"],
    ["import './a.ts'"],
    ["export { a } from './a.ts'"],
    ["export type { A } from './a.ts'"],
    ["export * from './a.ts'"],
    ["import { type A } from './a.ts'"],
    ["import type * as names from './a.ts'"],
    ["export * as names from './a.ts'"],
    ["export type * as names from './a.ts'"],
    ["const { a } = await import('./a.ts')"],
    ["type A = import('./a.ts').A"],
    ["const a = require('./a.ts')"],
    ["function f() {\n  return import('./a.ts').then(({ a }) => a)\n}"],
    ["import a from './a.ts' with { type: 'json' }"],
  ])('%j', (text) => expect(importsOf(text)).toEqual(['./a.ts']))

  test('ignores imports in strings and comments', () => {
    expect(importsOf('// import a from "./a.ts"\nconst b = `import c from "./c.ts"`\n/* export * from "./d.ts" */')).toEqual([])
  })

  test('finds a lazily loaded package by its quoted name', () => {
    expect(importsOf("createRequire(import.meta.url)('yaml')", ['yaml', 'diff'])).toEqual(['yaml'])
  })
})

describe('reports a forbidden import with its file', () => {
  test.each([
    // `core` must not import any other folder of the program.
    ['core/a.ts', '../markdown/b.ts'],
    ['core/a.ts', '../index.ts'],
    // Features know only core, not each other.
    ['markdown/edit/a.ts', '../../links/b.ts'],
    ['links/a.ts', '../markdown/b.ts'],
    ['graph/a.ts', '../search/b.ts'],
    ['search/words/a.ts', '../../graph/b.ts'],
    ['embed/a.ts', '../config/b.ts'],
    ['vault/a.ts', '../workers/b.ts'],
    ['config/a.ts', '../vault/b.ts'],
    ['install/a.ts', '../http/b.ts'],
    // Modules import ports, not adapters.
    ['changes/plan/a.ts', '../../indexing/b.ts'],
    ['indexing/a.ts', '../store/b.ts'],
    ['store/embedded/a.ts', '../../indexing/b.ts'],
    ['app/a.ts', '../store/embedded/b.ts'],
    ['app/write/a.ts', '../../changes/b.ts'],
    // No imports from a higher layer.
    ['app/a.ts', '../mcp/b.ts'],
    ['mcp/tools/a.ts', '../../cli/b.ts'],
    ['mcp/a.ts', '../http/b.ts'],
    ['http/a.ts', '../app/b.ts'],
    ['http/a.ts', '../install/b.ts'],
    ['cli/a.ts', '../indexing/b.ts'],
    ['workers/a.ts', '../compose/index.ts'],
    ['compose/a.ts', '../mcp/b.ts'],
    ['index.ts', './cli/b.ts'],
    // An exception for one file applies to that file only.
    ['cli/a.ts', '../workers/spare-worker.ts'],
    ['cli/main.ts', '../workers/indexer.ts'],
    // Files outside src, packages, Node modules.
    ['mcp/a.ts', '../../package.json'],
    ['cli/a.ts', '../../scripts/b.mjs'],
    ['core/a.ts', 'chokidar'],
    ['workers/a.ts', 'chokidar'],
    ['cli/a.ts', '@modelcontextprotocol/server/stdio'],
    ['app/a.ts', 'zod/v4'],
    ['graph/a.ts', 'graphology'],
    ['indexing/a.ts', 'yaml'],
    ['app/a.ts', 'node:fs'],
    ['markdown/a.ts', 'fs/promises'],
    ['search/a.ts', 'node:worker_threads'],
    ['app/a.ts', 'node:child_process'],
    ['web/a.ts', './client/graph.ts'],
    ['web/client/a.tsx', '../routes.ts'],
    ['web/client/a.tsx', 'node:fs'],
    ['http/a.ts', 'preact'],
  ])('%s imports %s', (file, specifier) => {
    for (const text of [
      `import type { A } from '${specifier}'`,
      `await import('${specifier}')`,
      `export * from '${specifier}'`,
    ]) {
      const violations = violationsOf(importsIn([[file, text]]), RULES)
      expect(violations).toEqual([expect.stringContaining(`${file} imports `)])
    }
  })

  test('reports a package that is loaded by name', () => {
    const text = "createRequire(import.meta.url)('@photostructure/sqlite')"
    expect(violationsOf(importsIn([['app/a.ts', text]]), RULES)).toEqual(['app/a.ts imports @photostructure/sqlite'])
    expect(violationsOf(importsIn([['store/a.ts', text]]), RULES)).toEqual([])
  })

  test('reports a new folder that is missing from the table', () => {
    expect(violationsOf(importsIn([['new/a.ts', '']]), RULES)).toEqual(['new has no line in the table of arrows'])
  })
})

describe('finds a cycle', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['of two files', { 'a.ts': './b.ts', 'b.ts': './a.ts' }, 'a.ts → b.ts → a.ts'],
    [
      'of three files in different folders',
      { 'x/a.ts': '../y/b.ts', 'y/b.ts': './c.ts', 'y/c.ts': '../x/a.ts' },
      'x/a.ts → y/b.ts → y/c.ts → x/a.ts',
    ],
    ['of a file with itself', { 'a.ts': './a.ts' }, 'a.ts → a.ts'],
    ['after files that are in no cycle', { 'a.ts': './b.ts', 'b.ts': './c.ts', 'c.ts': './b.ts' }, 'b.ts → c.ts → b.ts'],
  ])('%s, also through type imports', (_, files, cycle) => {
    for (const form of [(to: string) => `import type { A } from '${to}'`, (to: string) => `import '${to}'`]) {
      expect(circlesOf(importsIn(Object.entries(files).map(([file, to]) => [file, form(to)])))).toEqual([cycle])
    }
  })

  test('two paths to one file are not a cycle', () => {
    const to = (...files: readonly string[]): string => files.map((file) => `import '${file}'`).join('\n')
    const diamond = importsIn([
      ['a.ts', to('./b.ts', './c.ts')],
      ['b.ts', to('./d.ts')],
      ['c.ts', to('./d.ts')],
      ['d.ts', ''],
    ])
    expect(circlesOf(diamond)).toEqual([])
  })
})

function importsIn(files: Iterable<readonly [file: string, text: string]>): Imports {
  return new Map([...files].map(([file, text]) => [file, importsOf(text, RULES.loaded, file)]))
}
