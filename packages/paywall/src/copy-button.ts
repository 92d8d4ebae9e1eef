import { announce, byId, el } from "./screen.ts";
import { texts } from "./texts.ts";

const words = texts.copy;

type Copied = "amount" | "address" | "command";

/** How long a button says that it has copied: long enough to read. */
const copiedMs = 2_000;

/** `what` names the value to people who listen to the page. */
export function copyButton(what: Copied, value: string): HTMLElement {
  const name = words[what];
  const say = (text: string, label: string) => {
    button.textContent = text;
    button.setAttribute("aria-label", label);
  };
  const copy = async () => {
    const write = navigator.clipboard.writeText(value);
    const outcome = await write.then(
      () => words.copied,
      () => words.blocked,
    );
    say(outcome, outcome);
    announce(outcome);
    setTimeout(() => say(words.copy, name), copiedMs);
  };
  const button = el("button", { type: "button", class: "copy", click: () => void copy() });
  say(words.copy, name);
  return button;
}

/** Adds the buttons to what the server has written; without this script they would do nothing. */
export function addCopyButtons(): void {
  for (const what of ["amount", "address", "command"] as const) {
    const element = byId(`copy-${what}`);
    element.after(copyButton(what, element.dataset["value"] ?? element.textContent));
  }
}
