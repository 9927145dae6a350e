import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, PROGRAM } from './support.ts'

const exported = ({ vault, env, root }: ReturnType<typeof openWorld>, args: readonly string[]) => {
  const file = join(root, 'notes.html')
  const ended = spawnSync(process.execPath, [PROGRAM, 'export', vault, '-o', file, ...args], { env, cwd: root, encoding: 'utf8' })
  return { ...ended, page: () => readFileSync(file, 'utf8') }
}

test('"roux export --format html" waits for the map and writes a page that cannot load anything', () => {
  const { status, page } = exported(openWorld({ fixture: 'demo' }), ['--format', 'html'])
  expect(status).toBe(0)
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page()) ?? []
  expect(policy.replace(/sha256-[\w+/=]+/g, 'sha256-…')).toBe(
    "default-src 'none'; script-src 'sha256-…'; style-src 'sha256-…'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  )
  expect(page()).toContain('"Sourdough starter"')
  expect(page()).not.toMatch(/<(?:link|img|iframe)\b|\bsrc=/)
})

test('excluded notes are not in an exported page', () => {
  const world = openWorld()
  world.write('.obsidian/app.json', '{"userIgnoreFilters":["private/"]}')
  world.write('home.md', '[[hidden plan]] and [[open]]')
  world.write('open.md', 'Open.')
  world.write('private/hidden plan.md', '# Hidden title\nA hidden text. [[open]]')
  const { status, page } = exported(world, ['--format', 'html', '--texts'])
  expect(status).toBe(0)
  expect(page()).toContain('"home.md"')
  expect(page()).not.toMatch(/private\/|Hidden title|A hidden text/)
})

test.each(['--texts', '--quotes'])('%s is refused in formats other than HTML', (option) => {
  const { status, stderr } = exported(openWorld({ fixture: 'demo' }), [option])
  expect([status, stderr]).toEqual([2, expect.stringContaining(`${option} needs --format html`)])
})
