/** The first version of the protocol without `initialize`; it and later ones are the modern era. */
export const MODERN_VERSION = '2026-07-28'

/** The first version in which a server may show a picture of itself. */
export const ICONS_VERSION = '2025-11-25'
