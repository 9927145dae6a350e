/** Returns a function that only computes again if part of its key has changed since the last call. */
export function kept<Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => readonly unknown[],
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  let last: { readonly key: readonly unknown[]; readonly result: Result } | undefined
  return (...args) => {
    const key = keyOf(...args)
    if (last === undefined || last.key.some((one, at) => one !== key[at])) last = { key, result: compute(...args) }
    return last.result
  }
}
