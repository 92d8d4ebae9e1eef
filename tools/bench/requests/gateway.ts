/** The gateway beside the API itself, a plain proxy of Node's modules and a stock seller. */
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { passHeaders } from "@farthing/protocol";
import { cores, pin, startServer, type Server } from "../processes.ts";
import { buyPass, startGatewayProcess, type GatewaySetup } from "./gateway-process.ts";
import type { Ask } from "./http-load.ts";
import type { Role } from "./peer-server.ts";
import { raceTable, runRaces, type Race, type RacePlan, type RaceWindow } from "./race.ts";
import { startYesFacilitator } from "./yes-facilitator.ts";

/** Its heading. */
export const gatewayHeading = "## Gateway";

export interface GatewayPlan extends RacePlan {
  readonly connections: readonly number[];
  /** Bytes of the bodies of free requests beside the small ones. */
  readonly bodies: readonly number[];
  /** Connections that ask once and then stay open. */
  readonly idle: number;
}

/** Seven interleaved rounds: the spread of one pair is about a tenth on a busy machine. */
export const gatewayPlan: GatewayPlan = {
  connections: [1, 32, 1_000],
  bodies: [1_048_576, 104_857_600],
  idle: 1_000,
  rounds: 7,
  warmUpMs: 400,
  countMs: 1_600,
};

/** What was measured, as the report shows it. */
export interface GatewayFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
  /** MiB that a gateway has more with the idle connections of the plan. */
  readonly idleMiB: number;
}

/** What a gateway takes more with idle connections: at most, in MiB. */
const idleMiBMax = 60;

/** Routes before those that are asked, few and many. */
const otherRoutes = { few: 7, many: 997 } as const;

/** It runs from source, as its imports do. */
const peerProgram = [
  "--conditions=@farthing/source",
  fileURLToPath(new URL("./peer-server.ts", import.meta.url)),
];

const smallBody = "bytes/1024";

/** Starts everything and runs the races; with a folder, the gateway of that checkout runs too. */
export async function measureGateway(
  plan: GatewayPlan,
  tell: (line: string) => void,
  before?: string,
): Promise<GatewayFigures> {
  pin(process.pid, cores.others);
  await using stack = new AsyncDisposableStack();
  const kept = async (starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    stack.defer(async () => void (await server.stop()));
    return server;
  };
  const facilitator = await startYesFacilitator();
  stack.defer(() => facilitator.close());
  const peer = (role: Role, url = "") => kept(startServer([...peerProgram, role, url], {}));
  const behind = await peer("upstream");
  pin(behind.pid, cores.others);
  const urls = { upstreamUrl: behind.url, facilitatorUrl: facilitator.url };
  const gateway = (setup: Partial<GatewaySetup>) =>
    kept(startGatewayProcess({ ...urls, store: "memory", ...setup }));
  const [upstream, proxy] = [await peer("upstream"), await peer("proxy", behind.url)];
  const stock = await peer("stock", facilitator.url);
  const runs = [
    { suffix: "", checkout: undefined },
    ...(before === undefined ? [] : [older(before)]),
  ];
  const gateways: RunningGateway[] = [];
  for (const { suffix, checkout } of runs) {
    const memory = await gateway({ checkout });
    const sqlite = await gateway({ checkout, store: "sqlite" });
    gateways.push({ suffix, memory, sqlite, opens: await passesOf([memory, sqlite]) });
  }
  const routes = {
    few: await gateway({ otherRoutes: otherRoutes.few }),
    many: await gateway({ otherRoutes: otherRoutes.many }),
  };
  const races = racesOf(plan, { upstream, proxy, stock, gateways, routes });
  const windows = await runRaces(races, plan, tell);
  const idleMiB = await measureIdle(await gateway({}), plan.idle);
  return { races, windows, idleMiB };
}

/** Opens connections that each ask once, and returns the MiB that the program has more then. */
async function measureIdle(server: Server, count: number): Promise<number> {
  const { hostname, port } = new URL(server.url);
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  const askOnce = () =>
    new Promise<void>((resolve, reject) => {
      const asked = request({ hostname, port, path: free.path, agent }, (response) => {
        response.resume().once("end", resolve);
      });
      asked.once("error", reject).end();
    });
  // The program is warm, and has what it needs for one connection.
  for (let asked = 0; asked < count; asked++) await askOnce();
  const before = server.usage()?.memoryMiB ?? Number.NaN;
  await Promise.all(Array.from({ length: count }, askOnce));
  const after = server.usage()?.memoryMiB ?? Number.NaN;
  agent.destroy();
  return after - before;
}

/** What runs. */
interface Programs {
  readonly upstream: Server;
  readonly proxy: Server;
  readonly stock: Server;
  readonly gateways: readonly RunningGateway[];
  readonly routes: Readonly<Record<keyof typeof otherRoutes, Server>>;
}

const free = { path: `/free/${smallBody}`, status: 200 };
const unpaid = { path: `/paid/${smallBody}`, status: 402 };

