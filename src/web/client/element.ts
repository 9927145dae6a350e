/** Creates an element. Strings are never parsed as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const created = Object.assign(document.createElement(name), members)
  created.append(...children)
  return created
}

export function buttonItem(label: string, onclick: () => void, children: readonly Node[] = []): HTMLLIElement {
  return element('li', {}, [button(label, onclick), ...children])
}

export function button(label: string, onclick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', textContent: label, title: label, onclick })
}

export function byId(id: string): HTMLElement {
  return document.getElementById(id)!
}
