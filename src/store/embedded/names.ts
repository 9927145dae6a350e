import type { NameHit, NameMatch, NameOptions, Scope } from '../../core/store.ts'
import type { SimilarName } from '../../search/best-names.ts'
import { summaryOf } from './node.ts'
import type { Projection } from './projection.ts'
import { acceptor } from './scope.ts'

/** Finds the files of the scope that are called so; good for one generation. */
export function nameFinder(
  projection: Projection,
  match: NameMatch,
  { scope, ...bounds }: NameOptions & { readonly scope: Scope },
): (name: string) => readonly NameHit[] {
  const files = { accept: acceptor(projection, scope), id: (key: number) => projection.graph.id(key) }
  const index = projection.names()
  const look = (name: string): readonly SimilarName[] => {
    if (match === 'similar') return index.find(name, files, bounds)
    return match === 'equal' ? index.equal(name, files) : index.equalPlain(name, files)
  }
  return (name) => look(name).map((hit) => toHit(projection, hit))
}

function toHit(projection: Projection, { key, name, score }: SimilarName): NameHit {
  const { graph } = projection
  const of = graph.title(key) === name ? 'title' : graph.row(key)?.aliases.includes(name) === true ? 'alias' : 'file'
  return { ...summaryOf(projection, key), name, score, of }
}
