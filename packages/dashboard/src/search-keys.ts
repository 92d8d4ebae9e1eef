/** `/` and Ctrl+K open the filters of the list on the screen, else those of the settlements. */
import { useEffect } from "react";
import { go } from "./location.ts";
import { isSlashKeyOn } from "./slash-key.ts";

const asked = "farthing:search";

/** Set while the screen with the filters is on its way. */
let isAwaited = false;

/** Listens for the keys as long as the shell is there. */
export function useSearchKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isSearchKey(event)) return;
      // Firefox opens its own search for either.
      event.preventDefault();
      const isTaken = !dispatchEvent(new Event(asked, { cancelable: true }));
      if (isTaken) return;
      isAwaited = true;
      go("settlements");
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function isSearchKey({ key, ctrlKey, metaKey, altKey, shiftKey, target }: KeyboardEvent): boolean {
  if (altKey || document.querySelector("dialog[open]")) return false;
  if (ctrlKey || metaKey) return key.toLowerCase() === "k" && !shiftKey;
  return key === "/" && isSlashKeyOn() && !isTyping(target);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea");
}

/** Calls `open` when a user presses one of the keys, or has pressed it on the way to this screen. */
export function useSearch(open: () => void): void {
  useEffect(() => {
    const take = (event: Event) => {
      event.preventDefault();
      open();
    };
    addEventListener(asked, take);
    if (isAwaited) open();
    isAwaited = false;
    return () => removeEventListener(asked, take);
  }, [open]);
}
