/** Checks whether an endpoint answers calls correctly and for the newest state. */
import { isObject } from "@farthing/protocol";
import { ok, warn, type CheckLine } from "../../base/check-line.ts";
import { headerCall } from "../reads/block-headers.ts";
import { quantity, type Chain } from "../endpoints/chain.ts";
import { explainedResult } from "./endpoint-facts.ts";
import { classifyNodeError } from "../endpoints/node-errors.ts";
import { noNonce, takesPaymentReads } from "../payments/payment-reader.ts";
import { ethCall } from "../endpoints/rpc-endpoint.ts";
import { encodeTransfer, encodeAuthorizationState } from "../contracts/usdc.ts";

/** Enough looks at head and state to reach each of a few backends. */
const stateLooks = 5;

/** With the state this makes three requests, so that round-robin backends alternate. */
const headsPerLook = 2;

/** Checks that the newest block comes with its state: an address may hide nodes that lag. */
export async function checkState(chain: Chain): Promise<CheckLine> {
  const data = encodeAuthorizationState(chain.network.usdc, noNonce);
  let missed = 0;
  for (let look = 0; look < stateLooks; look++) {
    const head = await readNewest(chain);
    const [block, state] = await chain.read([
      headerCall(head),
      ethCall({ to: chain.network.usdc, data }, head),
    ]);
    const isThere = block?.ok === true && isObject(block.result) && state?.ok === true;
    if (!isThere) missed++;
  }
  if (missed === 0) return ok("state", `of the newest block in each of ${stateLooks} looks`);
  return warn(
    "state",
    `the newest block, or its state, was missing in ${missed} of ${stateLooks} looks`,
    "nodes behind this address lag, and payments are reported late: use an endpoint of one node",
  );
}

/** Returns the newest block that any backend knows. */
async function readNewest(chain: Chain): Promise<number> {
  const method = "eth_blockNumber";
  let newest = 0;
  for (let question = 0; question < headsPerLook; question++) {
    const [reply] = await chain.read([{ method, params: [] }]);
    const head = quantity(explainedResult(reply, method), "a block number");
    newest = Math.max(newest, Number(head));
  }
  return newest;
}

export async function checkReads(chain: Chain): Promise<CheckLine> {
  return (await takesPaymentReads(chain))
    ? ok("payment reads", "many payments in one eth_call")
    : warn(
        "payment reads",
        "an eth_call without an address is refused; four calls per payment instead",
        "use an endpoint that takes deployless calls if you expect load",
      );
}

/** Simulates an impossible transfer: its failure has to be reported, with the token's reason. */
export async function checkReverts(chain: Chain): Promise<CheckLine> {
  const { usdc } = chain.network;
  const times = { value: 0n, validAfter: 0n, validBefore: 0n };
  const data = encodeTransfer({ from: usdc, to: usdc, nonce: noNonce, ...times }, "0x");
  const [reply] = await chain.read([ethCall({ to: usdc, data })]);
  if (reply?.ok === true) {
    return warn(
      "reverts",
      "a call that fails is answered like one that succeeds",
      "each payment is judged by what the call returned; other software may be deceived",
    );
  }
  if (reply && classifyNodeError(reply.error) === "reverted") {
    return ok("reverts", "are reported, with the contract's reason");
  }
  const text = reply ? `${reply.error.message} (code ${reply.error.code})` : "no answer";
  return warn(
    "reverts",
    `a call that fails is answered without the contract's reason: ${text}`,
    "refusals of payments name no reason; use another endpoint",
  );
}
