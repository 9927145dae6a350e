/** Creates an element with these members and children. Strings are never parsed as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
  children: readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), members)
  made.append(...children)
  return made
}

/** Creates a list item with a button, followed by these nodes. */
export function buttonItem(label: string, onclick: () => void, children: readonly Node[] = []): HTMLLIElement {
  return element('li', {}, [element('button', { type: 'button', textContent: label, title: label, onclick }), ...children])
}

/** Returns the element with this id, which must exist. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`There is no #${id}.`)
  return found
}
