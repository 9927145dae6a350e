import { pageOf } from './pages.ts'
import type { Prompt } from './prompts/define-prompt.ts'
import { requestRunner } from './requests.ts'
import { isOffered } from './resources/is-offered.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

const NOTES = { source: { name: 'get_node' } }

/** Answers `prompts/list` and `prompts/get`. The list touches the vault only where notes of it are prompts. */
export function addPromptHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const runRequest = requestRunner(options)
  const isOn = (prompt: Pick<Prompt, 'source'>): boolean => isOffered(prompt, options.switchedOffBy)
  // A client that may not read notes has no prompts of notes, either.
  const promptsFolder = () => (isOn(NOTES) ? (options.promptsFolder?.() ?? '') : '')
  server.setRequestHandler('prompts/list', async ({ params }, ctx) => {
    const { BUILT_IN, listPrompts } = await import('./prompts/index.ts')
    const folder = promptsFolder()
    const own = folder === '' ? BUILT_IN : await runRequest(ctx, (vaults, call) => listPrompts(vaults, folder, call))
    const all = own.filter(isOn).map(({ definition }) => definition)
    const { items, ...next } = pageOf('prompts', all, params?.cursor)
    return { prompts: [...items] as never, ...next }
  })
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, ctx) => {
    return await runRequest(ctx, async (vaults, call) => {
      const { getPrompt, listPrompts } = await import('./prompts/index.ts')
      const prompts = (await listPrompts(vaults, promptsFolder(), call)).filter(isOn)
      return (await getPrompt(prompts, { name, args }, { vaults, call, isOn: (tool) => isOn({ source: tool }) })) as never
    })
  })
}
