import { loadVaults } from '../../config/load-vaults.ts'
import type { UsageRow } from '../../core/model-usage.ts'
import { UsageError } from '../host.ts'
import { type Invocation, settingsInput, withDesk } from '../session.ts'

/** Prints token usage by day, server, model and feature. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, options } = invocation
  const days = (options.get('days') as number | undefined) ?? 7
  if (days < 1 || days > 3_650) throw new UsageError(`--days must be from 1 to 3650; got ${days}.`)
  const {
    vaults: [loaded],
  } = await loadVaults(settingsInput(invocation))
  const prices = pricesIn(loaded.settings.ai.prices)
  const { usage, budget } = await withDesk(host, loaded, async (desk) => ({
    usage: desk.usage(days),
    budget: await desk.budget(),
  }))
  const rows = usage.map((row) => ({ ...row, ...costOf(row, prices.get(row.model)) }))
  if (printer.json) {
    await printer.answer({ rows, ...(budget === undefined ? {} : { budget }) })
    return 0
  }
  if (rows.length === 0) await printer.text('No model has been used.\n')
  else {
    await printer.answer(rowsForPeople(rows))
    for (const place of placesOf(rows)) printer.note(place)
  }
  if (budget !== undefined) printer.note(`Today: ${budget.used} of ${budget.limit} tokens; the budget resets at ${budget.reset}.`)
  return 0
}

type Row = UsageRow & { readonly cost?: number }

/** Leaves out columns that are empty or the same in every row, so the table fits into 80 columns. */
function rowsForPeople(rows: readonly Row[]): readonly object[] {
  const isOfOne = placesOf(rows).length === 1
  const filled = (value: number): number | undefined => (value === 0 ? undefined : value)
  return rows.map(({ day, provider, model, feature, requests, input, output, cost, ...rest }) => ({
    day,
    ...(isOfOne ? {} : { provider }),
    model,
    feature,
    requests,
    input,
    output,
    cost,
    failed: filled(rest.failed),
    estimated: filled(rest.estimated),
    reserved: filled(rest.reserved),
  }))
}

/** Formats each server with its location, for example `api.openai.com: remote.` */
function placesOf(rows: readonly Row[]): readonly string[] {
  return [...new Set(rows.map(({ provider, location }) => `${provider}: ${location}.`))]
}

interface Price {
  readonly input: number
  readonly output: number
}

/** @throws UsageError if a price is invalid */
function pricesIn(prices: readonly string[]): ReadonlyMap<string, Price> {
  return new Map(
    prices.map((price) => {
      const [, model = '', input, output] = /^(.+)=(\d+(?:\.\d+)?|\.\d+)\/(\d+(?:\.\d+)?|\.\d+)$/.exec(price) ?? []
      if (model === '')
        throw new UsageError(`ai.prices: "${price}" is not a price.`, 'Write model=input/output, e.g. my-model=0.15/0.60.')
      return [model, { input: Number(input), output: Number(output) }]
    }),
  )
}

const MILLION = 1_000_000

function costOf({ input, output }: { readonly input: number; readonly output: number }, price: Price | undefined) {
  if (price === undefined) return {}
  return { cost: Number(((input * price.input + output * price.output) / MILLION).toFixed(4)) }
}
