import { expect, test, vi } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import { withResolvers } from '../../../src/core/waiting.ts'
import type { Api } from '../../../src/web/client/api.ts'
import type { MapView } from '../../../src/web/client/map-view.ts'
import { api, graph, map, rearrange, refresh, showVault, vault } from '../../../src/web/client/state.ts'

/** A picture of one note, at the origin. */
const pictureOf = (id: string) => ({
  generation: 1,
  ids: [id as NodeId],
  titles: [id],
  folders: [0],
  folder_names: [''],
  tags: [[]],
  tag_names: [],
  communities: [-1],
  groups: [],
  region_of: [-1],
  regions: [],
  is_grouping: false,
  places: Buffer.alloc(8).toString('base64'),
  links: '',
  is_crowded: false,
})

for (const [name, value] of Object.entries({ innerWidth: 1_000, innerHeight: 800, location: { hash: '' } }))
  vi.stubGlobal(name, value)
vi.stubGlobal('history', { pushState() {} })

test('a vault that is chosen while another one is being rearranged is shown', async () => {
  const { promise: isRearranged, resolve: endRearranging } = withResolvers<void>()
  api.value = {
    async picture(name: string, { mayMove }: { readonly mayMove: string }) {
      if (mayMove === 'all') await isRearranged
      return pictureOf(name)
    },
  } as unknown as Api
  vault.value = 'first'
  await refresh()
  const rearranged = rearrange()
  showVault('second')
  endRearranging()
  await rearranged
  await expect.poll(() => graph.value?.picture.ids).toEqual(['second'])
})

test('a rearranged map is fitted into the view once its layout has finished, however long that takes', async () => {
  const pictures = ['before', 'after'].map(pictureOf)
  const answers: object[] = [pictures[0], { laying_out: { share: 0.5 } }, { laying_out: { share: 0.9 } }, pictures[1]].flatMap(
    (answer) => answer ?? [],
  )
  api.value = { picture: async () => answers.shift() } as unknown as Api
  await refresh()
  const fitted: (readonly string[])[] = []
  map.view = { fit: () => fitted.push(graph.value?.picture.ids ?? []) } as unknown as MapView
  await rearrange()
  await expect.poll(() => answers).toEqual([])
  await expect.poll(() => fitted).toEqual([['after']])
})
