import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import { fixtureTool } from './define-fixture.ts'
import type { FixtureTool } from './fixtures.ts'
import { form, says, text } from './samples.ts'

/** A tool that asks the user of a legacy client to fill in a form. */
function eliciting(name: string, schema: ElicitRequestFormParams['requestedSchema']): FixtureTool {
  return fixtureTool(name, async (_, { mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput(
      { message: 'Please fill this in.', requestedSchema: schema },
      { relatedRequestId: mcpReq.id },
    )
    return says(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)
  })
}

const choices = (...names: readonly string[]) => names.map((name, at) => ({ const: `value${at + 1}`, title: name }))
const OPTIONS = ['option1', 'option2', 'option3']

/**
 * Tools that send requests to clients of the legacy protocol. The requests use the call's stream, because the client's own stream may not
 * be open yet.
 */
export const ASKING_TOOLS: readonly FixtureTool[] = [
  fixtureTool(
    'test_sampling',
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user' as const, content: text(String(prompt)) }]
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 }, { relatedRequestId: mcpReq.id })
      const [first] = Array.isArray(content) ? content : [content]
      return says(`LLM response: ${first?.type === 'text' ? first.text : ''}`)
    },
    { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  ),
  fixtureTool(
    'test_elicitation',
    async ({ message }, { mcpReq }) => {
      const username = { type: 'string', description: "User's response" }
      const email = { type: 'string', description: "User's email address" }
      const requestedSchema = form({ username, email }, ['username', 'email'])
      const { action, content } = await mcpReq.elicitInput(
        { message: String(message), requestedSchema },
        { relatedRequestId: mcpReq.id },
      )
      return says(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`)
    },
    { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  ),
  eliciting(
    'test_elicitation_sep1034_defaults',
    form({
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  ),
  eliciting(
    'test_elicitation_sep1330_enums',
    form({
      untitledSingle: { type: 'string', enum: OPTIONS },
      titledSingle: { type: 'string', oneOf: choices('First Option', 'Second Option', 'Third Option') },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: OPTIONS } },
      titledMulti: { type: 'array', items: { anyOf: choices('First Choice', 'Second Choice', 'Third Choice') } },
    }),
  ),
]
