/** The reference page about third-party software, generated from the data that the run compares with. */
import { readFileSync } from "node:fs";
import { channelTable, readChannelFigures } from "./channel-figures.ts";
import { casesV1 } from "./differential/cases-v1.ts";
import { casesV2 } from "./differential/cases-v2.ts";
import { table, type Difference } from "./differential/differences.ts";
import { buyers } from "./foreign-buyers.ts";
import { beforeCommit, scenarioFigures } from "./scenario-figures.ts";
import { languages } from "./languages/languages.ts";
import { runtimeNames } from "./runtimes.ts";
import { stockVersions } from "./stock-packages.ts";

const code = (text: string) => `\`${text.replaceAll("|", "\\|")}\``;

function packagesOf(folder: string): string {
  const file = new URL(`${folder}/package.json`, import.meta.url);
  const manifest: Partial<
    Record<"dependencies" | "optionalDependencies", Readonly<Record<string, string>>>
  > = JSON.parse(readFileSync(file, "utf8"));
  // An alias names the package with its version.
  return Object.entries({ ...manifest.dependencies, ...manifest.optionalDependencies })
    .map(([name, version]) => (/^npm:(.+)@(.+)$/.exec(version) ?? ["", name, version]).slice(1))
    .map(([name, version]) => code(`${name}@${version}`))
    .join(", ");
}

function sectionOf([reason, text]: readonly [string, string]): string[] {
  const rows = table.differences
    .filter((difference) => difference.reason === reason)
    .map(({ name, ours, stock }: Difference) => `| ${name} | ${code(ours)} | ${code(stock)} |`);
  return [text, "", "| case | ours | stock |", "| --- | --- | --- |", ...rows, ""];
}

const channelFigures = readChannelFigures();

const channelSection = [
  "## Channels",
  "",
  `\`npm run interop -- --only channels\` plays the scheme \`batch-settlement\` of \`@x402/evm\` 2.27 in ${channelFigures.length} pairings: buyer, seller and facilitator, ours and the published ones, in all combinations that have one of ours, and our seller with an API key once more, for which our facilitator keeps the vouchers. Each pairing makes ${channelFigures[0]?.calls.toLocaleString("en")} calls, each at another price, with a deposit and a top-up. After a third of the calls the buyer loses its ledger, and after two thirds the seller loses its records, which it has claimed before; with the vault, nothing is claimed before. At the end the seller claims, and the buyer has the rest refunded. Each answer has to state the price of its call and the total, buyer and seller have to state the same total, and every base unit has to be where it belongs. The amounts of the last run are USDC base units:`,
  "",
  ...channelTable(channelFigures),
  "",
  "Transactions are those of the facilitator: two deposits, the claims, the sweeps and the refund. Our seller claims and sweeps by one call, also before it loses its records, so it has a sweep more. CI runs the same pairings with 30 calls.",
  "",
];

