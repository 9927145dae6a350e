import type { ServerEvents } from '../../src/mcp/events/events.ts'
import { fixtureTool } from './define-fixture.ts'
import type { FixtureTool } from './fixtures.ts'
import { PNG, pause, says, text, WAV } from './samples.ts'

/** Tools for every kind of result, notification and change. */
export function answeringTools(events: ServerEvents): readonly FixtureTool[] {
  return [
    fixtureTool('test_simple_text', async () => says('This is a simple text response for testing.')),
    fixtureTool('test_image_content', async () => ({ content: [{ type: 'image', data: PNG, mimeType: 'image/png' }] })),
    fixtureTool('test_audio_content', async () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] })),
    fixtureTool('test_embedded_resource', async () => ({
      content: [
        {
          type: 'resource',
          resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
        },
      ],
    })),
    fixtureTool('test_multiple_content_types', async () => ({
      content: [
        text('Multiple content types test:'),
        { type: 'image', data: PNG, mimeType: 'image/png' },
        {
          type: 'resource',
          resource: {
            uri: 'test://mixed-content-resource',
            mimeType: 'application/json',
            text: JSON.stringify({ test: 'data', value: 123 }),
          },
        },
      ],
    })),
    fixtureTool('test_error_handling', async () => ({
      ...says('This tool intentionally returns an error for testing'),
      isError: true,
    })),
    loggingTool,
    fixtureTool('test_logging_tool', async (_, { mcpReq }) => {
      await mcpReq.log('info', 'Only for who asked.')
      return says('done')
    }),
    progressTool,
    fixtureTool('json_schema_2020_12_tool', async () => says('done'), JSON_SCHEMA),
    fixtureTool('test_trigger_tool_change', async () => {
      events.publish({ kind: 'tools_list_changed' })
      return says('done')
    }),
    fixtureTool('test_trigger_prompt_change', async () => {
      events.publish({ kind: 'prompts_list_changed' })
      return says('done')
    }),
  ]
}

const loggingTool = fixtureTool('test_tool_with_logging', async (_, { mcpReq }) => {
  await mcpReq.log('info', 'Tool execution started')
  await pause(50)
  await mcpReq.log('info', 'Tool processing data')
  await pause(50)
  await mcpReq.log('info', 'Tool execution completed')
  return says('Logged.')
})

const progressTool = fixtureTool('test_tool_with_progress', async (_, { mcpReq }) => {
  const progressToken = mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await pause(50)
    if (progressToken === undefined) continue
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
  }
  return says(String(progressToken))
})

const JSON_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}
