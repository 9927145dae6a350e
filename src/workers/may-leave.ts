import type { Settings } from '../config/settings.ts'
import { linearGlob } from '../vault/linear-glob.ts'

/** Whether the settings let texts of a file of this path be given to a model on a server. */
export function mayLeave({ allow, deny }: Pick<Settings['ai'], 'allow' | 'deny'>): (path: string) => boolean {
  const allowed = allow.map((glob) => linearGlob(glob, false))
  // A folder is denied with all in it, in whatever case: what is kept back by mistake harms no one.
  const denied = deny.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]).map((glob) => linearGlob(glob, true))
  return (path) => (allowed.length === 0 || allowed.some((fits) => fits(path))) && !denied.some((fits) => fits(path))
}

/** Whether texts of a file of this path may be embedded; `undefined` where no server is asked to, and all may. */
export function mayEmbed({ embedder, ai }: Pick<Settings, 'embedder' | 'ai'>): ((path: string) => boolean) | undefined {
  return embedder.kind === 'openai' ? mayLeave(ai) : undefined
}
