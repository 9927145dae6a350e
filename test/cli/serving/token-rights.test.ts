import { describe, expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { vaultsAnnouncedTo, visibleVaults } from '../../../src/cli/serving/token-rights.ts'
import type { LoadedVaults } from '../../../src/config/load-vaults.ts'
import type { Access, Scope } from '../../../src/http/tokens.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'

const CORE = fakeCore(fakeStore({ 'a.md': {} }))
const access = (vaults: Access['vaults'], scopes: readonly Scope[] = ['read']): Access => ({
  name: 'guest',
  scopes: new Set(scopes),
  vaults,
})
const served = (...names: string[]) => vaultsOnDemand(names, async () => CORE)
/** The part of `LoadedVaults` that is used: the vault's folder. */
const loaded = (path: string) => ({ vaults: [{ settings: { vault: { path } } }] }) as unknown as LoadedVaults

describe.each([
  ['a vault without a name, for everybody', '*', [], '/notes/private', []],
  ['a vault without a name, by its folder', ['private'], [], '/notes/private', []],
  ['a vault without a name, in any case', ['PRIVATE'], [], '/notes/Private', []],
  ['a vault without a name, for another', ['work'], [], '/notes/private', 'nothing'],
  ['all of several', '*', ['home', 'work'], '/notes/home', ['home', 'work']],
  ['some of several, in the order of the settings', ['work', 'home'], ['home', 'work', 'x'], '/notes/home', ['home', 'work']],
  ['none of several', ['other'], ['not', 'hi'], '/notes/not', 'nothing'],
] as const)('%s', (_, allowed, names, path, expected) => {
  test('reports exactly the vaults that the token can use', async () => {
    const seen = visibleVaults(access(allowed), served(...names), loaded(path))
    expect(vaultsAnnouncedTo(access(allowed), served(...names), loaded(path))).toEqual(expected)
    const opened = await Promise.all(
      (names.length === 0 ? [undefined] : names).map((name) =>
        seen.open(name).then(
          () => name ?? '',
          () => undefined,
        ),
      ),
    )
    const canBeAsked = expected === 'nothing' ? [] : expected.length === 0 ? [''] : expected
    expect(opened.filter((name) => name !== undefined)).toEqual(canBeAsked)
    expect(vaultsAnnouncedTo(access(allowed, ['write']), served(...names), loaded(path))).toBe('nothing')
  })
})
