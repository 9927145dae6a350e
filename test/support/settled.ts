/** Lets waiting tasks run and connections of this process be read. They need turns of the event loop, not time. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 400; turn++) await new Promise((resolve) => setImmediate(resolve))
}
