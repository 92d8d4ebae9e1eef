/** The small facilitator where a block comes between two of its reads, as on a busy machine. */
import { startRpcProxy, type RpcProxy } from "@farthing/devnet/rpc-proxy";
import { expect, test } from "vitest";
import { facilitatorCases } from "../facilitator/facilitator-cases.ts";
import { runFacilitator } from "../facilitator/run-facilitator.ts";
import type { Subject, SubjectEnvironment } from "../run/subject.ts";
import type { FacilitatorFault } from "./faults.testing.ts";
import { createHonestFacilitator } from "./honest-facilitator.testing.ts";

const limits = { answerMs: 10_000, endMs: 15_000, noticeMs: 600 };

/** What reads of the chain have before the first block with a payment. */
const earlier: Readonly<Record<string, unknown>> = {
  eth_call: `0x${"00".repeat(32)}`,
  eth_getLogs: [],
  eth_getTransactionReceipt: null,
};

/** The look after the first send reads as before a block, and counts transactions as after it. */
function interleave(node: RpcProxy, makeBlock: () => Promise<unknown>): void {
  let isBetween = false;
  let isOver = false;
  node.react = ({ method }) =>
    isBetween && method in earlier ? { result: earlier[method] } : undefined;
  node.step = async (side, calls) => {
    const has = (name: string) => calls.some(({ method }) => method === name);
    if (side === "after" && has("eth_sendRawTransaction") && !isOver) isBetween = true;
    if (side !== "before" || !isBetween || !has("eth_getTransactionCount")) return;
    await makeBlock();
    [isBetween, isOver] = [false, true];
  };
}

const mine = (url: string) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] }),
  });

/** A subject behind a node of its own. */
function createInterleaved(env: SubjectEnvironment, fault?: FacilitatorFault): Subject {
  const upstream = env["CONFORM_RPC_URL"] ?? "";
  let parts: { readonly node: RpcProxy; readonly inner: Subject } | undefined;
  return {
    url: `http://127.0.0.1:${env["CONFORM_PORT"]}`,
    isRunning: () => parts !== undefined,
    output: () => "",
    async start() {
      const node = await startRpcProxy(upstream);
      interleave(node, () => mine(upstream));
      const own = { ...env, CONFORM_RPC_URL: node.url, CALL_MS: "8000" };
      const inner = createHonestFacilitator(own, fault);
      await inner.start();
      parts = { node, inner };
    },
    async kill() {
      await parts?.inner.kill();
      await parts?.node.stop();
      parts = undefined;
    },
  };
}

test.each([
  ["reorganisation", undefined, "pass"],
  ["reorganisation", "reorganisation", "fail"],
  ["receipt-without-transfer", "receipt-without-transfer", "fail"],
  ["foreign-submitter", "foreign-submitter", "fail"],
] as const)("%s with the fault %s: %s", async (name, fault, verdict) => {
  const [result] = await runFacilitator({
    start: (env) => createInterleaved(env, fault),
    cases: facilitatorCases.filter((one) => one.name === name),
    limits,
  });
  expect(result).toMatchObject({ name, verdict });
});
