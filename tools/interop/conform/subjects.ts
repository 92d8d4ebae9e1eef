/** The subjects of the conformance page: our own parts and published software of several ages. */
import type { Role } from "@farthing/conform";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A subject, with the command line that starts or runs it. */
export interface ConformSubject {
  readonly name: string;
  readonly command: string;
  /** What has to be installed, built or named; ours needs nothing. */
  readonly needs?: "stock" | "python" | "rust" | "x402-rs";
}

/** The packages by version, with the folder that has them. */
const stock = [
  ["2.0", "stock/2.0"],
  ["2.1", "stock/2.1"],
  ["2.10", "stock/2.10"],
  ["2.23", "stock/2.23"],
  ["2.27", "stock/2.27"],
] as const;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const node = `exec "${process.execPath}"`;
const farthing = `"${here("../../../packages/cli/bin/farthing.js")}"`;
const stockProgram = (role: Role, folder: string) =>
  `${node} "${here(`stock-${role}.mjs`)}" ${folder}`;

const serve = [
  "FARTHING_LOG_LEVEL=silent FARTHING_RATE_LIMIT=0 FARTHING_PORT=$PORT",
  "FARTHING_RPC_51=$CONFORM_RPC_URL FARTHING_RELAYER_KEYS=$CONFORM_KEYS",
  `DATABASE_URL=sqlite:$CONFORM_FOLDER/farthing.db ${node} ${farthing} serve --self-built`,
].join(" ");

const pay = [
  "HOME=$CONFORM_FOLDER FARTHING_WALLET_KEY=$CONFORM_KEY FARTHING_RPC_51=$CONFORM_RPC_URL",
  `${node} ${farthing} pay --max-time 8 --request-id conform`,
].join(" ");

/** The SDK for Python, where its lock is installed. */
const python = (role: Role, words = ""): ConformSubject => ({
  name: "x402 2.25 for Python",
  command: `exec "${here("../languages/.installed/python-v2/bin/python")}" "${here(`python/${role}.py`)}"${words}`,
  needs: "python",
});

/**
 * The facilitator of x402-rs, by the command line of the guide, which is so tried. The program of
 * tools/bench/x402-rs reads the same file.
 */
const rustFacilitator: ConformSubject = {
  name: "x402-rs 2.0.1",
  command: commandOfGuide().replace("./target/release/x402-facilitator", '"$X402_RS_PATH"'),
  needs: "x402-rs",
};

function commandOfGuide(): string {
  const guide = readFileSync(here("../../../docs/guides/test-x402-software.md"), "utf8");
  const [, section = ""] = guide.split("## x402-rs\n");
  const [, command] = /--start '([^']+)'/.exec(section) ?? [];
  if (command === undefined) throw new Error("the guide has no command line for x402-rs");
  return command;
}

/** Programs on the crates for Rust, where they were built. */
const rustProgram = (name: "seller" | "buyer", settings: string): string =>
  `SETTINGS='{${settings}}' exec "${here(`../languages/.installed/rust/debug/${name}`)}"`;
/** Puts a variable between the quotes of JSON and those of the shell. */
const quoted = (variable: string): string => `"'"$${variable}"'"`;

const rustSeller: ConformSubject = {
  name: "x402-axum 2.0.2",
  command: rustProgram(
    "seller",
    `"port":${quoted("PORT")},"facilitatorUrl":${quoted("CONFORM_FACILITATOR_URL")},"payTo":${quoted("CONFORM_PAY_TO")}`,
  ),
  needs: "rust",
};
const rustBuyer: ConformSubject = {
  name: "x402-reqwest 2.0.2",
  command: rustProgram("buyer", `"privateKey":${quoted("CONFORM_KEY")},"url":"{url}"`),
  needs: "rust",
};

/** The subjects of each role, our own first. */
export const subjects: Readonly<Record<Role, readonly ConformSubject[]>> = {
  facilitator: [
    { name: "farthing", command: serve },
    ...stock.map(([version, folder]) => ({
      name: `@x402/core ${version}`,
      command: stockProgram("facilitator", folder),
      needs: "stock" as const,
    })),
    python("facilitator"),
    rustFacilitator,
  ],
  seller: [
    {
      name: "@farthing/seller",
      command: `${node} --conditions=@farthing/source "${here("own-seller.ts")}"`,
    },
    // The first version has no middleware for Express.
    {
      name: "@x402/hono 2.0",
      command: `${node} "${here("stock-hono-seller.mjs")}" stock/2.0`,
      needs: "stock",
    },
    ...stock.slice(1).map(([version, folder]) => ({
      name: `@x402/express ${version}`,
      command: stockProgram("seller", folder),
      needs: "stock" as const,
    })),
    python("seller"),
    rustSeller,
  ],
  buyer: [
    { name: "farthing pay", command: `${pay} {url}` },
    ...stock.map(([version, folder]) => ({
      name: `@x402/fetch ${version}`,
      command: `${stockProgram("buyer", folder)} {url}`,
      needs: "stock" as const,
    })),
    python("buyer", " {url}"),
    rustBuyer,
  ],
};
