import { pageOf } from './pages.ts'
import type { Prompt } from './prompts/prompts.ts'
import { requestRunner } from './requests.ts'
import { isOffered } from './resources/resources.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

const NOTES = { source: { name: 'get_node' } }

/** Answers `prompts/list` and `prompts/get`. The list touches the vault only where notes of it are prompts. */
export function addPromptHandlers(server: ValidatingServer, options: McpServerOptions): void {
  const runRequest = requestRunner(options)
  const isOn = (prompt: Pick<Prompt, 'source'>): boolean => isOffered(prompt, options.switchedOffBy)
  // A client that may not read notes has no prompts of notes, either.
  const promptsFolder = () => (isOn(NOTES) ? (options.promptsFolder?.() ?? '') : '')
  const listOffered = async (ctx: Parameters<typeof runRequest>[0]): Promise<readonly Prompt[]> => {
    const { BUILT_IN } = await import('./prompts/built-in.ts')
    const folder = promptsFolder()
    if (folder === '') return BUILT_IN.filter(isOn)
    const { listPrompts } = await import('./prompts/vault-prompts.ts')
    return (await runRequest(ctx, (vaults, call) => listPrompts(vaults, folder, call))).filter(isOn)
  }
  server.setRequestHandler('prompts/list', async ({ params }, ctx) => {
    const all = (await listOffered(ctx)).map(({ definition }) => definition)
    const { items, ...next } = pageOf('prompts', all, params?.cursor)
    return { prompts: [...items] as never, ...next }
  })
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }, ctx) => {
    const { getPrompt } = await import('./prompts/prompts.ts')
    return (await getPrompt(await listOffered(ctx), { name, args }, (tool) => isOn({ source: tool }))) as never
  })
}
