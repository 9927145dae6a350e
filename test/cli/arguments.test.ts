import { describe, expect, test } from 'vitest'
import { GLOBAL_OPTIONS, HTTP_OPTION, type Option, parseArguments, splitCommand } from '../../src/cli/arguments.ts'
import { UsageError } from '../../src/cli/host.ts'
import { argumentsOf, type Parameter, parametersOf } from '../../src/cli/tools/tool-help.ts'
import { TOOLS as ALL_TOOLS } from '../../src/mcp/tools/index.ts'
import { TOOLS } from './support.ts'

const OPTIONS: readonly Option[] = [
  { name: 'limit', type: 'integer', short: 'l', sentence: '' },
  { name: 'threshold', type: 'number', sentence: '' },
  { name: 'include_content', type: 'flag', sentence: '' },
  { name: 'metric', type: 'text', values: ['in_degree', 'out_degree'], sentence: '' },
  { name: 'tags', type: 'text', isRepeatable: true, sentence: '' },
  { name: 'properties', type: 'json', sentence: '' },
  HTTP_OPTION,
  ...GLOBAL_OPTIONS,
]

const parsed = (line: string) => {
  const { options, positionals } = parseArguments(
    line.split(' ').filter((word) => word !== ''),
    OPTIONS,
  )
  return [Object.fromEntries(options), positionals]
}

describe('parsing a command line', () => {
  test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
    ['', {}, []],
    ['--limit 5', { limit: 5 }, []],
    ['--limit=5', { limit: 5 }, []],
    ['--limit -5', { limit: -5 }, []],
    ['-l 5 a b', { limit: 5 }, ['a', 'b']],
    ['a --limit 1 --limit 2 b', { limit: 2 }, ['a', 'b']],
    ['--threshold .5', { threshold: 0.5 }, []],
    ['--include_content', { include_content: true }, []],
    ['--include-content', { include_content: true }, []],
    ['--no-include-content', { include_content: false }, []],
    ['--no-include_content', { include_content: false }, []],
    ['--include-content=false', { include_content: false }, []],
    ['--include-content x', { include_content: true }, ['x']],
    ['--metric out_degree', { metric: 'out_degree' }, []],
    ['--tags a --tags b,c', { tags: ['a', 'b,c'] }, []],
    ['--tags ["a","b"] --tags c', { tags: ['a', 'b', 'c'] }, []],
    ['--tags [a', { tags: ['[a'] }, []],
    ['--properties {"a":1}', { properties: { a: 1 } }, []],
    ['--set a=b --set c=d=e', { set: ['a=b', 'c=d=e'] }, []],
    ['--vault=--odd', { vault: '--odd' }, []],
    ['-- --limit -x', {}, ['--limit', '-x']],
    ['-', {}, ['-']],
    ['-h', { help: true }, []],
    ['--http', { http: true }, []],
    ['--http 8000 notes', { http: 8000 }, ['notes']],
    ['notes --http=8000', { http: 8000 }, ['notes']],
    ['--http notes', { http: true }, ['notes']],
    ['--http ./2024', { http: true }, ['./2024']],
    ['--http --json 8000', { http: true, json: true }, ['8000']],
    ['--http -- 2024', { http: true }, ['2024']],
  ])('%s', (line, options, positionals) => {
    expect(parsed(line)).toEqual([options, positionals])
  })

  test.each<[string, string]>([
    ['--limit', '--limit needs a value. Write --limit <value>.'],
    ['--limit x', '--limit must be a number; got "x".'],
    ['--http=x', '--http must be a number; got "x".'],
    ['--limit 1.5', '--limit must be a whole number; got "1.5".'],
    ['--limmit 5', 'There is no option --limmit. Did you mean "--limit"?'],
    ['--include-contents', 'There is no option --include-contents. Did you mean "--include-content"?'],
    ['--metric in_degre', '--metric must be one of in_degree, out_degree; got "in_degre". Did you mean "in_degree"?'],
    ['--include-content=perhaps', '--include-content must be true or false; got "perhaps".'],
    ['--vault --json', '--vault needs a value. To use "--json" as the value, write --vault=--json.'],
    ['-x', 'There is no option -x. See --help; words that begin with a dash go after "--".'],
    ['--__proto__', 'There is no option --__proto__. See --help; words that begin with a dash go after "--".'],
  ])('%s is a usage error', (line, expected) => {
    expect(usageError(() => parsed(line))).toBe(expected)
  })
})

