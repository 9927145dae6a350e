import { RouxError } from '../core/errors.ts'
import type { AccessPolicy } from './host-and-origin.ts'
import { hostName } from './names.ts'

const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+\/?$/i

/**
 * Checks an address that would let every computer in without saying so, and lists that would silently let none in.
 * @throws RouxError `INVALID_SETTINGS` that names the entry
 */
export function checkAccessPolicy({ host: address, hosts, origins }: Pick<AccessPolicy, 'host' | 'hosts' | 'origins'>): void {
  if (address.trim() === '')
    throw new RouxError('INVALID_SETTINGS', 'http.host is empty, which would let every computer in.', {
      hint: 'Set it to 127.0.0.1; 0.0.0.0 says that all addresses of this computer are meant.',
    })
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
