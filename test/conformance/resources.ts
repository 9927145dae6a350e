import type { FixtureResource, FixtureTemplate } from './fixtures.ts'
import { PNG } from './samples.ts'

function textResource(name: string, text: string): FixtureResource {
  const uri = `test://${name}`
  const mimeType = 'text/plain'
  return { definition: { uri, name, mimeType }, read: async () => ({ contents: [{ uri, mimeType, text }] }) }
}

export const RESOURCES: readonly FixtureResource[] = [
  textResource('static-text', 'This is the content of the static text resource.'),
  textResource('watched-resource', 'Watched.'),
  {
    definition: { uri: 'test://static-binary', name: 'static-binary', mimeType: 'image/png' },
    read: async () => ({ contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PNG }] }),
  },
]

export const TEMPLATES: readonly FixtureTemplate[] = [
  {
    definition: { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    async read(uri) {
      const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
      if (id === undefined) return undefined
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
      return { contents: [{ uri, mimeType: 'application/json', text }] }
    },
  },
]
