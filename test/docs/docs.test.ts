import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const PAGES = [...filesIn('.'), ...filesIn('docs'), 'fixtures/README.md']
const README = read('README.md')
const scripts: Readonly<Record<string, string>> = JSON.parse(read('package.json')).scripts

test('generated pages match the built program', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--check'], { cwd: root, encoding: 'utf8' })
  expect(stdout + stderr).toBe('')
  expect(status).toBe(0)
})

describe.each(PAGES)('%s', (page) => {
  const text = read(page)

  test('every link has a target', () => {
    const broken = linksIn(text).filter((link) => !leadsSomewhere(page, link))
    expect(broken).toEqual([])
  })

  test('JSON examples are valid JSON', () => {
    for (const snippet of blocksIn(text, 'json')) expect(() => JSON.parse(snippet), snippet).not.toThrow()
  })

  test('every npm script it names exists', () => {
    const builtIn = ['ci', 'i', 'install', 'link', 'pack', 'rebuild', 'test', 'run']
    for (const [, run, name = ''] of codeIn(text).matchAll(/\bnpm (run (?:--silent )?)?([a-z0-9:-]+)/g)) {
      if (run) expect(Object.keys(scripts)).toContain(name)
      else expect(builtIn).toContain(name)
    }
  })

  test('every file it names exists', () => {
    const named = [...text.matchAll(/(?<![\w/.…-])(?:bench|docs|fixtures|scripts|src|test)\/[\w./-]*\w/g)].map(([path]) => path)
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })
})

test('every manual client configuration starts this program', () => {
  const snippets = blocksIn(read('docs/install.md'), 'json').map((snippet) => JSON.parse(snippet))
  const servers = snippets.flatMap((config) => Object.values(config.mcpServers ?? config.servers ?? config.context_servers ?? {}))
  const byHand = servers.filter((server) => (server as { command: string }).command === 'node')
  expect(byHand).toHaveLength(3)
  for (const server of byHand) {
    expect(server).toMatchObject({ args: ['/absolute/path/to/roux/dist/cli/main.js', 'serve', '/path/to/your/vault'] })
  }
})

test('the README has at most 200 lines', () => {
  expect(README.split('\n').length).toBeLessThanOrEqual(200)
})

test('the README gives the command that runs the tests', () => {
  const command = 'npm ci && npm test'
  expect(blocksIn(README, 'bash')).toContain(`${command}\n`)
  expect(read('.ci/run')).toContain(command)
  accessSync(join(root, '.ci/run'), constants.X_OK)
})

test('installing runs no package scripts and contacts only the registry that the user has set', () => {
  expect(
    read('.npmrc')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(';')),
  ).toEqual(['ignore-scripts=true', 'audit=false', 'fund=false'])
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { hasInstallScript?: true }> }
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript)
  const denied = Object.fromEntries(scripted.map((path) => [path.replace(/^.*node_modules\//, ''), false]))
  // Newer npm versions require a decision for each package; only this one has to be compiled.
  expect(JSON.parse(read('package.json')).allowScripts).toEqual({ ...denied, 'hnswlib-node': true })
})

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`))
}

function blocksIn(text: string, language: string): readonly string[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language).map(([, , code = '']) => code)
}

/** Code blocks and inline code. */
function codeIn(text: string): string {
  return [...text.matchAll(/^```[\s\S]*?^```$|`[^`\n]+`/gm)].join('\n')
}

/** Targets of Markdown links outside code. */
function linksIn(text: string): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^https?:/.test(link)) return true
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return heading === undefined || headingsOf(target).includes(heading)
}

/** Heading anchors as GitHub makes them. */
function headingsOf(page: string): readonly string[] {
  const headings = read(page)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
}
