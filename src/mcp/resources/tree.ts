import { getTree } from '../../app/read/get-tree.ts'
import type { FixedResource } from './define-resource.ts'

export const treeResource: FixedResource = {
  name: 'tree',
  source: { name: 'get_tree' },
  title: 'Folders and notes',
  description: 'The folders of the vault, three levels deep, with how many notes each holds and up to 200 notes.',
  async read(core, call) {
    const { value, warnings } = await getTree(core, { depth: 3, limit: 200, includeArchived: false }, call)
    return { value: { ...value }, warnings }
  },
}
