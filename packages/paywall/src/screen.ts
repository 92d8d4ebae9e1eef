/** Builds elements, without markup in texts, and shows one screen at a time in the page's changing part. */
type Child = Node | string | undefined;

/** A function listens to the event of that name, without `on`. */
export type Attributes = Readonly<Record<string, string | boolean | (() => void) | undefined>>;

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

/** The element is in the page's own HTML. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`The page has no #${id}.`);
  return element;
}

export type Tone = "plain" | "busy" | "good" | "warn" | "bad";

export interface Screen {
  readonly title: string;
  readonly tone?: Tone;
  readonly children: readonly (Node | undefined)[];
}

export interface Action {
  readonly label: string;
  readonly run: () => void;
}

let isFirst = true;

/** The heading takes the focus, except on the first screen of a visit. */
export function show({ title, tone = "plain", children }: Screen): void {
  const heading = el("h2", { tabindex: "-1" }, title);
  const mark = el("span", { class: "mark", "aria-hidden": "true" });
  const flow = byId("flow");
  flow.dataset["tone"] = tone;
  flow.replaceChildren(
    ...[el("div", { class: "title" }, mark, heading), ...children].filter(
      (one) => one !== undefined,
    ),
  );
  if (!isFirst) heading.focus();
  isFirst = false;
}

/** Announces text to people who listen to the page. */
export function announce(text: string): void {
  byId("live").textContent = text;
}

/** The first place is for the recommended action, and may be empty. */
export function actions(...list: readonly (Action | undefined)[]): HTMLElement {
  const buttons = list.map((action, at) => {
    if (!action) return undefined;
    const { label, run } = action;
    return el("button", { type: "button", class: at === 0 ? "primary" : "", click: run }, label);
  });
  return el("div", { class: "actions" }, ...buttons);
}

export function text(...parts: readonly (Node | string)[]): HTMLElement {
  return el("p", {}, ...parts);
}

export function facts(rows: readonly (readonly [name: string, value: Node | string])[]) {
  return el(
    "dl",
    { class: "facts" },
    ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}
