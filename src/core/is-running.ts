import { errorCode } from './errors.ts'

/** Checks whether a process is running on this computer, even if another user owns it. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