function passing(server: Server, opens: ReadonlyMap<Server, string>): readonly [Server, Ask] {
  const headers = { [passHeaders.token]: opens.get(server) ?? "" };
  return [server, { path: `/pass/${smallBody}`, headers, status: 200 }];
}

function racesOf(
  plan: GatewayPlan,
  { upstream, proxy, stock, gateways, routes }: Programs,
): Race[] {
  const ours = (name: string, pick: (of: RunningGateway) => readonly [Server, Ask]) =>
    gateways.map((of) => {
      const [server, ask] = pick(of);
      return { name: `${name}${of.suffix}`, server, ask: () => ask };
    });
  const large = plan.bodies.map((bytes): Race => {
    const ask = { path: `/free/bytes/${bytes}`, status: 200 };
    return {
      title: `Free requests with bodies of ${bytes / 2 ** 20} MiB`,
      connections: 1,
      racers: [
        { name: "the API itself", server: upstream, ask: () => ask },
        { name: "plain Node proxy", server: proxy, ask: () => ask },
        ...ours("gateway", ({ memory }) => [memory, ask]),
      ],
      beside: "plain Node proxy",
    };
  });
  const ofRoutes: Race = {
    title: "Routes before the one that is asked",
    connections: 32,
    racers: [
      { name: "10 routes", server: routes.few, ask: () => free },
      { name: "1,000 routes", server: routes.many, ask: () => free },
    ],
    beside: "10 routes",
    // 1.1 times the time at most.
    atLeast: { "1,000 routes": 0.91 },
  };
  const small = plan.connections.flatMap((connections): Race[] => [
    {
      title: "Free requests",
      connections,
      racers: [
        { name: "the API itself", server: upstream, ask: () => free },
        { name: "plain Node proxy", server: proxy, ask: () => free },
        ...ours("gateway", ({ memory }) => [memory, free]),
      ],
      beside: "plain Node proxy",
      atLeast: { gateway: 0.8 },
    },
    {
      title: "Requests without a payment (402)",
      connections,
      racers: [
        { name: "stock @x402/express", server: stock, ask: () => unpaid },
        ...ours("gateway", ({ memory }) => [memory, unpaid]),
      ],
      beside: "stock @x402/express",
      atLeast: { gateway: 1.5 },
    },
    {
      title: "Requests with a pass",
      connections,
      racers: [
        ...ours("free route", ({ memory }) => [memory, free]),
        ...ours("pass, memory", ({ memory, opens }) => passing(memory, opens)),
        ...ours("pass, SQLite", ({ sqlite, opens }) => passing(sqlite, opens)),
      ],
      beside: "free route",
      atLeast: { "pass, memory": 0.7, "pass, SQLite": 0.5 },
    },
  ]);
  return [...small, ...large, ofRoutes];
}

/** The gateways of one checkout, with the tokens of their passes. */
interface RunningGateway {
  readonly suffix: string;
  readonly memory: Server;
  readonly sqlite: Server;
  readonly opens: ReadonlyMap<Server, string>;
}

const older = (checkout: string) => ({ suffix: " before", checkout });

/** A pass of each gateway, which all its callers share. */
async function passesOf(servers: readonly Server[]): Promise<ReadonlyMap<Server, string>> {
  const tokens = new Map<Server, string>();
  for (const server of servers)
    tokens.set(server, await buyPass(`${server.url}/pass/${smallBody}`));
  return tokens;
}

/** Writes the section. */
export function gatewaySection(
  plan: GatewayPlan,
  { races, windows, idleMiB }: GatewayFigures,
): string {
  const titles = [...new Set(races.map(({ title }) => title))];
  const parts = titles.flatMap((title) => {
    const own = races.filter((race) => race.title === title);
    const [beside] = own.map((race) => race.beside);
    return [`### ${title}`, "", `Beside: ${beside}.`, "", raceTable(own, windows), ""];
  });
  return [
    gatewayHeading,
    "",
    `\`npm run bench -- --gateway\` measures this part alone: \`farthing gateway\` with default settings and its log, in front of an API with bodies of 1 KiB. The program that is measured has one core to itself; the API behind it and the load share another. Callers ask in a closed loop, in ${plan.rounds} rounds with a window of ${plan.countMs / 1_000} s of each program, one after the other. A ratio is that of the windows of one round; the middle of the rounds is shown, with the smallest and the largest. \`added\` is the difference of the p50 to the program beside. Where other programs use the machine, ratios of CPU time are steadier than those of rates. The facilitator accepts every payment. nginx was left out: it was not installed.`,
    "",
    ...parts,
    "### Idle connections",
    "",
    `${plan.idle.toLocaleString("en")} connections that have asked once and stay open take ${idleMiB.toFixed(1)} MiB; at most ${idleMiBMax} MiB ${idleMiB <= idleMiBMax ? "are" : "were"} aimed for.`,
    "",
  ].join("\n");
}
