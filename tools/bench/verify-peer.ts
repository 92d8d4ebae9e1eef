/** `/verify` beside the Rust facilitator, whose program is given by its path. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import type { Hex } from "@farthing/protocol";
import { startFarthing } from "./contenders.ts";
import { runLoad } from "./load.ts";
import { openMint } from "./payments.ts";
import { cores, pin, startServer, type Server } from "./processes.ts";
import { middleOf, short, table, withRange } from "./report-table.ts";

/** Its heading. */
export const verifyPeerHeading = "## Verify beside x402-rs";

export interface VerifyPlan {
  readonly callers: readonly number[];
  /** Each has a window of both; those of one round are compared. */
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly countMs: number;
}

/** Forty windows of two seconds and a half. */
export const verifyPlan: VerifyPlan = {
  callers: [1, 32, 128, 512],
  rounds: 5,
  warmUpMs: 500,
  countMs: 2_000,
};

const facilitators = ["farthing", "x402-rs"] as const;

export interface VerifyWindow {
  readonly facilitator: (typeof facilitators)[number];
  readonly callers: number;
  readonly round: number;
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly memoryMiB: number;
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
): Promise<VerifyWindow[]> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const devnet = await startDevnet({ blockTimeSeconds: 1, buyers: payers, relayers: 2 });
  stack.defer(() => devnet.stop());
  pin(devnet.pid, cores.others);
  for (const address of contractsOfPeer) await devnet.rpc("anvil_setCode", [address, "0x00"]);
  const servers: Record<VerifyWindow["facilitator"], Server> = {
    farthing: await startFarthing(devnet, devnet.rpcUrl, 1),
    "x402-rs": await startPeer(program, devnet),
  };
  for (const server of Object.values(servers)) stack.defer(async () => void (await server.stop()));
  const bodies = (await openMint(devnet)).make(payments);
  const windows: VerifyWindow[] = [];
  // The first round compiles the hot code and does not count.
  for (let round = 0; round <= plan.rounds; round++) {
    for (const callers of plan.callers) {
      for (const facilitator of round % 2 === 0 ? facilitators : facilitators.toReversed()) {
        const figures = await runWindow(servers[facilitator], bodies, { ...plan, callers });
        if (round === 0) continue;
        windows.push({ facilitator, callers, round, ...figures });
        tell(JSON.stringify(windows.at(-1)));
      }
    }
  }
  return windows;
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

async function runWindow(
  server: Server,
  bodies: readonly string[],
  { callers, warmUpMs, countMs }: Omit<VerifyPlan, "callers"> & { readonly callers: number },
) {
  const marks: ReturnType<Server["usage"]>[] = [];
  let turn = 0;
  const result = await runLoad({
    url: server.url,
    path: "/verify",
    callers,
    warmUpMs,
    countMs,
    next: () => bodies[turn++ % bodies.length],
    onCounting: () => void marks.push(server.usage()),
  });
  if (result.complaint !== undefined) throw new Error(result.complaint);
  const [begin, end] = marks;
  const cpuSeconds = (end?.cpuSeconds ?? Number.NaN) - (begin?.cpuSeconds ?? Number.NaN);
  const { perSecond, p50Ms, p99Ms } = result;
  const cpuMicros = (cpuSeconds * 1e6) / result.good;
  return { perSecond, p50Ms, p99Ms, cpuMicros, memoryMiB: end?.memoryMiB ?? Number.NaN };
}

/** What our rate should be beside that one, at least. */
const rateMin = 1;

/** Writes the section. */
export function verifyPeerSection(
  { rounds, countMs, callers: counts }: VerifyPlan,
  windows: readonly VerifyWindow[],
): string {
  const rows = counts.flatMap((callers) =>
    facilitators.map((facilitator) => rowOf(windows, callers, facilitator)),
  );
  return [
    verifyPeerHeading,
    "",
    `\`npm run bench -- --verify <program>\` measures this part alone, beside the facilitator of the crates \`x402-facilitator-local\` and \`x402-chain-eip155\` 2.0.1: \`cargo build --release\` in tools/bench/x402-rs makes the program. Each has one core to itself; chain and load share another. Callers ask in a closed loop, in ${rounds} rounds with a window of ${countMs / 1_000} s of each, one after the other. A ratio is that of the windows of one round; the middle is shown, with the smallest and the largest. Farthing also looks up earlier settlements and counts open exchanges on a SQLite file; the other keeps nothing.`,
    "",
    table(
      [
        "callers",
        "",
        "a second",
        "beside",
        "target",
        "CPU µs",
        "beside",
        "p50 ms",
        "p99 ms",
        "MiB",
      ],
      rows,
    ),
    "",
  ].join("\n");
}

function rowOf(
  windows: readonly VerifyWindow[],
  callers: number,
  facilitator: VerifyWindow["facilitator"],
): string[] {
  const own = windows.filter((one) => one.callers === callers && one.facilitator === facilitator);
  const ratios = (figure: "perSecond" | "cpuMicros") =>
    own.flatMap(({ round, [figure]: value }) => {
      const other = windows.find(
        (one) => one.round === round && one.callers === callers && one.facilitator !== facilitator,
      );
      return other ? [value / other[figure]] : [];
    });
  const middle = (figure: "perSecond" | "cpuMicros" | "p50Ms" | "p99Ms" | "memoryMiB") =>
    short(middleOf(own.map((window) => window[figure])));
  const isOurs = facilitator === "farthing";
  const rates = ratios("perSecond");
  const target = middleOf(rates) >= rateMin ? "reached" : "**not reached**";
  return [
    callers.toLocaleString("en"),
    facilitator,
    middle("perSecond"),
    isOurs ? withRange(rates) : "",
    isOurs ? `at least ${rateMin}: ${target}` : "",
    middle("cpuMicros"),
    isOurs ? withRange(ratios("cpuMicros")) : "",
    middle("p50Ms"),
    middle("p99Ms"),
    middle("memoryMiB"),
  ];
}
