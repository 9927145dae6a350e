import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { variableOf } from '../../src/config/given.ts'
import { SETTINGS } from '../../src/config/settings-schema.ts'
import { SERVER_JSON } from './server-json.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const PACKAGE = readJson('package.json')

test('the package contains the program and what it needs, no sources and no tests', () => {
  const { stdout, status } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  const [{ files }] = JSON.parse(stdout)
  const paths: readonly string[] = files.map(({ path }: { path: string }) => path)
  const kinds =
    /^(?:dist\/(?:cli|lib|workers)\/[\w.-]+|dist\/lib\/[\w/-]+\.d\.mts|dist\/(?:launch\.js|package\.json)|dist\/(?:web|app)\/[\w.-]+\.(?:js|css|html|svg|woff2)|assets\/embedder\/[\w.-]+|[\w.]+\.(?:md|json|yaml)|LICENSE)$/
  expect(paths.filter((path) => !kinds.test(path))).toEqual([])
  expect(paths).toEqual(
    expect.arrayContaining([
      PACKAGE.bin.roux,
      ...Object.values<string>(PACKAGE.exports['.']).map((path) => path.replace('./', '')),
      'dist/workers/indexer.app.js',
      'assets/embedder/static-256.bin',
      'assets/embedder/ml-256-int4.bin',
      'LICENSE',
      'THIRD_PARTY.md',
      'README.md',
    ]),
  )
})

describe('server.json', () => {
  const server = readJson('server.json')

  test('follows the schema of 2025-12-11', () => {
    expect(SERVER_JSON.safeParse(server).error).toBeUndefined()
  })

  test('names this package, this version, and existing variables', () => {
    expect(server).toMatchObject({ name: PACKAGE.mcpName, version: PACKAGE.version })
    const [npm] = SERVER_JSON.parse(server).packages
    expect(npm).toMatchObject({ identifier: PACKAGE.name, version: PACKAGE.version })
    const variables = SETTINGS.map(({ key }) => variableOf(key))
    expect(variables).toEqual(expect.arrayContaining((npm?.environmentVariables ?? []).map(({ name }) => name)))
  })

  test.each([
    ['a name without a namespace', { name: 'roux' }],
    ['a long description', { description: 'x'.repeat(101) }],
    ['a range', { version: '^1.0.0' }],
    ['a field that no one knows', { mcp: true }],
    ['an argument that says nothing', { packages: [{ ...server.packages[0], packageArguments: [{ type: 'positional' }] }] }],
  ])('would be refused with %s', (_, change) => {
    expect(SERVER_JSON.safeParse({ ...server, ...change }).success).toBe(false)
  })
})
