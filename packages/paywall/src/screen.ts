/** The changing part of the page: one screen at a time. */
import { byId, el } from "./element.ts";

export interface Screen {
  readonly title: string;
  readonly tone?: "plain" | "busy" | "good" | "warn" | "bad";
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

export function facts(
  rows: readonly (readonly [name: string, value: Node | string])[],
): HTMLElement {
  return el(
    "dl",
    { class: "facts" },
    ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}
