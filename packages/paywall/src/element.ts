/** Builds elements. Text goes in as text; nothing here reads markup. */

type Child = Node | string | undefined;

/** Attributes by name; a function listens to the event of that name, `on` left out. */
export type Attributes = Readonly<Record<string, string | boolean | (() => void) | undefined>>;

/** One element with its attributes and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (typeof value === "string") element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

/** The element of the page with an id; the page's HTML is ours, so it is there. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}
