/** The changing part of the page: one screen at a time, with a heading that takes the focus. */
import { byId, el } from "./element.ts";

/** One screen. */
export interface Screen {
  readonly title: string;
  readonly tone?: "plain" | "busy" | "good" | "warn" | "bad";
  readonly children: readonly (Node | undefined)[];
}

/** Something that can be done. */
export interface Action {
  readonly label: string;
  readonly run: () => void;
}

let isFirst = true;

/** Shows a screen. The first one of a visit leaves the focus where it is. */
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

/** Says something to those who listen to the page. */
export function say(text: string): void {
  byId("live").textContent = text;
}

/** A row of buttons; the first place is for the one to take, and may be empty. */
export function actions(...list: readonly (Action | undefined)[]): HTMLElement {
  const buttons = list.map((action, at) => {
    if (!action) return undefined;
    const { label, run } = action;
    return el("button", { type: "button", class: at === 0 ? "primary" : "", click: run }, label);
  });
  return el("div", { class: "actions" }, ...buttons);
}

/** A paragraph. */
export function text(...parts: readonly (Node | string)[]): HTMLElement {
  return el("p", {}, ...parts);
}

/** A list of facts. */
export function facts(
  rows: readonly (readonly [name: string, value: Node | string])[],
): HTMLElement {
  return el(
    "dl",
    { class: "facts" },
    ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}
