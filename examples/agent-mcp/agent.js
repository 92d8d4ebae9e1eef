/**
 * An agent with a wallet: it starts `farthing mcp`, which pays within its owner's limits, and asks
 * it for a paid URL. A language model would choose the tools; this one always fetches.
 */
import { createRequire } from "node:module";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const url = process.argv[2] ?? process.env.PAID_URL;
if (url === undefined) {
  console.error("Name what to buy: npm start -- http://127.0.0.1:4021/report");
  process.exit(1);
}
const bin = createRequire(import.meta.url)
  .resolve("farthing/launch")
  .replace("launch.js", "farthing.js");

const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    // Leave --allow-local out once the sellers are not on this machine.
    args: [bin, "mcp", "--allow-local", "--ask-above", "0.05"],
    env: process.env,
  }),
);

const { structuredContent: price } = await client.callTool({
  name: "inspect_url",
  arguments: { url },
});
const { wouldPay } = price;
if (wouldPay) {
  console.log(`Price: ${wouldPay.amountUsdc} USDC on ${wouldPay.network}, to ${wouldPay.payTo}`);
} else {
  // Free, not payable (the first failed check says why), or not reached.
  console.log("No price:", price.refusal?.message ?? price.message ?? `status ${price.status}`);
}
const { isError, structuredContent: bought } = await client.callTool({
  name: "fetch_paid",
  arguments: { url },
});
if (isError) {
  console.log(`Not bought: ${bought.message} (payment ${bought.payment_state})`);
  process.exitCode = 1;
} else {
  // The seller's text is quoted: raw, it could steer the terminal.
  const text = JSON.stringify(bought.untrustedBody.text);
  console.log(`Bought (payment ${bought.payment.state}): ${text}`);
}
await client.close();
