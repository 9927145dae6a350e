import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequests,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { fixtureTool } from './define-fixture.ts'
import type { FixturePrompt, FixtureTool } from './fixtures.ts'
import { form, says, text } from './samples.ts'

/** Signs the state that passes through the client. */
export const STATE = createRequestStateCodec<{ readonly step: number }>({ key: 'a key of thirty-two bytes or more' })

const ask = (message: string, field: string, type = 'string') =>
  inputRequired.elicit({ message, requestedSchema: form({ [field]: { type } }, [field]) })
const NAME = ask('What is your name?', 'name')
const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(question) }], maxTokens })

/** A field of an accepted form. */
function answered(ctx: ServerContext, key: string, field: string): unknown {
  return acceptedContent(ctx.mcpReq.inputResponses, key)?.[field]
}

function has(ctx: ServerContext, ...keys: readonly string[]): boolean {
  return keys.every((key) => ctx.mcpReq.inputResponses?.[key] !== undefined)
}

/** Requests all inputs at once. */
function asking(name: string, inputRequests: InputRequests): FixtureTool {
  return fixtureTool(name, async (_, ctx) =>
    has(ctx, ...Object.keys(inputRequests)) ? says(JSON.stringify(ctx.mcpReq.inputResponses)) : inputRequired({ inputRequests }),
  )
}

const named = (name: string) =>
  fixtureTool(name, async (_, ctx) => {
    const given = answered(ctx, 'user_name', 'name')
    return typeof given === 'string' ? says(`Hello, ${given}!`) : inputRequired({ inputRequests: { user_name: NAME } })
  })

const confirming = (name: string) =>
  fixtureTool(name, async (_, ctx) => {
    const state = ctx.mcpReq.requestState<{ readonly step: number }>()
    if (state !== undefined && has(ctx, 'confirm')) return says(`state-ok ${state.step}`)
    return inputRequired({
      inputRequests: { confirm: ask('Please confirm', 'ok', 'boolean') },
      requestState: await STATE.mint({ step: 1 }),
    })
  })

const severalTool = fixtureTool('test_input_required_result_multiple_inputs', async (_, ctx) => {
  if (ctx.mcpReq.requestState() !== undefined && has(ctx, 'user_name', 'greeting', 'client_roots')) return says('All there.')
  const greeting = sample('Generate a greeting', 50)
  return inputRequired({
    inputRequests: { user_name: NAME, greeting, client_roots: inputRequired.listRoots() },
    requestState: await STATE.mint({ step: 1 }),
  })
})

const roundsTool = fixtureTool('test_input_required_result_multi_round', async (_, ctx) => {
  const step = ctx.mcpReq.requestState<{ readonly step: number }>()?.step ?? 0
  if (step === 2 && has(ctx, 'step2')) return says('Both steps done.')
  const next: InputRequests =
    step === 1 && has(ctx, 'step1')
      ? { step2: ask('Step 2: What is your favorite color?', 'color') }
      : { step1: ask('Step 1: What is your name?', 'name') }
  return inputRequired({ inputRequests: next, requestState: await STATE.mint({ step: 'step2' in next ? 2 : 1 }) })
})

const capabilitiesTool = fixtureTool('test_input_required_result_capabilities', async (_, ctx) => {
  // The SDK's envelope type is empty.
  const envelope = ctx.mcpReq.envelope as Readonly<Record<string, object>> | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {}
  if (Object.keys(ctx.mcpReq.inputResponses ?? {}).length > 0) return says('done')
  return inputRequired({
    inputRequests: {
      ...('sampling' in declared ? { capital_question: sample('What is the capital of France?', 100) } : {}),
      ...('elicitation' in declared ? { user_name: NAME } : {}),
    },
  })
})

/** Tools that request input from clients of the modern protocol with incomplete results. */
export const INPUT_REQUIRED_TOOLS: readonly FixtureTool[] = [
  named('test_input_required_result_elicitation'),
  named('test_streaming_elicitation'),
  asking('test_input_required_result_sampling', { capital_question: sample('What is the capital of France?', 100) }),
  asking('test_missing_capability', { capital_question: sample('What is the capital of France?', 100) }),
  asking('test_input_required_result_list_roots', { client_roots: inputRequired.listRoots() }),
  confirming('test_input_required_result_request_state'),
  confirming('test_input_required_result_tampered_state'),
  severalTool,
  roundsTool,
  capabilitiesTool,
]

export const INPUT_REQUIRED_PROMPT: FixturePrompt = {
  definition: { name: 'test_input_required_result_prompt', description: 'Fixture that asks for its context.' },
  async get(_, ctx) {
    const context = answered(ctx, 'user_context', 'context')
    if (typeof context === 'string') return { messages: [{ role: 'user', content: text(`Use this context: ${context}`) }] }
    return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } })
  },
}
