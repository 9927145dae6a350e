export interface Heading {
  readonly depth: number
  readonly text: string
  readonly line: number
  readonly lastLine: number
  readonly isTop: boolean
}

export interface End {
  readonly line: number
  readonly written: string
  readonly path?: string
  readonly heading?: number
  readonly block?: string
}

export interface ReadFile {
  readonly kind: string
  readonly malformed: boolean
  readonly firstLine: number
  readonly headings: readonly Heading[]
  readonly tags: readonly string[]
  readonly ends: readonly End[]
}

export function readEnds(
  root: string,
  flavor: { readonly profile: string; readonly mode: string; readonly comments: boolean },
): Map<string, ReadFile>
