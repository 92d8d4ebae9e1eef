/** Says things to people who do not see the screen: copied, paid, saved. */
import { useSyncExternalStore } from "react";

let announced = "";
/** Makes the same words twice in a row two announcements. */
let turn = 0;
const listeners = new Set<() => void>();

/** Has a screen reader say this when it is free. */
export function announce(text: string): void {
  turn += 1;
  announced = text + "\u00a0".repeat(turn % 2);
  for (const listener of listeners) listener();
}

/** Where the announcements stand; once in the page, and always there. */
export function Announcer() {
  const text = useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => announced,
  );
  return (
    <div className="unseen" role="status" aria-live="polite">
      {text}
    </div>
  );
}
