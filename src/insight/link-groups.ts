import type { Adjacency } from '../graph/analytics.ts'
import { plainLinks } from './clustered-graph.ts'
import { indexNotes } from './index-notes.ts'
import { leiden } from './leiden.ts'

/** The group of each note by links alone: what can be had before any text was read. */
export function linkGroups(links: Adjacency): Int32Array {
  return Int32Array.from(leiden(plainLinks(links, indexNotes(links)), { resolution: 1 }))
}
