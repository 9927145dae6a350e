import type { Flavour } from '../../core/note.ts'

/** How a text is read to be edited: what profiles and modes differ in does not matter to the edits. */
export const READING: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }
