/** Announcements for people who do not see the screen. */
import { useSyncExternalStore } from "react";

let announced = "";
/** Alternates, so that the same text twice in a row is announced twice. */
let turn = 0;
const listeners = new Set<() => void>();

export function announce(text: string): void {
  turn += 1;
  announced = text + "\u00a0".repeat(turn % 2);
  for (const listener of listeners) listener();
}

/** Rendered once, always. */
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
