/** Bytes as people read them: `4.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1_000)} kB`
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

/** So many of something: `1 change`, `3 changes`. */
export function amount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** A time to wait as people say it: `about 5 min`. */
export function durationText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000)
  if (seconds < 90) return `about ${Math.max(1, seconds)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 90 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`
}
