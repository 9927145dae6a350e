// Stands in for the part of the protocol's SDK that differs between platforms: Node's process, and no JSON Schema validator.
export { default as process } from 'node:process'
export class DefaultJsonSchemaValidator {}