test.each<[string, string | undefined, string]>([
  ['get-hubs --limit 5', 'get-hubs', '--limit 5'],
  ['--vault notes get-hubs --limit 5', 'get-hubs', '--vault notes --limit 5'],
  ['--vault=notes --json status', 'status', '--vault=notes --json'],
  ['--help', undefined, '--help'],
  ['', undefined, ''],
  ['-- x', undefined, '-- x'],
])('the command of "%s" is %s', (line, command, rest) => {
  expect(splitCommand(line.split(' ').filter((word) => word !== ''))).toEqual({
    command,
    rest: rest.split(' ').filter((word) => word !== ''),
  })
})

describe('arguments of a tool', () => {
  const argumentsFor = (tool: string, line: readonly string[]) => {
    const parameters: readonly Parameter[] = TOOLS.filter(({ name }) => name === tool).flatMap((found) =>
      parametersOf(found.definition()),
    )
    return argumentsOf(parameters, parseArguments(line, [...parameters, ...GLOBAL_OPTIONS]))
  }

  test.each<[string, readonly string[], unknown]>([
    ['get_node', ['a b'], { id: 'a b' }],
    ['get_node', ['--id', 'x', '--no-include-content'], { id: 'x', include_content: false }],
    ['find_path', ['a', 'b', '--count', '2'], { source: 'a', target: 'b', count: 2 }],
    ['find_path', ['b', '--source', 'a'], { source: 'a', target: 'b' }],
    ['search_by_tags', ['a', 'b', '--mode', 'all'], { tags: ['a', 'b'], mode: 'all' }],
    ['search_by_tags', ['["a","b"]', 'c'], { tags: ['a', 'b', 'c'] }],
    ['search_by_tags', ['--tags', 'a', '--threshold', '0.5'], { tags: ['a'], threshold: 0.5 }],
    ['get_hubs', ['--json', '--vault', 'v'], {}],
  ])('%s %j', (tool, line, expected) => {
    expect(argumentsFor(tool, line)).toEqual(expected)
  })

  test.each<[string, readonly string[], string]>([
    ['get_node', [], '<id> is missing. It is the word after the command, or --id.'],
    ['find_path', ['a'], '<target> is missing. It is the word after <source>, or --target.'],
    ['search_by_tags', [], '<tags> are missing. They are the words after the command, or --tags.'],
    ['get_node', ['a', 'b'], 'Unexpected argument "b". Quote an argument that contains spaces. Choose a vault with --vault.'],
    ['get_hubs', ['5'], 'Unexpected argument "5". Quote an argument that contains spaces. Choose a vault with --vault.'],
  ])('%s %j is a usage error', (tool, line, expected) => {
    expect(usageError(() => argumentsFor(tool, line))).toBe(expected)
  })
})

test.each<[string, readonly string[], unknown]>([
  ['context_pack', ['why is it dense'], { query: 'why is it dense' }],
  ['changes_since', ['monday'], { since: 'monday' }],
  ['get_tree', ['recipes', '--depth', '1'], { path: 'recipes', depth: 1 }],
])('%s takes an optional word: %j', (name, line, expected) => {
  const [tool] = ALL_TOOLS.filter((one) => one.name === name)
  const parameters = parametersOf((tool as (typeof ALL_TOOLS)[number]).definition())
  expect(argumentsOf(parameters, parseArguments(line, parameters))).toEqual(expected)
})

function usageError(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    const { message, hint } = error as UsageError
    return [message, hint].filter((part) => part !== undefined).join(' ')
  }
  throw new Error('nothing was wrong')
}
