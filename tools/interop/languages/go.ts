/**
 * The programs of the guide for Go: net/http and Gin in front of a route, and a buyer. Beside them,
 * programs that send and read the messages of the x402 project's SDK for Go, as its source has them:
 * the SDK itself cannot be installed where these tests run.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildGo, hasGo } from "./toolchains.ts";
import type { Language } from "./language.ts";

const guide = { path: "docs/guides/go.md", toolchain: "go" } as const;

/** The files of the guide, and the program of `go` that each becomes part of. */
const files = {
  "shop/charge.go": "seller/charge.go",
  "ginshop/paid.go": "seller/paid.go",
  "buyer/pay.go": "buyer/pay.go",
} as const;

/** Returns the files of the guide by their place below the folder `go`. */
function readGuide(): ReadonlyMap<string, string> {
  const page = readFileSync(new URL(`../../../${guide.path}`, import.meta.url), "utf8");
  const entries = Object.entries(files).map(([name, place]): [string, string] => {
    const [, after] = page.split(`<!-- run: as ${name} -->\n\n\`\`\`go\n`);
    const text = after?.split("\n```\n")[0];
    if (text === undefined) throw new Error(`The guide for Go has no file ${name}.`);
    return [place, `${text}\n`];
  });
  return new Map(entries);
}

export const go: Language = {
  name: "Go",
  packages: ["github.com/gin-gonic/gin@v1.12.0", "github.com/ethereum/go-ethereum@v1.17.10"],
  guide,
  missing: () => (hasGo() ? undefined : "this machine has no Go 1.25 or later"),
  async install() {
    const folder = await buildGo(readGuide());
    const sdk = "the messages of the Go SDK";
    return {
      buyers: [
        { name: "the guide's buyer in Go", command: [join(folder, "buyer")], settings: {} },
        ...[false, true].map((isOld) => ({
          name: `${sdk} ${isOld ? "2.14" : "2.28"}`,
          command: [join(folder, "sdkbuyer")],
          settings: { isOld },
        })),
      ],
      sellers: [
        ...["net/http", "gin"].map((framework) => ({
          name: `the guide's seller in Go (${framework})`,
          command: [join(folder, "seller")],
          settings: { framework },
          x402Version: 2 as const,
        })),
        {
          name: `${sdk} 2.28`,
          command: [join(folder, "sdkseller")],
          settings: {},
          x402Version: 2,
        },
      ],
    };
  },
};
