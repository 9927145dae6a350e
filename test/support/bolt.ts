import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Bolt protocol messages by tag (https://neo4j.com/docs/bolt/current/). */
const [HELLO, GOODBYE, RUN, PULL] = [0x01, 0x02, 0x10, 0x3f]
const [SUCCESS, IGNORED, FAILURE] = [0x70, 0x7e, 0x7f]
/** The client's first bytes: four that name the protocol, and four versions. */
const HANDSHAKE = 20
/** A server with the newer handshake answers this, followed by its versions. */
const MANIFEST = Buffer.from([0, 0, 1, 0xff])
const VERSION_5_0 = Buffer.from([0, 0, 0, 5])

async function listening(server: Server, sockets: ReadonlySet<Socket>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Returns the address of a server that accepts connections and never answers. */
export async function silentServer(): Promise<string> {
  const sockets = new Set<Socket>()
  return `bolt://127.0.0.1:${await listening(
    createServer((socket) => sockets.add(socket)),
    sockets,
  )}`
}

/** Returns the address of a Bolt server that rejects each statement, or with `at: 'login'` each user, with a Neo4j error code. */
export async function refusingServer(code: string, at: 'login' | 'statement' = 'statement'): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('data', () => socket.write(VERSION_5_0))
    socket.on(
      'data',
      onMessage((tag) => {
        const answer = answerTo(tag, code, at)
        if (answer === undefined) socket.end()
        else socket.write(answer)
      }),
    )
  })
  return `bolt://127.0.0.1:${await listening(server, sockets)}`
}

/** The tag of the first complete message: chunks with length prefixes, and an empty one at the end. */
function nextMessage(bytes: Buffer): { readonly tag: number; readonly rest: Buffer } | undefined {
  const tag = bytes[3]
  for (let at = 0; at + 2 <= bytes.length; ) {
    const length = bytes.readUInt16BE(at)
    at += 2 + length
    if (length === 0 && at > 2) return { tag: tag ?? 0, rest: bytes.subarray(at) }
  }
  return undefined
}

function answerTo(tag: number, code: string, at: 'login' | 'statement'): Buffer | undefined {
  const refusal = message(FAILURE, { code, message: 'MATCH (secret) RETURN secret' })
  switch (tag) {
    case HELLO:
      return at === 'login' ? refusal : message(SUCCESS, { server: 'Neo4j/5.26.0', connection_id: 'stand-in' })
    case RUN:
      return refusal
    case PULL:
      return message(IGNORED)
    case GOODBYE:
      return undefined
    default:
      return message(SUCCESS, {})
  }
}

function message(tag: number, fields?: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(fields ?? {})
  const map = fields === undefined ? [] : [Buffer.from([0xa0 + entries.length]), ...entries.flat().map(packed)]
  const body = Buffer.concat([Buffer.from([0xb0 + (fields === undefined ? 0 : 1), tag]), ...map])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(body.length)
  return Buffer.concat([length, body, Buffer.alloc(2)])
}

function packed(text: string): Buffer {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([0xd0, bytes.length]), bytes])
}

/** A proxy in front of a server that can stall, like a hanging network, and drop connections. */
export interface Wire {
  readonly url: string
  hang(): void
  /** Resumes forwarding and sends what was held back. */
  resume(): void
  /** Closes all connections and accepts new ones only after `resume`. */
  cut(): void
  /** The number of statements sent so far. */
  statements(): number
}

/** Opens a proxy to the server at an address. */
export async function wireTo(url: string): Promise<Wire> {
  const { hostname, port, protocol } = new URL(url)
  const sockets = new Set<Socket>()
  let state: 'open' | 'hung' | 'cut' = 'open'
  let statements = 0
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy()
      return
    }
    const far = connect(Number(port), hostname)
    near.on(
      'data',
      onMessage(
        (tag) => {
          if (tag === RUN) statements++
        },
        () => isManifest,
      ),
    )
    let isManifest = false
    far.once('data', (bytes: Buffer) => {
      isManifest = bytes.subarray(0, 4).equals(MANIFEST)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('data', (bytes) => other.write(bytes))
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      if (state === 'hung') one.pause()
    }
  })
  const listened = await listening(server, sockets)
  return {
    url: `${protocol}//127.0.0.1:${listened}`,
    hang() {
      state = 'hung'
      for (const socket of sockets) socket.pause()
    },
    resume() {
      state = 'open'
      for (const socket of sockets) socket.resume()
    },
    cut() {
      state = 'cut'
      for (const socket of sockets) socket.destroy()
    },
    statements: () => statements,
  }
}

/**
 * Takes the bytes that a client sends over one connection and reports the tag of each message. `selects`: whether the server offered its
 * versions, of which the client then names one: four bytes, and a number of variable length.
 */
function onMessage(report: (tag: number) => void, selects = (): boolean => false): (bytes: Buffer) => void {
  let received: Buffer = Buffer.alloc(0)
  let greeting: 'handshake' | 'selection' | 'done' = 'handshake'
  return (bytes) => {
    received = Buffer.concat([received, bytes])
    if (greeting === 'handshake' && received.length >= HANDSHAKE) {
      received = received.subarray(HANDSHAKE)
      greeting = 'selection'
    }
    if (greeting === 'selection' && received.length > 0) {
      if (selects()) {
        const end = received.findIndex((byte, at) => at >= 4 && byte < 0x80)
        if (end < 0) return
        received = received.subarray(end + 1)
      }
      greeting = 'done'
    }
    if (greeting !== 'done') return
    for (let message = nextMessage(received); message !== undefined; message = nextMessage(received)) {
      received = message.rest
      report(message.tag)
    }
  }
}
