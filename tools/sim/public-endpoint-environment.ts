/**
 * What the scenario "a public endpoint is enough" is played on: in virtual time on the simulated
 * chain, or in real time on a devnet whose blocks come every 2 s.
 */
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  createLog,
  readConfig,
  startFacilitator,
  systemClock,
  type Clock,
} from "@farthing/facilitator";
import { startRpcListener } from "@farthing/lab/json-rpc";
import {
  createOrdinaryNode,
  startOrdinaryNode,
  type NodeUpstream,
  type OrdinaryNode,
} from "@farthing/lab/ordinary-node";
import type { Hex } from "@farthing/protocol";
import { createObservedFaults } from "./observed-faults.ts";
import { createWorld, type World } from "./chain-world.ts";
import { createDatabases } from "./databases.ts";
import { createNodeView } from "./node-view.ts";
import { startPacedClock, type PacedClock } from "./paced-clock.ts";
import { serviceSettings } from "./service-settings.ts";
import { createTrace, type Trace } from "./trace.ts";

/** One facilitator at one endpoint. */
export interface EndpointEnvironment {
  readonly clock: Clock;
  readonly devnet: Devnet;
  readonly node: OrdinaryNode;
  /** Of the facilitator. */
  readonly url: string;
  readonly trace: Trace;
  head(): Promise<number>;
}

/** Payers; each pays one payment after the other. */
const buyers = 20;

/** XDC's block period. */
const blockMs = 2_000;

/** In virtual time. A block is made every 2 s until the stack is disposed of. */
export async function setUpVirtual(stack: AsyncDisposableStack): Promise<EndpointEnvironment> {
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers, relayers: 1 });
  stack.defer(() => devnet.stop());
  const clock = startPacedClock();
  stack.defer(() => clock.stop());
  const trace = createTrace(clock);
  const world = await createWorld({ devnet, clock, trace, observedFaults: createObservedFaults() });
  const node = createOrdinaryNode({ upstream: upstreamOf(world, clock, trace), clock });
  const listener = await startRpcListener((body) => node.handle(body));
  stack.defer(() => listener.stop());
  mineUntilEnd(world, clock, stack);
  const url = await serve({ devnet, clock, rpcUrl: listener.url, trace }, stack);
  return { clock, devnet, node, url, trace, head: async () => world.head() };
}

/** In real time. */
export async function setUpReal(stack: AsyncDisposableStack): Promise<EndpointEnvironment> {
  const devnet = await startDevnet({ buyers, relayers: 1 });
  stack.defer(() => devnet.stop());
  const clock = systemClock;
  const trace = createTrace(clock);
  const node = await startOrdinaryNode(devnet.rpcUrl);
  stack.defer(() => node.stop());
  const url = await serve({ devnet, clock, rpcUrl: node.url, trace }, stack);
  const head = async () => Number(await devnet.rpc<Hex>("eth_blockNumber"));
  return { clock, devnet, node, url, trace, head };
}

/** A simulated node without faults. */
function upstreamOf(world: World, clock: PacedClock, trace: Trace): NodeUpstream {
  const view = createNodeView({
    index: 0,
    world,
    trace,
    observedFaults: createObservedFaults(),
    drawFate: () => ({ lateBlocks: 0, isDropped: false, keptBlocks: 0 }),
    others: () => [],
    onSubmission: () => undefined,
    onHeader: () => undefined,
  });
  return {
    answer: (calls, lag) =>
      clock.hold(() => Promise.all(calls.map((call) => view.answer(call, lag)))),
  };
}

function mineUntilEnd(world: World, clock: PacedClock, stack: AsyncDisposableStack): void {
  const ending = new AbortController();
  const mine = async () => {
    while (!ending.signal.aborted) {
      await clock.sleep(blockMs, ending.signal);
      await clock.hold(() => world.mine());
    }
  };
  const mining = mine();
  stack.defer(async () => {
    ending.abort();
    await mining;
  });
}

interface ServeDeps extends Pick<EndpointEnvironment, "devnet" | "clock" | "trace"> {
  readonly rpcUrl: string;
}

/** The facilitator in this process: it is as slow as everybody else when the machine is busy. */
async function serve(deps: ServeDeps, stack: AsyncDisposableStack): Promise<string> {
  const { devnet, clock, rpcUrl, trace } = deps;
  const database = await createDatabases().open("sqlite", { startedAtMs: 0, speed: 1 });
  stack.defer(() => database.close());
  const env = {
    FARTHING_PORT: "0",
    ...serviceSettings(devnet, rpcUrl, database.url),
    FARTHING_KEYLESS_GAS_PER_DAY: "0",
  };
  const facilitator = await startFacilitator({
    config: readConfig({ env }),
    selfBuilt: true,
    clock,
    log: createLog("info", { write: (line) => trace.note(`  ${line.trimEnd()}`) }),
  });
  stack.defer(() => facilitator.stop());
  return facilitator.url;
}
