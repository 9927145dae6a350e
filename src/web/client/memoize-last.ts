/** Returns the previous result until a part of its key changes. */
export function memoizeLast<Args extends readonly unknown[], Result>(
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
