import type { SwitchedOffBy } from '../define-tool.ts'
import type { TemplateResource } from './define-resource.ts'

/** Whether the resources of a template are there for this client. */
export function isOffered({ kind, needs }: Pick<TemplateResource, 'kind' | 'needs'>, switchedOffBy: SwitchedOffBy): boolean {
  return needs === undefined || switchedOffBy({ name: `${kind}_resource`, needs }) === undefined
}
