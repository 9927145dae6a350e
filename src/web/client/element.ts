/** Creates an element with the given members and children. Strings are never parsed as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), members)
  created.append(...children)
  return created
}

/** Creates a list item with a button and, after it, the given nodes. */
export function buttonItem(label: string, onclick: () => void, children: readonly Node[] = []): HTMLLIElement {
  return element('li', {}, [button(label, onclick), ...children])
}

export function button(label: string, onclick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', textContent: label, title: label, onclick })
}

/** Returns the element with this id, which must exist. */
export function byId(id: string): HTMLElement {
  return document.getElementById(id)!
}
