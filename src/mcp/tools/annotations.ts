import { READS, type ToolAnnotations } from '../definition/define-tool.ts'

/** Adds something; twice is two, or an error. */
export const CREATES: ToolAnnotations = { ...READS, readOnlyHint: false, idempotentHint: false }

/** Makes sure that something is there. */
export const ENSURES: ToolAnnotations = { ...CREATES, idempotentHint: true }

/** Changes or takes away what is there. */
export const CHANGES: ToolAnnotations = { ...CREATES, destructiveHint: true }

/** Makes sure that something is so, or gone. */
export const SETS: ToolAnnotations = { ...CHANGES, idempotentHint: true }
