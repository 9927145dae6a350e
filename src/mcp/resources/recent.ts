import { recentNotes } from '../../app/read/recent-notes.ts'
import type { FixedResource } from './define-resource.ts'

/** How many notes are listed. */
const COUNT = 20

export const recentResource: FixedResource = {
  name: 'recent',
  source: { name: 'find_nodes' },
  title: 'Recently changed notes',
  description: `The ${COUNT} notes that were changed last, newest first.`,
  async read(core, call) {
    const { value: notes, warnings } = await recentNotes(core, { limit: COUNT }, call)
    return { value: { notes, count: notes.length, timestamp: new Date().toISOString() }, warnings }
  },
}
