/**
 * The chain of a run of the whole service: the simulated chain and its node, with the rules of XDC's
 * pool, prices of gas, late transactions and reorganisations.
 */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import { isObject, member, parseJson } from "@farthing/protocol";
import type { NodeCall } from "@farthing/lab/json-rpc";
import { channelContract } from "@farthing/protocol";
import { createWorld } from "../chain-world.ts";
import { gasPriceMin } from "../chain-prices.ts";
import { createNodeView, type NodeView } from "../node-view.ts";
import { createObservedFaults } from "../observed-faults.ts";
import type { SeededRandom } from "../seeded-random.ts";
import { createTrace } from "../trace.ts";
import { readChannel, type SimChain } from "./channel-chain.ts";
import type { SteppingClock } from "./stepping-clock.ts";

/** The node's answer to the body of a request. */
export type AnswerNode = (calls: readonly NodeCall[]) => Promise<unknown[]>;

export interface ServiceChain extends SimChain {
  readonly answer: AnswerNode;
}

/** Above what the facilitator of a run pays, in wei. */
const dearWei = 300_000_000_000n;

/** What payers pay, who always get into the next block. */
const payerWei = 1_000_000_000_000n;

const payerBalance = "0xde0b6b3a7640000";

export async function createServiceChain(deps: {
  readonly devnet: Devnet;
  readonly clock: SteppingClock;
  readonly random: SeededRandom;
}): Promise<ServiceChain> {
  const { devnet, clock, random } = deps;
  const observedFaults = createObservedFaults();
  const trace = createTrace(clock);
  for (const { address } of devnet.buyers) {
    await devnet.rpc("anvil_setBalance", [address, payerBalance]);
  }
  const world = await createWorld({ devnet, clock, trace, observedFaults });
  const conditions = { lateBlocksMax: 0 };
  const view: NodeView = createNodeView({
    index: 0,
    world,
    trace,
    observedFaults,
    drawFate: () => ({
      lateBlocks: random.whole(0, conditions.lateBlocksMax),
      isDropped: false,
      keptBlocks: 0,
    }),
    others: () => [],
    onSubmission: () => undefined,
    onHeader: () => undefined,
  });
  const keys = new Map(devnet.buyers.map((one: DevnetWallet) => [one.address, one.privateKey]));
  let isDear = false;
  return {
    async answer(calls) {
      const replies: unknown[] = [];
      for (const call of calls) replies.push(await view.answer(call, 0));
      return replies;
    },
    stateOf: (channelId) => clock.during(readChannel(devnet, channelId)),
    sendBy(from, data) {
      const privateKey = keys.get(from);
      if (!privateKey) throw new Error(`${from} is no payer of this run`);
      world.order({ to: channelContract, data, gasPrice: payerWei }, privateKey);
    },
    mine: () => clock.during(world.mine()),
    reorganise: async (depth) =>
      void (await clock.during(world.reorganise({ depth, keep: "all", random }))),
    get lag() {
      return view.lag;
    },
    set lag(blocks) {
      view.lag = blocks;
    },
    get lateBlocksMax() {
      return conditions.lateBlocksMax;
    },
    set lateBlocksMax(blocks) {
      conditions.lateBlocksMax = blocks;
    },
    get isDear() {
      return isDear;
    },
    set isDear(now) {
      if (now !== isDear) world.stepBaseFee(now ? dearWei : gasPriceMin);
      isDear = now;
    },
  };
}

/** Answers a request of JSON-RPC as a node does over HTTP. */
export async function answerRequest(body: string, answer: AnswerNode): Promise<string> {
  const request: unknown = parseJson(body)?.value;
  const calls = (Array.isArray(request) ? request : [request]).filter(isObject).map((call) => {
    const params: unknown = member(call, "params");
    return {
      id: member(call, "id"),
      method: String(member(call, "method")),
      params: Array.isArray(params) ? params : [],
    };
  });
  const answers = await answer(calls);
  const replies = answers.map((reply, nth) => {
    return { jsonrpc: "2.0", id: calls[nth]?.id, ...(isObject(reply) ? reply : {}) };
  });
  return JSON.stringify(Array.isArray(request) ? replies : replies[0]);
}
