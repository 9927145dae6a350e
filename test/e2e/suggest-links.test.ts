import { spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openWorld, PROGRAM, type World } from './support.ts'

/** On Linux, a program that gives another one a terminal. */
const HAS_TERMINAL = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const CTRL_C = '\u0003'

interface Talk {
  /** The answers to type, one per question; a function returns the answer to type. */
  readonly answers: readonly (string | (() => string))[]
  readonly args?: readonly string[]
}

/** Runs a command in a terminal and types each answer when its question appears. */
async function talk({ vault, env, root }: World, { answers, args = [] }: Talk): Promise<string> {
  const command = [process.execPath, PROGRAM, 'suggest-links', '--apply', '--vault', vault, ...args]
  const line = command.map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: root, env: { ...env, TERM: 'dumb' } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let shown = ''
  let asked = 0
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk
    const answer = answers[asked]
    if (answer === undefined || shown.split('q(uit): ').length - 1 <= asked) return
    asked++
    child.stdin.write(typeof answer === 'string' ? answer : answer())
  })
  await new Promise((resolve) => child.once('close', resolve))
  return shown.replaceAll('\r', '')
}

function linked(world: World): readonly string[] {
  const read = (path: string) => readFileSync(join(world.vault, path), 'utf8').split('\n')
  return ['Recipes/Weekday baguettes.md', 'Recipes/Rosemary focaccia.md'].flatMap((path) =>
    read(path).filter((line) => /One hour in|Leftover/.test(line)),
  )
}

const BEFORE = [
  '2. One hour in bulk at 25 °C.',
  'Leftover starter may replace 100 g of flour and water together; then see [how to count it][count].',
]
const BULK = '2. One hour in [[Bulk fermentation|bulk]] at 25 °C.'
const STARTER =
  'Leftover [[Sourdough starter|starter]] may replace 100 g of flour and water together; then see [how to count it][count].'

test.skipIf(!HAS_TERMINAL)('links made in a terminal are one change, and undo restores every byte', async () => {
  const world = openWorld({ fixture: 'demo' })
  const copy = join(world.root, 'copy')
  cpSync(world.vault, copy, { recursive: true })
  const shown = await talk(world, { args: ['recipes'], answers: ['y\r', 'yes\r', 'n\r', 'q\r'] })
  expect(shown).toContain('- 2. One hour in bulk at 25 °C.\n+ 2. One hour in [[Bulk fermentation|bulk]] at 25 °C.\n')
  expect(linked(world)).toEqual([BULK, STARTER])
  const [, undo = ''] = /"roux undo (\S+) --write" undoes it\./.exec(shown) ?? []
  expect((await world.roux(['undo', undo, '--write', '--vault', world.vault])).code).toBe(0)
  expect(spawnSync('diff', ['-r', copy, world.vault]).stdout.toString()).toBe('')
})

test.skipIf(!HAS_TERMINAL)(
  'Ctrl+C keeps the links accepted so far, and a link rejected for good is not offered again',
  async () => {
    const world = openWorld({ fixture: 'demo' })
    const shown = await talk(world, { args: ['recipes'], answers: ['never\r', 'y\r', CTRL_C] })
    expect(shown).toContain('Made 1 link. Changed Recipes/Rosemary focaccia.md.')
    expect(linked(world)).toEqual([BEFORE[0], STARTER])
    const { out } = await world.roux(['suggest-links', 'recipes', '--json', '--vault', world.vault])
    const left = JSON.parse(out).suggestions.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)
    expect(left).not.toContain('recipes/weekday baguettes.md techniques/bulk fermentation.md')
    expect(left).toContain('recipes/weekday baguettes.md ingredients/salt.md')
  },
)

test.skipIf(!HAS_TERMINAL)('a note that an editor changes before the answer stays as the editor saved it', async () => {
  const world = openWorld({ fixture: 'demo' })
  const path = 'Recipes/Weekday baguettes.md'
  const edit = () => {
    world.write(path, `${readFileSync(join(world.vault, path), 'utf8')}By hand.\n`)
    return 'y\r'
  }
  const shown = await talk(world, { args: ['recipes'], answers: [edit, 'y\r', 'q\r'] })
  expect(shown).toContain('CONFLICT')
  expect(linked(world)).toEqual([BEFORE[0], STARTER])
  expect(readFileSync(join(world.vault, path), 'utf8')).toMatch(/By hand\.\n$/)
})

test('without a terminal the command says what to do, and writes nothing', async () => {
  const world = openWorld({ fixture: 'demo' })
  const { code, err } = await world.roux(['suggest-links', '--apply', '--vault', world.vault], { stdin: 'y\n' })
  expect([code, linked(world)]).toEqual([2, BEFORE])
  expect(err).toContain('This command needs a terminal.')
})
