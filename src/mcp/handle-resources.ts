import { isMapOffered, MAP_APP, MAP_APP_RESOURCE, mapAppContents, showsApps } from './apps/map-app.ts'
import { pageOf } from './pages.ts'
import { MissingResource } from './protocol-errors.ts'
import { requestRunner } from './requests.ts'
import { isOffered, RESOURCES, TEMPLATES } from './resources/resources.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

/** Answers `resources/list`, `resources/templates/list` and `resources/read`. */
export function addResourceHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const { switchedOffBy } = options
  const runRequest = requestRunner(options)
  server.setRequestHandler('resources/list', ({ params }, ctx) => {
    const offered = RESOURCES.filter((resource) => isOffered(resource, switchedOffBy))
    const own = offered.map(({ name, title, description }) => ({
      uri: `roux://${name}`,
      name,
      title,
      description,
      mimeType: 'application/json',
    }))
    const all = isMapOffered(options) && showsApps(server, ctx) ? [...own, MAP_APP_RESOURCE] : own
    const { items, ...next } = pageOf('resources', all, params?.cursor)
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
    const { items, ...next } = pageOf('templates', own, params?.cursor)
    return { resourceTemplates: [...items], ...next }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    if (uri === MAP_APP && options.mapPage !== undefined && isMapOffered(options))
      return { contents: [mapAppContents(await options.mapPage())] }
    if (!/^roux:/i.test(uri)) throw new MissingResource(uri)
    return await runRequest(ctx, async (vaults, call) => {
      const { readResource } = await import('./resources/read-resource.ts')
      const facts = { settings: {}, ...options.facts?.(), version: options.version }
      return { contents: [await readResource(uri, { vaults, server: facts, switchedOffBy, call })] } as never
    })
  })
}
