/** Says at the end of a test run which tests were left out for want of a browser, and the remedy. */
import { readFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { findChromium } from "./chromium.testing.ts";

/** Runs around all tests; gives what to do after them. */
export default function watchForLeftOut(project: TestProject): () => void {
  return () => {
    if (findChromium() !== undefined) return;
    const leftOut = project.vitest.state
      .getFiles()
      .filter(({ filepath }) => readFileSync(filepath, "utf8").includes("describeInBrowser("))
      .map(({ name }) => name);
    if (leftOut.length === 0) return;
    console.log(
      [
        "",
        "LEFT OUT: the tests of pages, because there is no Chromium on this machine:",
        ...leftOut.map((name) => `  ${name}`),
        "To run them: apt-get install chromium-headless-shell, or set CHROMIUM_PATH to a Chromium or Chrome, then",
        `  npx vitest run ${leftOut.join(" ")}`,
        "",
      ].join("\n"),
    );
  };
}
