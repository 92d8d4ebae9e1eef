/** Asks a node whether the payer can pay. Advice only: a node that fails stops no payment. */
import { formatUsdc, isObject, member, type Requirements } from "@farthing/protocol";
import type { Check } from "./check-offer.ts";
import type { FetchFunction } from "./replayable-request.ts";
import type { Signer } from "./signer.ts";

/** Longer than any healthy node takes; a payment does not wait for a sick one. */
const answerMs = 5000;

/** The selector of `balanceOf(address)`. */
const balanceOfSelector = "0x70a08231";

/** The check `balance`: USDC of the payer, and the code of a contract wallet. */
export async function checkBalance(
  fetch: FetchFunction,
  rpcUrl: string,
  signer: Signer,
  requirements: Requirements,
): Promise<Check> {
  const { network, amount } = requirements;
  const call = (method: string, parameters: unknown[]) => ask(fetch, rpcUrl, method, parameters);
  try {
    const chainId = await call("eth_chainId", []);
    if (BigInt(chainId) !== BigInt(network.chainId)) {
      return skip(`the node serves chain ${BigInt(chainId)}, not ${network.chainId}`);
    }
    if (
      signer.isContract === true &&
      (await call("eth_getCode", [signer.address, "latest"])) === "0x"
    ) {
      return fail(`The contract wallet ${signer.address} is not deployed on ${network.id}.`);
    }
    const owner = signer.address.slice(2).toLowerCase().padStart(64, "0");
    const data = `${balanceOfSelector}${owner}`;
    const balance = BigInt(await call("eth_call", [{ to: network.usdc, data }, "latest"]));
    if (balance >= amount) {
      return { name: "balance", verdict: "pass", message: `${formatUsdc(balance)} USDC` };
    }
    return fail(
      `The balance is ${formatUsdc(balance)} USDC, the price ${formatUsdc(amount)} USDC; send USDC on ${network.id} to ${signer.address}.`,
    );
  } catch {
    // Not the error's text: it can hold the node's address, and that address a key.
    return skip("the node did not answer");
  }
}

function skip(message: string): Check {
  return { name: "balance", verdict: "skip", message };
}

function fail(message: string): Check {
  return { name: "balance", verdict: "fail", code: "insufficient_balance", message };
}

async function ask(
  fetch: FetchFunction,
  rpcUrl: string,
  method: string,
  params: unknown[],
): Promise<string> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(answerMs),
  });
  const answer: unknown = await response.json();
  const result = isObject(answer) ? member(answer, "result") : undefined;
  if (typeof result !== "string") throw new Error(`No result for ${method}.`);
  return result;
}
