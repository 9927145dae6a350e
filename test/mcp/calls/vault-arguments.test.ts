import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { vaultOf, vaultsNamedIn, withoutVaultName } from '../../../src/mcp/calls/vault-arguments.ts'
import { TOOLS } from '../../../src/mcp/tools/index.ts'

const NAMES = ['home', 'work']
const namesOf = (tool: string) => TOOLS.find(({ name }) => name === tool)?.names ?? {}

describe('vaults named in arguments', () => {
  test.each([
    ['get_node', { id: 'work:a.md' }, ['work']],
    ['get_node', { id: 'a.md' }, []],
    ['get_node', { id: 'Work:a.md' }, ['work']],
    ['get_node', { id: 'other:a.md' }, []],
    ['get_node', { id: ':a' }, []],
    ['find_path', { source: 'work:a', target: 'home:b' }, ['work', 'home']],
    ['search', { query: 'home: what is it?', folder: 'work:x' }, ['work']],
    ['move_node', { id: 'a', to: 'work:b' }, ['work']],
    ['clone_node', { id: 'a', folder: 'work:b' }, ['work']],
    ['rename_heading', { id: 'a', heading: ['x'], to: 'work: a plan' }, []],
    ['rename_tag', { tag: 'a', to: 'work:b' }, []],
    ['create_node', { id: 'a', content: 'work:x', relations: { up: ['work:b'] } }, ['work']],
    ['create_node', { id: 'a', relations: { up: ['Work: a plan', 'work: a plan'] } }, []],
    ['apply_changes', { operations: [{ tool: 'move_node', arguments: { id: 'a', to: 'work:b' } }] }, ['work']],
    ['apply_changes', { operations: [{ tool: 'rename_tag', arguments: { tag: 'a', to: 'work:b' } }, 7, null] }, []],
    ['undo', { change_id: 'work:0abc' }, ['work']],
  ])('%s %j', (tool, args, names) => {
    expect(vaultsNamedIn(namesOf(tool), args, NAMES)).toEqual(names)
  })
})

test("removing the vault's name changes nothing else", () => {
  const args = {
    operations: [
      { tool: 'create_node', arguments: { id: 'Work:A b.md', content: 'work:x', relations: { up: ['work:b', 'home:c'] } } },
    ],
    dry_run: true,
  }
  expect(withoutVaultName(namesOf('apply_changes'), args, 'work')).toEqual({
    operations: [{ tool: 'create_node', arguments: { id: 'A b.md', content: 'work:x', relations: { up: ['b', 'home:c'] } } }],
    dry_run: true,
  })
})

test('a vault prefix on any id is found and removed again', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...NAMES), (id, name) => {
      expect(vaultOf(`${name}:${id}`, NAMES)).toBe(name)
      expect(withoutVaultName(namesOf('get_node'), { id: `${name}:${id}` }, name)).toEqual({ id })
    }),
  )
})

test('arguments that no tool has stay unchanged, at any depth', () => {
  let lists: unknown = 'work:a'
  let operations: unknown = [{ tool: 'get_node', arguments: { id: 'work:a' } }]
  for (let level = 0; level < 50_000; level++) {
    lists = [lists]
    operations = [{ tool: 'apply_changes', arguments: { operations } }]
  }
  for (const args of [{ id: lists }, { ids: lists }, { relations: { up: lists } }, { operations: lists }, { operations }]) {
    expect(vaultsNamedIn(namesOf('apply_changes'), args, NAMES)).toEqual([])
    expect(Object.keys(withoutVaultName(namesOf('apply_changes'), args, 'work'))).toEqual(Object.keys(args))
  }
})
