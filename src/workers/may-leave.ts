import type { Settings } from '../config/settings.ts'
import { linearGlob } from '../vault/ignore-rules.ts'

/** Whether the settings allow sending texts of this path to a model on a server. */
export function mayLeave({ allow, deny }: Pick<Settings['ai'], 'allow' | 'deny'>): (path: string) => boolean {
  const allowed = allow.map((glob) => linearGlob(glob, false))
  // A denied folder includes its content, in any case: withholding too much does no harm.
  const denied = deny.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]).map((glob) => linearGlob(glob, true))
  return (path) => (allowed.length === 0 || allowed.some((fits) => fits(path))) && !denied.some((fits) => fits(path))
}

/** A test whether texts of a path may be embedded; `undefined` when no server is used and all may. */
export function mayEmbed({ embedder, ai }: Pick<Settings, 'embedder' | 'ai'>): ((path: string) => boolean) | undefined {
  return embedder.kind === 'openai' ? mayLeave(ai) : undefined
}
