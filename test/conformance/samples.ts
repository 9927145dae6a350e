/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=='

/** An empty sound. */
export const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

export function text(content: string) {
  return { type: 'text' as const, text: content }
}

export function says(content: string) {
  return { content: [text(content)] }
}

/** A form schema. */
export function form(properties: Readonly<Record<string, object>>, required: readonly string[] = []) {
  return {
    type: 'object' as const,
    properties: { ...properties } as never,
    ...(required.length === 0 ? {} : { required: [...required] }),
  }
}

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))
