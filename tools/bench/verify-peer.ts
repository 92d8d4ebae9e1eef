/** `/verify` beside the Rust facilitator, whose program is given by its path. */
import { fileURLToPath } from "node:url";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { calls } from "@farthing/lab/token-calls";
import { networkOfChain, parseJson, parsePaymentRequest, type Hex } from "@farthing/protocol";
import { startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { openMint } from "./payments.ts";
import { cores, pin, startServer, usageBetween, type Server } from "./processes.ts";
import { describeWindows, raceParts, runRaces } from "./requests/race.ts";
import type { Race, RacePlan, RaceWindow, Racer } from "./requests/race.ts";

/** Its heading. */
export const verifyPeerHeading = "## Verify beside x402-rs";

export interface VerifyPlan extends RacePlan {
  readonly callers: readonly number[];
}

/** Sixty windows of two seconds and a half. */
export const verifyPlan: VerifyPlan = {
  callers: [1, 32, 128, 512],
  rounds: 5,
  warmUpMs: 500,
  countMs: 2_000,
};

/** What was measured, as the report shows it. */
export interface VerifyFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
}

/** The Rust facilitator starts only where these have code: an ERC-6492 validator and Permit2's two. */
const contractsOfPeer = [
  "0xdAcD51A54883eb67D95FAEb2BBfdC4a9a6BD2a3B",
  "0x000000000022D473030F116dDEE9F6B43aC78BA3",
  "0x402085c248EeA27D92E8b30b2C58ed07f9E20001",
] as const;

/** Distinct payments; neither remembers what it has verified. */
const payments = 4_000;

const payers = 500;

/** Each has a core in turn; chain and load share the other. */
export async function measureVerify(
  program: string,
  plan: VerifyPlan,
  tell: (line: string) => void,
): Promise<VerifyFigures> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const devnet = await startDevnet({ blockTimeSeconds: 1, buyers: payers, relayers: 2 });
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  for (const address of contractsOfPeer) await devnet.rpc("anvil_setCode", [address, "0x00"]);
  const kept = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    stack.defer(async () => void (await server.stop()));
    return server;
  };
  const farthing = await kept(startFarthing(devnet, devnet.rpcUrl, 1));
  const peer = await kept(startPeer(program, devnet));
  const bodies = (await openMint(devnet)).make(payments);
  const least = await kept(startFloor(devnet, bodies[0]));
  const races = plan.callers.map((callers): Race => ({
    title: "Valid payments",
    connections: callers,
    racers: [
      verifying("farthing", farthing, bodies),
      verifying("x402-rs", peer, bodies),
      verifying(floorName, least, bodies),
    ],
    beside: "x402-rs",
    atLeast: { farthing: 1 },
  }));
  return { races, windows: await runRaces(races, plan, tell) };
}

async function startPeer(program: string, devnet: Devnet): Promise<Server> {
  const key: Hex | undefined = devnet.relayers[1]?.privateKey;
  const env = {
    BENCH_RPC_URL: devnet.rpcUrl,
    BENCH_RELAYER_KEY: key ?? "",
    BENCH_CHAIN_ID: `${devnet.chainId}`,
  };
  return startServer([], env, program);
}

const floorName = "least on Node.js";

const floor = fileURLToPath(new URL("./verify-floor.ts", import.meta.url));

/** The call simulates the transfer of this payment. */
async function startFloor({ chainId, rpcUrl }: Devnet, body: string | undefined): Promise<Server> {
  const parsed = parsePaymentRequest(parseJson(body)?.value);
  if (!parsed.ok) throw new Error("The payment is not readable");
  const { authorization, signature } = parsed.value.payment;
  const transfer = {
    to: networkOfChain(chainId).usdc,
    data: calls.settle(authorization, signature),
  };
  const call = { jsonrpc: "2.0", id: 1, method: "eth_call", params: [transfer, "latest"] };
  return startServer(["--conditions=@farthing/source", floor], {
    BENCH_RPC_URL: rpcUrl,
    BENCH_CALL: JSON.stringify(call),
  });
}

function verifying(name: string, server: Server, bodies: readonly string[]): Racer {
  let turn = 0;
  return {
    name,
    async request(callers, window) {
      const marks: ReturnType<Server["usage"]>[] = [];
      const result = await runLoad({
        ...window,
        url: server.url,
        path: "/verify",
        callers,
        next: () => bodies[turn++ % bodies.length],
        onCounting: () => void marks.push(server.usage()),
      });
      if (result.complaint !== undefined) throw new Error(result.complaint);
      return { ...result, ...usageBetween(marks, result.good) };
    },
  };
}

/** Writes the section. */
export function verifyPeerSection(plan: VerifyPlan, { races, windows }: VerifyFigures): string {
  return [
    verifyPeerHeading,
    "",
    `\`npm run bench -- --verify <program>\` measures this part alone, beside the facilitator of the crates \`x402-facilitator-local\` and \`x402-chain-eip155\` 2.0.1: \`cargo build --release\` in tools/bench/x402-rs makes the program. Each has one core to itself; chain and load share another. ${describeWindows(plan)} Farthing also looks up earlier settlements and counts open exchanges on a SQLite file; the other keeps nothing. _${floorName}_ reads each request, asks the node once to simulate a transfer, the same each time, and responds what never changes: what a facilitator on Node.js cannot go below for one caller.`,
    "",
    ...raceParts(races, windows),
  ].join("\n");
}
