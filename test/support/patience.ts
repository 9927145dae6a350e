/** How long a test waits for an event, in milliseconds. This only ends a wait in vain, even on a busy machine. */
export const PATIENCE = 120_000
