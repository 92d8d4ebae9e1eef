/** What is decided about the code's shape. The checks that hold the code to it are in checks.ts. */
import { dotted, firstValue, listOf, takesFromProcess, type Node } from "./source.ts";

/**
 * Folders of a package, or of one of its folders, lowest first: each imports itself and those before
 * it, and the files beside them all, except files that are named here.
 */
export const layers: Readonly<Record<string, string>> = {
  "packages/protocol/src/":
    "encoding errors process http networks pages signatures extensions messages channels settlements",
  "packages/engine/src/": "base model chain storage verification relayer settlement",
  "packages/engine/src/chain/": "endpoints contracts reads logs payments follower checks",
  "packages/facilitator/src/": "http payments workers features config operations",
  "packages/facilitator/src/http/": "messages access site openapi outbound server",
  "packages/seller/src/payment-records/":
    "retention.ts passes balances channels rules memory sqlite durable-object postgres redis several-processes",
  "packages/cli/src/":
    "output command input wallet pay ledger channels receipts account gateway dev conform",
};

/** Packages that a package may import; a package that is not listed fails until it is. */
export const arrows: Readonly<Record<string, string>> = {
  "packages/protocol": "",
  "packages/seller": "@farthing/protocol",
  "packages/buyer": "@farthing/protocol",
  "packages/engine": "@farthing/protocol",
  "packages/facilitator": "@farthing/protocol @farthing/engine",
  "packages/dashboard": "@farthing/protocol @farthing/buyer",
  "packages/paywall": "@farthing/protocol @farthing/buyer",
  "packages/devnet": "@farthing/protocol",
  "packages/conform": "@farthing/protocol @farthing/devnet",
  "tools/lab": "@farthing/protocol @farthing/devnet",
  "tools/types-reference": "",
  "packages/gateway": "@farthing/protocol @farthing/seller",
  "packages/cli":
    "@farthing/protocol @farthing/buyer @farthing/gateway @farthing/devnet @farthing/conform farthing-operator",
  "packages/operator": "farthing @farthing/protocol @farthing/facilitator @farthing/dashboard",
  "tools/interop": "*",
};

/** What a package may import with `import type` alone, so that no code of it comes along. */
export const typeArrows: Readonly<Record<string, string>> = {
  "packages/dashboard": "@farthing/facilitator/api",
};

/**
 * In lines, comments included: what one can hold in mind. A function's own lines are those without
 * the functions declared in it; with them it may have `functionLinesMax`.
 */
export const fileLinesMax = 400;
export const classLinesMax = 250;
export const ownLinesMax = 70;
export const functionLinesMax = 100;

/** One thing and its place. */
export interface OnlyRule {
  /** The folders that the rule is about. */
  readonly scope: RegExp;
  /** Where the thing belongs, within the scope. */
  readonly home: RegExp;
  readonly instead: string;
  readonly imports?: RegExp;
  /** Identifiers and property names. */
  readonly names?: RegExp;
  /** Members of names, such as `process.env`. */
  readonly members?: RegExp;
  readonly texts?: RegExp;
  readonly also?: (node: Node) => boolean;
}

/** The sources of the engine and of the service around it. */
const service = /^packages\/(engine|facilitator)\/src\//;
/** What may appear in one place only. */
export const onlyRules: Readonly<Record<string, OnlyRule>> = {
  "HTTP statuses and bodies": {
    scope: service,
    home: /^(http\/|payments\/|workers\/|features\/([a-z-]+\/)?([a-z-]+-)?(routes|guard|cookies)\.ts$)/,
    imports: /^@?fastify(\/|$)/,
    names: /^(statusCode|httpStatus)$/,
    also: (node) =>
      /\.(code|status)$/.test(dotted(node["callee"])) && typeof firstValue(node) === "number",
    instead: "return a refusal or throw a Fault; http/ or a route gives it a status",
  },
  "SQL and database drivers": {
    scope: service,
    home: /^(storage\/|(features|payments)\/([a-z-]+\/)?([a-z-]+-)?(store|tables|participant|migrations)\.ts$)/,
    imports: /^(kysely|node:sqlite|better-sqlite3|pg|postgres)(\/|-|$)/,
    texts: /^\s*(select\s[^]+\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from|pragma)\s/i,
    instead: "add a method to the engine's store or to a feature's store.ts",
  },
  "the EVM library": {
    scope: service,
    home: /^(chain|verification|relayer)\//,
    imports: /^(ox|viem|ethers|@noble\/[a-z]+)(\/|$)/,
    instead: "use @farthing/protocol, or a function of chain/, verification/ or relayer/",
  },
  "JSON-RPC": {
    scope: service,
    // MCP, which sellers' tools speak, is JSON-RPC as well.
    home: /^(chain\/|features\/listings\/call-tool\.ts$)/,
    names: /^jsonrpc$/,
    texts: /^((eth|net|web3|debug|trace|txpool)_[a-zA-Z]+|jsonrpc)$/,
    instead: "add a read to chain/ that says what is asked, and call that",
  },
  "private keys": {
    scope: service,
    home: /^(relayer\/sign|config\/config)\.ts$/,
    imports: /^ox\/(HdKey|Mnemonic)$/,
    names: /private_?key/i,
    members: /Secp256k1\.(sign|getPublicKey|randomPrivateKey)$/,
    instead: "ask a signer of relayer/sign.ts for the signature or the address",
  },
  "the environment": {
    scope: service,
    home: /^config\/(config|listening)\.ts$/,
    members: /(^|\.)process\.env$/,
    also: (node) => takesFromProcess(node, "env"),
    instead: "read it in config/config.ts and pass the value",
  },
  "the time": {
    scope: service,
    home: /^base\/clock\.ts$/,
    members: /(^|\.)(Date\.now|performance\.(now|timeOrigin)|process\.hrtime|Temporal\.Now)$/,
    also: (node) => dotted(node["callee"]) === "Date" && listOf(node["arguments"]).length === 0,
    instead: "take a Clock",
  },
  "the end of the process": {
    scope: service,
    home: /^(main|workers\/worker-process)\.ts$/,
    members: /(^|\.)process\.(exit|exitCode|abort|reallyExit)$/,
    also: (node) => takesFromProcess(node, "exit"),
    instead: "throw, or return; main.ts decides",
  },
  "what Node.js 20 lacks": {
    // What sellers and buyers install runs there; the engine and the service need Node.js 24.
    scope: /^packages\/(protocol|seller|buyer|cli)\/src\//,
    home: /^$/,
    members:
      /(^|\.)(Promise\.(withResolvers|try)|URL\.parse|Array\.fromAsync|Object\.groupBy|Map\.groupBy)$/,
    instead: "write it with what Node.js 20 has: new Promise, URL.canParse, a loop",
  },
  "the outside world": {
    scope: /^packages\/protocol\/src\//,
    home: /^$/,
    imports: /^(?!\.|ox\/)/,
    names: /^(fetch|process|console|setTimeout|setInterval|performance)$/,
    members: /^(Date\.now|Math\.random|crypto\.\w+)$/,
    instead: "protocol is pure: take the value as an argument",
  },
};

/** Names of files and folders that say nothing. */
export const bannedNames =
  /^(utils?|helpers?|common|manager|handler|service|interfaces?|types?|misc|data|info)$|-(utils?|helpers?|manager|handler|service|misc)$/;
