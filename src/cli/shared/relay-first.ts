import { PassThrough, type Readable, type Writable } from 'node:stream'
import { greetingOf } from '../../relay/greeting.ts'
import { openLink } from '../../relay/start-server.ts'
import { StdioRelay } from '../../relay/stdio-relay.ts'
import type { Host, Sharing } from '../host.ts'

/** Serves a client in this process. Resolves to the exit code. */
type Serve = (host: Host) => Promise<number>

/**
 * Starts the shared server and relays to it. The server takes a while to start, so this process answers the client's opening itself.
 */
export async function relayFirst(sharing: Sharing, host: Host, serve: Serve): Promise<number> {
  const { stderr, env } = host
  const [stdin, stdout] = [host.stdin as Readable, host.stdout as Writable]
  const relay = new StdioRelay({
    stdin,
    stdout,
    stderr: stderr as Writable,
    reopen: () => openLink(sharing.script, greetingOf('serve', process.argv.slice(2), env)),
    answerOpening: (line) => answerOpening(line, host, serve),
    serveAlone(input, output) {
      sharing.bootIndexer()
      return serve(within(host, { stdin: input, stdout: output }))
    },
  })
  host.onSignal(() => relay.stop())
  return await relay.finished
}

/** Answers one line as a server that opens no vault does. */
async function answerOpening(line: string, host: Host, serve: Serve): Promise<string | undefined> {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const never = new Promise<never>(() => {})
  void serve(within(host, { stdin, stdout, compose: () => never }))
  stdin.write(`${line}\n`)
  let answer = ''
  for await (const chunk of stdout) {
    answer += String(chunk)
    if (answer.includes('\n')) break
  }
  stdin.end()
  return answer.slice(0, answer.indexOf('\n'))
}

function within(host: Host, own: Partial<Host>): Host {
  return Object.create(host, Object.getOwnPropertyDescriptors(own)) as Host
}
