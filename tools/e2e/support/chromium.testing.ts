/**
 * Finds a Chromium for the tests of pages. Without one they are left out; what was left out is
 * said at the end of the run by browser-notice.testing.ts.
 */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";
import { describe } from "vitest";

/**
 * Where Debian, other systems and people's own machines have it, likeliest first. The one without
 * windows shows the same pages, and spends no processor time on a window that nobody sees.
 */
const usualPlaces = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The browser to use; `CHROMIUM_PATH` names another one. Undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && named !== "") return named;
  return usualPlaces.find((path) => existsSync(path));
}

/** Starts the browser. */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("There is no Chromium on this machine.");
  // Chromium refuses its sandbox to root, which is who tests run as in a container.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath, args });
}

/** `describe`, where there is a browser. */
export const describeInBrowser = describe.skipIf(findChromium() === undefined);
