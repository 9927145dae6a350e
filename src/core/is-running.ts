import { errorCode } from './errors.ts'

/** Returns true if the process exists, even if another user owns it. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