/** Writes the page. */
export function interopPage(made: string): string {
  return [
    made,
    "# Third-party software",
    "",
    "`npm run interop` runs published third-party packages against our facilitator, seller and gateway, on a local chain. A separate lock file, `tools/interop/package-lock.json`, pins each package to one exact version.",
    "",
    "## Stock sellers",
    "",
    'In every row one payment is sent twelve times at once, another one four times in a row, and a stock buyer of the same version makes an honest purchase. Exactly one response is served for each payment, the buyer is charged once, and the honest purchase is served at the first attempt. The rows cover the default flow and, from 2.24, `paymentFlow: "upfront"`; the hosted, the public and the self-built surface. No row sends a header beside its key. Every row runs on one process and again on two that share a PostgreSQL.',
    "",
    ...stockVersions.map((version) => `- ${packagesOf(`stock/${version}`)}`),
    "",
    "`@x402/mcp` is not on the npm registry in any version. The rows for tools follow its source on the core of each version: verify, run the tool, settle. Its wrapper ignores `success` and returns the tool's result unless the settle throws. A payment of another exchange therefore gets HTTP 409, for which the stock client throws. A settle that fails for another reason gets 200: sellers of tools who use the wrapper must throw from its hook `onAfterSettlement` when `settlement.success` is not true, or use `@farthing/seller/mcp`.",
    "",
    "## Buyers",
    "",
    "Each buys once from our seller on Express and once from our gateway:",
    "",
    ...buyers.map((buyer) => `- ${buyer}`),
    "",
    `They come from ${["fetch", "axios", "faremeter", "dexter"].map((name) => packagesOf(`buyers/${name}`)).join(", ")}. thirdweb needs 1.1 GB with its dependencies, so its row imitates the members that its published source reads: every entry of the \`PAYMENT-REQUIRED\` header must parse by the schema of version 1, \`extra.primaryType\` decides what it signs, and it sends the flat shape of version 2. The published package paid our seller and our gateway when the row was written.`,
    "",
    "## Runtimes",
    "",
    "On each of these runtimes the built seller sells once to `@x402/fetch@2.27.0`, and the built buyer buys once from our seller on Express. `tools/interop/runtimes/package-lock.json` pins them, except Node.js 24 and workerd, which are those of the repository:",
    "",
    ...runtimeNames.map((name) => `- ${name}`),
    "",
    `The versions are ${["bun", "deno", "node-20", "node-22"].map((name) => packagesOf(`runtimes/${name}`)).join(", ")}. The seller uses \`@farthing/seller/node\` on Node.js, \`@farthing/seller/hono\` with a Durable Object on Workers, and \`createSeller\` on the runtime's own server on Bun and Deno.`,
    "",
    "## Extensions",
    "",
    "`npm run interop -- --only extensions` runs `@x402/extensions` 2.27 both ways, with real payments. At a stock seller that declares `bazaar`, `payment-identifier`, `sign-in-with-x` and `offer-receipt` on one route, our buyer pays once, sends an id, returns the declarations, keeps offer and receipt and verifies them, and signs in for its second visit. At our seller, the stock functions validate the declaration and verify offers and receipt, the same payment with an id gets the same response, another payment with that id gets 409, and the stock client signs in with the wallet that holds the pass. The run of CI (`--quick`) leaves this part out, because the tests of seller and buyer use the same packages.",
    "",
    ...channelSection,
    "## Other languages",
    "",
    "`npm run interop -- --only languages` runs programs in other languages with real payments, and follows the guides for [Python](../guides/python.md) and [Go](../guides/go.md) block by block. Each program buys from our seller and our gateway, and sells through the hosted and the public surface to our buyer. Each purchase is served at the first attempt, for one transfer and with a receipt; one payment that is sent four times at once is served once. A language whose toolchain is not installed is left out, and the run says so; CI (`--quick`) leaves all of them out.",
    "",
    "| language | packages |",
    "| --- | --- |",
    ...languages.map(({ name, packages }) => `| ${name} | ${packages.map(code).join(", ")} |`),
    "",
    "- `x402` 2.25 for Python knows USDC of XDC mainnet and Apothem. Its clients buy through `httpx` and `requests`, its sellers run in FastAPI and Flask.",
    "- `x402` 1.0 for Python is the last release that speaks version 1 alone. It has a closed list of networks without XDC; `tools/interop/languages/python/v1/xdc.py` adds `xdc` and `xdc-apothem` in a few lines, and with them its clients buy and its FastAPI middleware sells. The public surface speaks version 2 only, so a seller with this release uses the hosted one. This release waits five seconds for a settlement.",
    "- The programs in Go are those of [the guide](../guides/go.md), which speak x402 themselves. The Go module of the x402 project could not be run. Programs of ours send the messages that its source sends and read responses as strictly, as a buyer of 2.14 and 2.28 and as a seller of 2.28, also on the public surface: [decision 89](../decisions/0089-sdks-of-other-languages.md).",
    "- `r402` 0.21 for Rust was tried and does not work with Farthing. It refuses every message with a member that it does not know, and ours have some: the members of version 1 in a challenge, which other buyers read, `asset` in `/supported`, and the settlement in receipts. Its buyer ends with `Invalid 402 response` before it signs, its seller responds with HTTP 500 and `kind_missing`.",
    "- The crates of x402-rs know USDC of XDC mainnet (`USDC::xdc()`) and the version 1 label `xdc`. A seller on Apothem describes the token in eight lines. `x402-chain-eip155` 2.0.2 does not compile with its feature `client` alone (`error[E0433]: cannot find module or crate tracing in this scope`); enable `telemetry` as well.",
    "",
    "## Attacks over HTTP",
    "",
    `\`npm run interop -- --scenario all\` runs the attacks by external clients that the trials found; \`--on <folder>\` runs them on another checkout. The table shows the results at ${beforeCommit}, the commit of the trials, and now, with one block a second on a busy machine with two cores:`,
    "",
    "| scenario | counted | before | now |",
    "| --- | --- | --- | --- |",
    ...scenarioFigures.map(
      ({ scenario, counted, before, now }) => `| ${scenario} | ${counted} | ${before} | ${now} |`,
    ),
    "",
    "The remaining gas in the last rows is the cost of five honest purchases. An unbound payment opens one response at each of two facilitators: see [security](../security.md#known-gaps).",
    "",
    "## Differences from the stock facilitator",
    "",
    `The same ${casesV2.length} requests of version 2 and ${casesV1.length} of version 1 go to our facilitator and to the facilitator classes of \`@x402/core\` and \`@x402/evm\` 2.27, on one chain with one token; those that could be paid also go to \`/settle\`. If one of our refusals has a name in the ecosystem (\`extra.x402Reason\`), that name is compared and shown after \`=\`. The run adds the label \`xdc-apothem\` to stock version 1, whose closed list lacks it. These ${table.differences.length} responses differ; all others are the same. A difference that is not in this table fails the run.`,
    "",
    ...Object.entries(table.reasons).flatMap(sectionOf),
  ].join("\n");
}
