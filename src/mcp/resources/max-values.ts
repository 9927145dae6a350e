/** How many values a completion may give, by the protocol. */
export const MAX_VALUES = 100
