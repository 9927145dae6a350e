import { pageOf } from './pages.ts'
import { MissingResource } from './protocol-errors.ts'
import { requestRunner } from './requests.ts'
import { RESOURCES, TEMPLATES } from './resources/index.ts'
import { isOffered } from './resources/is-offered.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

/** Answers `resources/list`, `resources/templates/list` and `resources/read`. */
export function addResourceHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const { switchedOffBy, extension = {} } = options
  const { resources = [], templates = [] } = extension
  const runRequest = requestRunner(options)
  server.setRequestHandler('resources/list', ({ params }) => {
    const offered = RESOURCES.filter((resource) => isOffered(resource, switchedOffBy))
    const own = offered.map(({ name, title, description }) => ({
      uri: `roux://${name}`,
      name,
      title,
      description,
      mimeType: 'application/json',
    }))
    const { items, ...next } = pageOf('resources', [...own, ...resources.map(({ definition }) => definition)], params?.cursor)
    return { resources: [...items], ...next }
  })
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const own = TEMPLATES.filter((template) => isOffered(template, switchedOffBy)).map(
      ({ kind, title, description, variable, mimeType }) => ({
        uriTemplate: `roux://${kind}/{+${variable}}`,
        name: kind,
        title,
        description,
        ...(mimeType === undefined ? {} : { mimeType }),
      }),
    )
    const { items, ...next } = pageOf('templates', [...own, ...templates.map(({ definition }) => definition)], params?.cursor)
    return { resourceTemplates: [...items], ...next }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const other = resources.find(({ definition }) => definition.uri === uri)
    if (other !== undefined) return await other.read(ctx)
    for (const template of templates) {
      const read = await template.read(uri, ctx)
      if (read !== undefined) return read
    }
    if (!/^roux:/i.test(uri)) throw new MissingResource(uri)
    return await runRequest(ctx, async (vaults, call) => {
      const { readResource } = await import('./resources/read-resource.ts')
      const facts = { settings: {}, ...options.facts?.(), version: options.version }
      return { contents: [await readResource(uri, { vaults, server: facts, switchedOffBy, call })] } as never
    })
  })
}
