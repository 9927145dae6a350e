import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect, noticeLine } from '../../src/relay/connect.ts'
import { type Place, readAnnouncement } from '../../src/relay/place.ts'

/** A place where a server listens that knows only the token "new", while the announcement has "old". */
async function openPlace(onWrongToken: (place: Place) => void): Promise<Place> {
  const root = mkdtempSync(join(tmpdir(), 'roux-relay-'))
  const folder = join(root, 'roux')
  mkdirSync(folder, { mode: 0o700 })
  const path = (ending: string) => join(folder, `server.${ending}`)
  const place = { folder, socket: path('sock'), announcement: path('server'), lock: path('lock'), log: path('log') }
  const answer = (socket: Socket) =>
    socket.once('data', (line) => {
      const isRight = JSON.parse(String(line)).token === 'new'
      if (!isRight) onWrongToken(place)
      socket.end(noticeLine(isRight ? {} : { alone: 'its token is wrong' }))
    })
  const server = createServer(answer)
  await new Promise<void>((resolve) => void server.listen(place.socket, resolve))
  onTestFinished(() => {
    server.close()
    rmSync(root, { recursive: true })
  })
  announce(place, 'old')
  return place
}

function announce({ announcement }: Place, token: string): void {
  writeFileSync(announcement, `${process.pid} ${token}`, { mode: 0o600 })
}

const GREETING = { kind: 'command', argv: [], cwd: '/', env: {}, columns: {} } as const

test('a token that changes during the connection is no reason to work alone', async () => {
  const place = await openPlace((one) => announce(one, 'new'))
  expect(await connect(place, GREETING)).toBeUndefined()
  const link = await connect(place, GREETING)
  expect(link).toBeDefined()
  link?.socket.destroy()
})

test('a token that stays wrong is an error', async () => {
  const place = await openPlace(() => {})
  await expect(connect(place, GREETING)).rejects.toThrow('its token is wrong')
})

test('an empty announcement counts only for a short time', async () => {
  const place = await openPlace(() => {})
  writeFileSync(place.announcement, '')
  const isAliveAfter = (seconds: number) => {
    const written = Date.now() / 1_000 - seconds
    utimesSync(place.announcement, written, written)
    return readAnnouncement(place)?.isAlive
  }
  expect(isAliveAfter(0)).toBe(true)
  expect(isAliveAfter(5)).toBe(false)
})
