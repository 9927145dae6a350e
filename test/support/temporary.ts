import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'roux-test-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
