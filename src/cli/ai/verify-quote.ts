import { verifyQuote } from '../../app/ask/verify-quote.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import { UsageError } from '../host.ts'
import { type Invocation, requireVaults, withVaults } from '../session.ts'
import { resolveNames } from '../tools/resolve-name.ts'
import { withoutShellPaths } from '../tools/shell-path.ts'

/** Checks whether a note contains a quote. The exit code is 1 if it does not. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, positionals, printer } = invocation
  const [note, quote = ''] = positionals
  if (note === undefined || quote.trim() === '')
    throw new UsageError('Missing note or quote.', 'Write: roux verify-quote "My note" "what it says"')
  const { vaults } = await requireVaults(invocation)
  const tool = { names: { id: 'note' } } as const
  const named = withoutShellPaths(tool, { id: note }, { cwd: host.cwd, vaults })
  return await withVaults(invocation, vaults, async (opened) => {
    const { id } = await resolveNames(opened, tool, named)
    const core = await opened.open(vaultOf(String(id), opened.names) ?? opened.names[0])
    const { value, warnings } = await verifyQuote(core, { id: String(id), quote })
    await printer.answer(value, { warnings })
    return value.found ? 0 : 1
  })
}
