import type { FakeFile } from './fake-store.ts'

/** A few notes shared by tests of use cases and tools. */
export const GARDEN: Readonly<Record<string, FakeFile>> = {
  'Home.md': { body: 'Welcome. See [[Compost]] and [[Worms]]. Also [[Nowhere]] and [[photo.png]].\n' },
  'Soil/Compost.md': {
    properties: { tags: ['soil', 'work/autumn'], aliases: ['Humus'], up: '[[Home]]' },
    body: '# Compost\nTurned by [[Worms]].\n## How\nLayer by layer. ^layers\n## Why\nIt feeds [[Tomato]].\n',
  },
  'Soil/Worms.md': { properties: { tags: ['soil', 'animals'] }, body: 'They live in [[Compost]].\n' },
  'Beds/Tomato.md': { properties: { tags: ['work'], title: 'Tomatoes' }, body: 'Red.\n' },
  'Beds/Long.md': { body: `${'word '.repeat(4000)}end` },
  'Yard/Compost.md': { properties: { archived: true }, body: 'A second one.\n' },
  'Alone.md': { body: 'No one links here.\n' },
  'Hidden.md': { body: 'See [[Compost]].\n', excluded: true },
  'photo.png': {},
  'board.canvas': { body: '{}' },
}
