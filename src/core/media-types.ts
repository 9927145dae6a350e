/** The ending of a file's name, lower-case and without its dot: `png`; empty where there is none. */
export function endingOf(name: string): string {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

// Programs as often as films.
const UNCLEAR = new Set(['ts', 'mts'])

/** The media type that a file's name tells, e.g. `image/png`; `undefined` for an ending that tells none. */
export async function mediaTypeOf(name: string): Promise<string | undefined> {
  // Only where attachments are asked for: the table is large.
  const { default: mime } = await import('mime')
  const ending = endingOf(name)
  return UNCLEAR.has(ending) ? undefined : (mime.getType(ending) ?? undefined)
}

// `mime` has these under `application/`, though they are text by definition.
const TEXTUAL = new Set(['javascript', 'ecmascript', 'json5', 'sql', 'toml', 'yaml', 'x-sh', 'x-subrip', 'x-tex'])

/** True if a media type is readable text: `text/csv`, `image/svg+xml`, `application/json`. */
export function isTextual(type: string): boolean {
  const [kind, subtype = ''] = type.split('/')
  return kind === 'text' || /(?:^|\+)(?:json|xml|yaml)$/.test(subtype) || TEXTUAL.has(subtype)
}
