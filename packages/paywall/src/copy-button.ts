import { announce, el } from "./screen.ts";

/** How long a button says that it has copied: long enough to read. */
const copiedMs = 2_000;

/** `what` names the value to people who listen to the page. */
export function copyButton(what: string, value: string): HTMLElement {
  const name = `Copy ${what}`;
  const say = (text: string, label: string) => {
    button.textContent = text;
    button.setAttribute("aria-label", label);
  };
  const copy = async () => {
    const write = navigator.clipboard.writeText(value);
    const outcome = await write.then(
      () => "Copied",
      () => "Copying is blocked",
    );
    say(outcome, outcome);
    announce(outcome);
    setTimeout(() => say("Copy", name), copiedMs);
  };
  const button = el("button", { type: "button", class: "copy", click: () => void copy() });
  say("Copy", name);
  return button;
}

/** Adds the buttons to what the server has written; without this script they would do nothing. */
export function addCopyButtons(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    const { copy: what = "", value = element.textContent } = element.dataset;
    element.after(copyButton(what, value));
  }
}
