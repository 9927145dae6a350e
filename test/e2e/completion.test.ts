import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MAIN = join(ROOT, 'dist/cli/main.js')

let scratch = ''
let environment: Record<string, string> = {}

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'roux-completion-'))
  const vault = join(scratch, 'vault')
  cpSync(join(ROOT, 'fixtures/demo'), vault, { recursive: true })
  writeFileSync(join(vault, "It's $HOME; `a` & b.md"), 'A name full of what shells read.\n')
  mkdirSync(join(scratch, 'bin'))
  writeFileSync(join(scratch, 'bin/roux'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`)
  chmodSync(join(scratch, 'bin/roux'), 0o755)
  const folders = Object.fromEntries(['CACHE', 'STATE', 'CONFIG'].map((name) => [`XDG_${name}_HOME`, join(scratch, name)]))
  environment = {
    ...folders,
    HOME: scratch,
    TERM: 'dumb',
    PATH: `${join(scratch, 'bin')}:${process.env.PATH}`,
    ROUX_VAULTS_KITCHEN: vault,
  }
  const { status, stderr } = spawnSync(join(scratch, 'bin/roux'), ['index', '--vault', vault], {
    env: environment,
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(0)
})
afterAll(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 3 }))

const roux = (...words: string[]) =>
  spawnSync(join(scratch, 'bin/roux'), words, { env: environment, encoding: 'utf8', cwd: scratch })
const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0

/** This separator ends the candidates of a line. */
const SEPARATOR = '--'

/** The candidates that a shell offers for each of the lines, without descriptions. */
const ASK: Readonly<Record<string, (lines: readonly string[]) => readonly (readonly string[])[]>> = {
  bash: (lines) =>
    lines.map((line) => {
      const script = `eval "$(roux completion bash)"
      compopt() { :; }
      COMP_LINE=$1 COMP_POINT=\${#1} COMP_WORDS=(roux)
      _roux; printf '%s\\n' "\${COMPREPLY[@]}"`
      return run('bash', ['--norc', '-c', script, 'bash', line])
    }),
  zsh: (lines) => {
    // zsh completes at a terminal only, so one zsh types all lines into another. "compadd" writes down what it is given there.
    for (const name of ['offered', 'ready', 'done']) rmSync(join(scratch, name), { force: true })
    writeFileSync(
      join(scratch, 'init.zsh'),
      `autoload -U compinit; compinit -u -D
eval "$(roux completion zsh)"
compadd() {
  [[ $argv[-1] == (whole|open) ]] || { builtin compadd "$@"; return }
  local -a all; all=("\${(@P)argv[-1]}")
  print -rl -- "$all[@]" >> $HOME/offered
}
complete-and-tell() { zle complete-word; : > $HOME/done }
zle -N complete-and-tell
bindkey '^I' complete-and-tell
zle-line-init() { : > $HOME/ready }
zle -N zle-line-init
`,
    )
    const script = `zmodload zsh/zpty
zpty shell zsh -f -i
wait_for() { for i in {1..1000}; do zpty -r -t shell; [[ -e $HOME/$1 ]] && break; sleep .02; done >/dev/null; rm $HOME/$1 }
zpty -w shell "source $HOME/init.zsh"
wait_for ready
for line; do
  zpty -n -w shell $'\\C-u'"$line"$'\\t'
  wait_for done
  cat $HOME/offered; rm $HOME/offered
  print -- ${SEPARATOR}
done`
    const answers: string[][] = [[]]
    for (const one of run('zsh', ['-f', '-c', script, 'zsh', ...lines])) {
      if (one === SEPARATOR) answers.push([])
      else answers.at(-1)?.push(one)
    }
    return answers.slice(0, -1)
  },
  fish: (lines) =>
    lines.map((line) =>
      run('fish', ['--no-config', '-c', 'roux completion fish | source; complete -C $argv[1]', line]).map(
        (one) => one.split('\t', 1)[0] ?? '',
      ),
    ),
}

function run(shell: string, words: readonly string[]): readonly string[] {
  const { stdout, stderr, status } = spawnSync(shell, words, {
    env: environment,
    encoding: 'utf8',
    cwd: scratch,
  })
  if (status !== 0 && stdout === '') throw new Error(`${shell}: ${stderr}`)
  return stdout.split('\n').filter((line) => line !== '')
}

describe.each(['bash', 'zsh', 'fish'])('%s', (shell) => {
  // The title says which shell is missing.
  const there = isThere(shell)
  const cases: readonly [line: string, offered: unknown][] = [
    ['roux find-', expect.arrayContaining(['find-nodes', 'find-path'])],
    ['roux get-hubs --me', ['--metric']],
    ['roux get-hubs --metric in', ['in_degree']],
    ['roux get-hubs --vault ki', ['kitchen']],
    ['roux get-node conc', ['concepts/']],
    ['roux get-node breads/bag', ['breads/baguette.md']],
    ['roux get-node Dense\\ c', [shell === 'fish' ? expect.stringMatching(/^Dense(\\)? crumb$/) : 'Dense crumb']],
    ['roux get-node "Dense c', [expect.stringMatching(/^Dense(\\)? crumb$/)]],
  ]

  test.skipIf(!there)('completes commands, options, values, vaults, ids and titles', () => {
    const offered = ASK[shell]?.(cases.map(([line]) => line))
    expect(cases.map(([line], at) => [line, offered?.[at]])).toEqual(cases)
  })

  test.skipIf(!there)('reads its script without an error', () => {
    const file = join(scratch, `roux.${shell}`)
    writeFileSync(file, roux('completion', shell).stdout)
    const { stderr, status } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })
})

describe('what the scripts ask', () => {
  const bash = (line: string) => roux('completion', 'bash', '--', line).stdout.split('\n').slice(0, -1)

  test('names are offered as written, without the part of the word that bash keeps', () => {
    expect(bash("roux get-node It\\'s")).toEqual(['none', "It's $HOME; `a` & b"])
    expect(bash('roux get-hubs --metric=in')).toEqual(['none', 'in_degree'])
    expect(bash('roux find-path Baguette amy')).toEqual(['none', 'Amylase'])
    expect(bash('roux get-hubs --folder tech')).toEqual(['none', 'techniques/'])
    expect(bash('roux get-node kitchen:breads/bag')).toEqual(['none', 'breads/baguette.md'])
    expect(bash('roux search x --tag fault/f')).toEqual(['none', 'fault/fermentation'])
  })

  test('an unknown word has no candidates, and nothing is written', () => {
    const before = readFileSync(join(scratch, 'vault/Home.md'), 'utf8')
    for (const line of ['roux nonsense x', 'roux get-node --vault /nowhere x', 'roux search ', 'roux usage x', ''])
      expect(bash(line)[0], line).toBe('none')
    expect(bash('roux get-node --vault /nowhere x')).toEqual(['none'])
    expect(readFileSync(join(scratch, 'vault/Home.md'), 'utf8')).toBe(before)
  })

  test('every command and each of its options is offered', () => {
    const offered = bash('roux ').slice(1)
    const help = roux('help').stdout
    for (const [, name = ''] of help.matchAll(/^ {2}([a-z][a-z-]*)(?: |$)/gm)) expect(offered, name).toContain(name)
    const flags = bash('roux export --').slice(1)
    for (const [flag] of roux('help', 'export').stdout.matchAll(/--[a-z-]+/g)) expect(flags).toContain(flag)
  })

  test('another shell is refused with a list of the supported ones', () => {
    const { status, stderr } = roux('completion', 'fisch')
    expect(status).toBe(2)
    expect(stderr).toContain('fish')
  })
})
