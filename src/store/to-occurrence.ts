import type { ResolvedLink } from '../core/index-writer.ts'
import type { Occurrence } from '../core/store.ts'

/** A link of the index as the place that it is, between the ends that it has now. */
export function toOccurrence(link: ResolvedLink, { from, to }: Pick<Occurrence, 'from' | 'to'>): Occurrence {
  return {
    from,
    to,
    kind: link.kind,
    form: link.form,
    ...(link.property === undefined ? {} : { property: link.property }),
    ...(link.subpath === undefined ? {} : { subpath: link.subpath }),
    ...(link.brokenSubpath === undefined ? {} : { brokenSubpath: link.brokenSubpath }),
    line: link.line,
    start: link.start,
    end: link.end,
    inComment: link.inComment === true,
  }
}
