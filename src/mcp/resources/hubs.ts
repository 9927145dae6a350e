import { getHubs } from '../../app/links/get-hubs.ts'
import type { FixedResource } from './define-resource.ts'

/** How many notes are listed. */
const COUNT = 20

export const hubsResource: FixedResource = {
  name: 'hubs',
  source: { name: 'get_hubs' },
  title: 'Most central notes',
  description: `The ${COUNT} notes that most other notes link to, with how many do.`,
  async read(core, call) {
    const { value: hubs, warnings } = await getHubs(core, { metric: 'in_degree', limit: COUNT }, call)
    return { value: { metric: 'in_degree', hubs, count: hubs.length }, warnings }
  },
}
