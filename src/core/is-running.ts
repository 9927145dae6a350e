import { errorCode } from './error-code.ts'

/** Checks whether a process runs on this computer, even one of another user. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}
