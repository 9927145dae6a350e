/** Returns a time as a date in this machine's time zone, for example `2026-03-04`. */
export function localDate(time: Date): string {
  return `${String(time.getFullYear()).padStart(4, '0')}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
}

export function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
