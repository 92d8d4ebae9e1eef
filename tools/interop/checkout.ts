/**
 * The checkout under test: this one, or an older one named by `--on`, so that a scenario prints the
 * figures from before a change. Every import of a `@farthing` package then resolves over there, but for helpers of tests.
 */
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

let root = new URL("../../", import.meta.url);

/** The root folder of the checkout under test. */
export function checkout(): URL {
  return root;
}

/** Helpers of tests are no part of what is tried, and those of another age lack some. */
const isOfTests = (specifier: string) => /\/testing(\/|$)/.test(specifier);

/** Selects another checkout. Call it before any module that imports a `@farthing` package loads. */
export function selectCheckout(folder: string): void {
  root = pathToFileURL(`${resolve(folder)}/`);
  const parentURL = new URL("package.json", root).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith("@farthing/") && !isOfTests(specifier)
        ? next(specifier, { ...context, parentURL })
        : next(specifier, context),
  });
}
