import { DEFAULT_TOKENS, TOKEN_BYTES } from '../../app/answer/budget.ts'
import { fitMap } from '../../app/insight/fit-map.ts'
import { mapVault } from '../../app/insight/map.ts'
import type { FixedResource } from './define-resource.ts'

export const mapResource: FixedResource = {
  name: 'map',
  source: { name: 'map', group: 'tools.insight' },
  title: 'Map of the vault',
  description: 'The communities of notes: what the vault is about.',
  async read(core, call) {
    const { value, warnings } = await mapVault(core, { level: 1 }, call)
    const fitted = fitMap(value, DEFAULT_TOKENS.list * TOKEN_BYTES)
    // A resource has no other place for what is left out.
    const omitted = Object.keys(fitted.omitted).length === 0 ? {} : { omitted: fitted.omitted }
    return { value: { ...fitted.value, ...omitted }, warnings }
  },
}
