/** When a queued payment is sent: at the edges of its time, and by what a simulation says. */
import { networkOfChain, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../base/log.ts";
import { createChain } from "../chain/endpoints/chain.ts";
import type { PaymentReading } from "../chain/payments/payment-reading.ts";
import type { Settlement } from "../model/settlement.ts";
import { queuedSettlement } from "../model/settlement.testing.ts";
import type { RpcReply } from "../chain/endpoints/rpc-endpoint.ts";
import { contractGasLimit, contractTransferGasMax, plainTransferGas } from "./fees.ts";
import { prepare, type PrepareDeps } from "./prepare.ts";

/** Unix seconds of this machine's clock. */
const now = 1_800_000_000n;
const nowMs = Number(now) * 1_000;
const marginSeconds = 6n;
const network = networkOfChain(51);

const payment = queuedSettlement({ validBefore: now + 60n });

interface Situation {
  readonly simulatedAt?: number;
  /** Why the token would revert now; a simulation succeeds without. */
  readonly revert?: string;
  readonly payerHasCode?: boolean;
  /** What the node says of a contract wallet's transaction: first to an estimate, then to a call. */
  readonly says?: readonly Said[];
  readonly view?: ReturnType<PrepareDeps["view"]>;
}

/** An amount of gas, the text of a revert, or an error of the node's own. */
type Said = bigint | { readonly revert: string } | { readonly error: string };

/** Returns what was prepared, and whether the payment was simulated for it. */
async function prepared(changes: Partial<Settlement>, situation: Situation = {}) {
  const { simulatedAt = nowMs, revert, payerHasCode = false, says = [], view } = situation;
  let simulations = 0;
  const asked: { readonly method: string; readonly params: readonly unknown[] }[] = [];
  const reading: PaymentReading = {
    blockNumber: 9,
    blockTime: now,
    payerHasCode,
    balance: 10_000n,
    isUsed: false,
    isTransferable: revert === undefined,
    revertData: revertWith(revert ?? ""),
  };
  const deps: PrepareDeps = {
    chain: {
      ...createChain({ network, endpoints: [], log: silentLog }),
      distanceMs: () => 0,
      read: async (calls) => calls.map((call) => replyOf(says[asked.push(call) - 1])),
    },
    read: async () => {
      simulations++;
      return reading;
    },
    undeployed: {
      deploymentOf: () => undefined,
      simulate: () => Promise.reject(new Error("the payer is no undeployed wallet")),
    },
    clock: { nowMs: () => nowMs, steadyMs: () => nowMs, sleep: async () => undefined },
    marginSeconds,
    contractInFlightMax: 1,
    gasPrices: { now: () => 12_500_000_000n, problem: () => undefined },
    headNumber: () => 9,
    view: () => view,
  };
  const settlement = { ...payment, ...changes };
  const carriage = { from: payment.payTo, hasLimits: false, isShared: true };
  const preparation = await prepare({ settlement, simulatedAt }, carriage, deps);
  return { kind: preparation.kind, preparation, simulations, asked };
}

function replyOf(said: Said | undefined): RpcReply {
  if (typeof said === "bigint") return { ok: true, result: `0x${said.toString(16)}` };
  if (said === undefined) throw new Error("The node was not to be asked.");
  if ("error" in said)
    return { ok: false, error: { code: -32_000, message: said.error, data: undefined } };
  const data = said.revert === "" ? undefined : revertWith(said.revert);
  return { ok: false, error: { code: 3, message: "execution reverted", data } };
}

/** The data of `Error(string)`. */
function revertWith(text: string): Hex {
  const bytes = Buffer.from(text);
  const head = [32, bytes.length].map((number) => number.toString(16).padStart(64, "0")).join("");
  return `0x08c379a0${head}${bytes.toString("hex").padEnd(Math.ceil(bytes.length / 32) * 64, "0")}`;
}

test("a payment that was simulated just now is sent as it was verified", async () => {
  const { preparation, simulations } = await prepared({});
  expect(simulations).toBe(0);
  expect(preparation).toMatchObject({
    kind: "plan",
    plan: { settlementIds: ["stl_1"], to: network.usdc, gasLimit: plainTransferGas },
  });
});

test.each([
  ["too late by the margin", { validBefore: now + marginSeconds }, "expiring"],
  ["a second before that", { validBefore: now + marginSeconds + 1n }, "plan"],
  ["a block may still be before its begin", { validAfter: now - 1n }, "wait"],
  ["a period after its begin", { validAfter: now - 2n }, "plan"],
] as const)("its time: %s", async (_name, changes, kind) => {
  expect((await prepared(changes)).kind).toBe(kind);
});

/** The newest block that was seen, before it is known by how much the clock is wrong. */
const viewAt = (time: bigint) => ({
  head: { number: 9, hash: payment.nonce, parentHash: payment.nonce, time },
});

test("while it is unclear whether the clock or the chain is right, nothing is too late", async () => {
  const late = { validBefore: now + marginSeconds };
  expect((await prepared(late, { view: viewAt(now - 3_600n) })).kind).toBe("wait");
  expect((await prepared(late, { view: viewAt(now - 2n) })).kind).toBe("expiring");
});

test.each([
  ["a block period ago", 0, nowMs - 2_000],
  ["longer ago", 1, nowMs - 2_001],
  ["by a clock that was set back since", 1, nowMs + 1],
  ["never in this process", 1, 0],
] as const)("simulated %s: simulated %d times more", async (_name, simulations, simulatedAt) => {
  expect(await prepared({}, { simulatedAt })).toMatchObject({ kind: "plan", simulations });
});

test.each([
  ["Pausable: paused", "wait"],
  // It fails once a final block is past its time, and not before.
  ["FiatTokenV2: authorization is expired", "expiring"],
  ["ERC20: transfer amount exceeds balance", "refused"],
  ["FiatTokenV2: authorization is used or canceled", "refused"],
] as const)("where the token would say %j", async (revert, kind) => {
  expect((await prepared({}, { simulatedAt: 0, revert })).kind).toBe(kind);
});

test("a payer that has got code since shares no transaction", async () => {
  const { preparation } = await prepared({}, { simulatedAt: 0, payerHasCode: true });
  expect(preparation).toMatchObject({
    kind: "alone",
    queued: { settlement: { id: "stl_1", payerHasCode: true }, goesAlone: true },
  });
});

const contract = { payerHasCode: true };

test("a contract wallet's transaction is simulated as it will be sent, and has a share of its own", async () => {
  const { preparation, asked } = await prepared(contract, { says: [150_000n, 0n] });
  expect(preparation).toMatchObject({
    kind: "plan",
    plan: { gasLimit: contractGasLimit(150_000n), payerLimit: { payer: payment.payer, max: 1 } },
  });
  expect(asked.map(({ method }) => method)).toEqual(["eth_estimateGas", "eth_call"]);
  const sent = { from: payment.payTo, gas: `0x${contractGasLimit(150_000n)?.toString(16)}` };
  expect(asked[1]?.params[0]).toMatchObject(sent);
});

test("a node that estimates nothing leaves the highest limit, and the simulation decides", async () => {
  const { preparation } = await prepared(contract, { says: [{ error: "not now" }, 0n] });
  expect(preparation).toMatchObject({ plan: { gasLimit: contractTransferGasMax } });
});

const balance = "ERC20: transfer amount exceeds balance";

test.each([
  ["is paused at the estimate", [{ revert: "Pausable: paused" }], "wait", undefined],
  ["is paused at the simulation", [150_000n, { revert: "Pausable: paused" }], "wait", undefined],
  ["has no balance at the estimate", [{ revert: balance }], "refused", "insufficient_funds"],
  ["has none at the simulation", [150_000n, { revert: balance }], "refused", "insufficient_funds"],
  ["reverts without a word", [150_000n, { revert: "" }], "refused", "simulation_failed"],
  ["needs more gas than is paid", [contractTransferGasMax + 1n], "refused", "simulation_failed"],
  ["burns all gas", [150_000n, { error: "out of gas" }], "refused", "simulation_failed"],
] as const)("a contract wallet whose transfer %s", async (_name, says, kind, code) => {
  const { preparation, asked } = await prepared(contract, { says });
  expect(preparation.kind).toBe(kind);
  expect(asked).toHaveLength(says.length);
  if (code) expect(preparation).toMatchObject({ refusal: { code }, atBlock: 9 });
});

test.each([
  ["not today", /not today/],
  ["", /more than \d+ gas/],
])(
  "a contract wallet that reverts with %j is told why, or that it takes too much gas",
  async (revert, says) => {
    const { preparation } = await prepared(contract, { says: [{ revert }] });
    expect(preparation).toMatchObject({ refusal: { message: expect.stringMatching(says) } });
  },
);
