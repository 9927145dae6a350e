import { RouxError } from '../../core/errors.ts'
import type { OffSwitch } from '../definition/define-tool.ts'

/** The error of a tool that is off, with the setting that switches it on or what else does. */
export function toolDisabled(name: string, off: OffSwitch): RouxError {
  return new RouxError('TOOL_DISABLED', `The tool ${name} is switched off.`, {
    hint: typeof off === 'string' ? `The setting ${off} switches it on.` : off.hint,
  })
}
