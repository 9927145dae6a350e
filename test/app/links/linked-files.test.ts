import { expect, test } from 'vitest'
import { linkedFiles } from '../../../src/app/links/linked-files.ts'
import { searchCore } from '../search-core.ts'

test('lists attachments and canvases with their linked notes, and leaves out files without links', async () => {
  const core = await searchCore({
    'Home.md': '![[photo.png]] and [[board.canvas]]\n',
    'soil/Worms.md': '![[photo.png]] twice ![[photo.png]]\n',
    'files/photo.png': 'x',
    'files/unused.png': 'x',
    'board.canvas': JSON.stringify({
      nodes: [{ id: 'a', type: 'file', file: 'soil/Worms.md', x: 0, y: 0, width: 1, height: 1 }],
      edges: [],
    }),
  })
  const { value } = await linkedFiles(core)
  await core.close()
  expect(value).toEqual({
    files: [
      { id: 'board.canvas', title: 'board.canvas', folder: '', linked: ['home.md', 'soil/worms.md'] },
      { id: 'files/photo.png', title: 'photo.png', folder: 'files', linked: ['home.md', 'soil/worms.md'] },
    ],
    left_out: 0,
  })
})
