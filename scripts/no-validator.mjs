// Replaces the platform-specific part of the MCP SDK: Node's process, and no JSON Schema validator.
export { default as process } from 'node:process'
export class DefaultJsonSchemaValidator {}
