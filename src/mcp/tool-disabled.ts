import { RouxError } from '../core/errors.ts'

/** The error of a tool that is off, with the setting that switches it on. */
export function toolDisabled(name: string, setting: string): RouxError {
  return new RouxError('TOOL_DISABLED', `The tool ${name} is switched off.`, {
    hint: `The setting ${setting} switches it on.`,
  })
}
