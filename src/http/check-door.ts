import { RouxError } from '../core/errors.ts'
import type { Door } from './checks.ts'
import { hostName } from './names.ts'

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i

/**
 * Checks lists that would otherwise silently let nobody in.
 * @throws RouxError `INVALID_SETTINGS` that names the entry
 */
export function checkDoor({ hosts, origins }: Pick<Door, 'hosts' | 'origins'>): void {
  for (const host of hosts) {
    if (hostName(host) === host.toLowerCase()) continue
    throw new RouxError('INVALID_SETTINGS', `http.hosts: "${host}" is no name of a host.`, {
      hint: 'Write the name alone, without https:// and port, e.g. notes.example.com.',
    })
  }
  for (const origin of origins) {
    if (ORIGIN.test(origin)) continue
    throw new RouxError('INVALID_SETTINGS', `http.origins: "${origin}" is no origin of a page.`, {
      hint: 'Write scheme and name, and the port if it has one, e.g. https://notes.example.com; there is none for all pages.',
    })
  }
}
