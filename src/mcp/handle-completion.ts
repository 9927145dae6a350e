import type { CompleteResult } from '@modelcontextprotocol/server'
import type { Call } from '../app/answer/answer-when-ready.ts'
import type { GraphCore } from '../app/graph-core.ts'
import type { NodeCompletion } from '../app/names/complete-node.ts'
import { ofThoseThatCan } from './calls/vaults.ts'
import { requestRunner } from './requests.ts'
import { isOffered, MAX_VALUES, TEMPLATES } from './resources/resources.ts'
import type { McpServerOptions } from './server-options.ts'
import type { ValidatingServer } from './validating-server.ts'

type Completion = CompleteResult['completion']
type Completer = (core: GraphCore, typed: string, call: Call) => Promise<NodeCompletion>

const NOTHING: Completion = { values: [], total: 0, hasMore: false }

/** Answers `completion/complete`: ids for `{+id}` and for arguments of prompts that are notes, nothing for anything else. */
export function addCompletionHandler(server: ValidatingServer, options: McpServerOptions): void {
  const runRequest = requestRunner(options)
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }, ctx) => {
    const completer =
      ref.type === 'ref/prompt' ? await forPrompt(ref.name, argument.name, options) : forTemplate(ref.uri, argument.name, options)
    if (completer === undefined) return { completion: NOTHING }
    return { completion: await runRequest(ctx, (vaults, call) => completeIn(vaults, completer, { typed: argument.value, call })) }
  })
}

async function completeIn(
  vaults: readonly GraphCore[],
  complete: Completer,
  { typed, call }: { readonly typed: string; readonly call: Call },
): Promise<Completion> {
  const found = await ofThoseThatCan(vaults, (core) => complete(core, typed, call))
  const values = found.flatMap(({ ids }) => ids).slice(0, MAX_VALUES)
  const total = found.reduce((sum, one) => sum + one.total, 0)
  return { values, total, hasMore: total > values.length }
}

function forTemplate(uri: string, variable: string, { switchedOffBy }: McpServerOptions): Completer | undefined {
  const template = TEMPLATES.find((one) => uri === `roux://${one.kind}/{+${one.variable}}`)
  return template?.variable === variable && isOffered(template, switchedOffBy) ? template.complete : undefined
}

async function forPrompt(name: string, argument: string, { switchedOffBy }: McpServerOptions): Promise<Completer | undefined> {
  const { BUILT_IN } = await import('./prompts/built-in.ts')
  const found = BUILT_IN.find(({ definition }) => definition.name === name)
  const notes = TEMPLATES.find(({ kind }) => kind === 'node')
  if (notes === undefined || !isOffered(notes, switchedOffBy)) return undefined
  return found?.noteArguments.includes(argument) ? notes.complete : undefined
}
