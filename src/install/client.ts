/** The programs that `roux install` knows. */
export type ClientName = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'zed'

/** A server as a client's settings file holds it. */
export type Entry = Readonly<Record<string, unknown>>

/** A command that starts a server without a shell: absolute paths, one word per argument. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

/** A server that runs already: the address of its `/mcp`, and a token that it takes. */
export interface HttpEndpoint {
  readonly url: string
  readonly token: string
}

/** Where files of a user are found; tests are any platform. */
export interface Places {
  readonly platform: string
  /** The home folder. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Where an entry lies in a settings file. */
export interface EntryPlace {
  /** For messages. */
  readonly file: string
  /** The property of the root that holds servers by name. */
  readonly key: string
  /** The name of the server. */
  readonly name: string
}

/** A program that takes servers, as one literal. */
export interface Client {
  readonly name: ClientName
  /** Its name for people. */
  readonly title: string
  /** Its settings file, absolute. */
  file(places: Places): string
  /** A file or folder that is there where the program was ever started. */
  sign(places: Places): string
  readonly key: string
  stdio(launch: Launch): Entry
  /** Absent where the file takes programs only. */
  readonly http?: (endpoint: HttpEndpoint) => Entry
  /** How the program picks up a new or removed entry. */
  readonly afterInstall: string
  readonly afterUninstall: string
}
