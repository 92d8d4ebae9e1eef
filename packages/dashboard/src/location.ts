/** The path and search of the address bar: a shared link shows the same view, filters and page. */
import { useSyncExternalStore } from "react";
import { basePath } from "./base-path.ts";

/** Browsers keep `popstate` for their own navigation. */
const moved = "farthing:moved";

let current = readLocation();

/**
 * The path is below the base, without slashes at its ends: `keys`, `settlements/stl_…`; the search
 * has its question mark, or is empty.
 */
function readLocation() {
  const { pathname, search } = globalThis.location;
  const below = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : "";
  return { path: below.replaceAll(/^\/+|\/+$/g, ""), search };
}

function subscribe(changed: () => void): () => void {
  const read = () => {
    current = readLocation();
    changed();
  };
  addEventListener("popstate", read);
  addEventListener(moved, read);
  return () => {
    removeEventListener("popstate", read);
    removeEventListener(moved, read);
  };
}

export function useLocation() {
  return useSyncExternalStore(subscribe, () => current);
}

/** The URL of a location such as `settlements?state=failed`. */
export function hrefOf(to: string): string {
  return basePath + to;
}

/** `replace` adds no entry to the history. */
export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, "", hrefOf(to));
  else history.pushState(null, "", hrefOf(to));
  dispatchEvent(new Event(moved));
}

/** A path with the parameters that are not empty. */
export function withSearch(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "") search.set(name, value);
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}
