/**
 * Whether `/` alone opens the filters. People who speak to their computer, or whose hands press keys
 * by accident, can turn it off in this browser (WCAG 2.1.4); Ctrl+K goes on working.
 */
import { useSyncExternalStore } from "react";

const storedAs = "farthing:slash-key";
const changed = "farthing:slash-key-changed";

let isOn = readStored();

/** Browsers may refuse storage; the choice then lasts as long as the page. */
function readStored(): boolean {
  try {
    return localStorage.getItem(storedAs) !== "off";
  } catch {
    return true;
  }
}

export const isSlashKeyOn = (): boolean => isOn;

export function turnSlashKey(on: boolean): void {
  isOn = on;
  try {
    if (on) localStorage.removeItem(storedAs);
    else localStorage.setItem(storedAs, "off");
  } catch {
    // See readStored.
  }
  dispatchEvent(new Event(changed));
}

export const useSlashKey = (): boolean => useSyncExternalStore(subscribe, isSlashKeyOn);

function subscribe(notify: () => void): () => void {
  addEventListener(changed, notify);
  return () => removeEventListener(changed, notify);
}
