/** The gateway beside the API itself, a plain proxy of Node's modules and a stock seller. */
import { Agent, request } from "node:http";
import { programFile } from "@farthing/lab/programs";
import { cores, pin, startServer, type Server } from "../processes.ts";
import { startGatewayProcess, type GatewaySetup } from "./gateway-process.ts";
import type { Ask } from "./http-load.ts";
import { hasNginx, startNginx } from "./nginx.ts";
import { paymentsFor, saleOf, type Sale } from "./paid-asks.ts";
import type { Role } from "./peer-server.ts";
import {
  describePaidWindows,
  describeWindows,
  raceParts,
  runRaces,
  timesOfPayments,
  usualWindows,
} from "./race.ts";
import type { Race, RacePlan, Racer, RaceWindow } from "./race.ts";
import { startYesFacilitator } from "./yes-facilitator.ts";

/** Its heading. */
export const gatewayHeading = "## Gateway";

export interface GatewayPlan extends RacePlan {
  readonly connections: readonly number[];
  /** Bytes of the bodies of free requests beside the small ones. */
  readonly bodies: readonly number[];
  /** Events of a stream, and how many streams are open at a time. */
  readonly streams: { readonly events: number; readonly connections: readonly number[] };
  /** Connections that ask once and then stay open. */
  readonly idle: number;
}

/** Sixty windows a round, nine minutes in all. */
export const gatewayPlan: GatewayPlan = {
  connections: [1, 32, 1_000],
  bodies: [1_048_576, 104_857_600],
  // As many as the answer of a language model has.
  streams: { events: 200, connections: [1, 32] },
  idle: 1_000,
  ...usualWindows,
  // Of three rounds: with five it would take a quarter of an hour.
  rounds: 3,
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
const otherRoutes = { few: 6, many: 996 } as const;

/** Where no test run has bundled it, it runs from source, as its imports do. */
const peerProgram = [
  "--conditions=@farthing/source",
  programFile(new URL("./peer-server.ts", import.meta.url)),
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
  const nginx = hasNginx() ? await kept(startNginx(behind.url)) : undefined;
  const runs = [
    { suffix: "", checkout: undefined },
    ...(before === undefined ? [] : [older(before)]),
  ];
  const gateways: RunningGateway[] = [];
  for (const { suffix, checkout } of runs) {
    const sale = async (store: GatewaySetup["store"]) =>
      saleOf(store, await gateway({ checkout, store }), paths, Math.max(...plan.connections));
    gateways.push({ suffix, memory: await sale("memory"), sqlite: await sale("sqlite") });
  }
  const routes = {
    few: await gateway({ otherRoutes: otherRoutes.few }),
    many: await gateway({ otherRoutes: otherRoutes.many }),
  };
  const stockPayment = await paymentsFor(stock, paths.paid);
  const races = racesOf(plan, { upstream, proxy, nginx, stock, stockPayment, gateways, routes });
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
  /** Undefined where it is not installed. */
  readonly nginx: Server | undefined;
  readonly stock: Server;
  readonly stockPayment: () => Ask;
  readonly gateways: readonly RunningGateway[];
  readonly routes: Readonly<Record<keyof typeof otherRoutes, Server>>;
}

const free = { path: `/free/${smallBody}`, status: 200 };
const paths = {
  paid: `/paid/${smallBody}`,
  pass: `/pass/${smallBody}`,
  balance: `/balance/${smallBody}`,
} as const;
const unpaid = { path: paths.paid, status: 402 };

/** The gateways of all checkouts with a kind of request. */
function gatewaysWith(
  gateways: readonly RunningGateway[],
  name: string,
  store: "memory" | "sqlite",
  askOf: (sale: Sale) => (connection: number) => Ask,
): Racer[] {
  return gateways.map(({ suffix, [store]: sale }) => ({
    name: `${name}${suffix}`,
    server: sale.server,
    ask: askOf(sale),
  }));
}

function racesOf(plan: GatewayPlan, programs: Programs): Race[] {
  const { few, many } = programs.routes;
  const ofRoutes: Race = {
    title: "Routes before the one that is asked",
    connections: 32,
    racers: [
      { name: "10 routes", server: few, ask: () => free },
      { name: "1,000 routes", server: many, ask: () => free },
    ],
    beside: "10 routes",
    // 1.1 times the time at most.
    atLeast: { "1,000 routes": 0.91 },
  };
  return [...forwardedRaces(plan, programs), ...soldRaces(plan, programs), ofRoutes];
}

/** Free requests, small and large, beside other proxies. */
function forwardedRaces(plan: GatewayPlan, programs: Programs): Race[] {
  const { upstream, proxy, nginx, gateways } = programs;
  const race = (title: string, connections: number, ask: Ask): Race => ({
    title,
    connections,
    racers: [
      { name: "the API itself", server: upstream, ask: () => ask },
      ...(nginx === undefined ? [] : [{ name: "nginx", server: nginx, ask: () => ask }]),
      { name: "plain Node proxy", server: proxy, ask: () => ask },
      ...gatewaysWith(gateways, "gateway", "memory", () => () => ask),
    ],
    beside: "plain Node proxy",
  });
  const { events, connections: streams } = plan.streams;
  return [
    ...plan.connections.map((connections) => ({
      ...race("Free requests", connections, free),
      atLeast: { gateway: 0.8 },
    })),
    ...plan.bodies.map((bytes) => {
      const title = `Free requests with bodies of ${bytes / 2 ** 20} MiB`;
      return race(title, 1, { path: `/free/bytes/${bytes}`, status: 200 });
    }),
    ...streams.map((connections) => {
      const ask = { path: `/free/events/${events}`, status: 200 };
      return race(`Event streams of ${events} events`, connections, ask);
    }),
  ];
}

/** Requests for what is sold, beside a stock seller and beside free ones. */
function soldRaces(plan: GatewayPlan, { stock, stockPayment, gateways }: Programs): Race[] {
  const ours = gatewaysWith.bind(undefined, gateways);
  return plan.connections.flatMap((connections): Race[] => [
    {
      title: "Requests without a payment (402)",
      connections,
      racers: [
        { name: "stock @x402/express", server: stock, ask: () => unpaid },
        ...ours("gateway", "memory", () => () => unpaid),
      ],
      beside: "stock @x402/express",
      atLeast: { gateway: 1.5 },
    },
    {
      title: "Requests with a payment each",
      connections,
      times: timesOfPayments(connections),
      racers: [
        { name: "stock @x402/express", server: stock, ask: stockPayment },
        ...ours("gateway, memory", "memory", ({ paid }) => paid),
        ...ours("gateway, SQLite", "sqlite", ({ paid }) => paid),
      ],
      beside: "stock @x402/express",
    },
    {
      title: "Requests with a pass or on a balance",
      connections,
      racers: [
        ...ours("free route", "memory", () => () => free),
        ...ours("pass, memory", "memory", ({ pass }) => pass),
        ...ours("pass, SQLite", "sqlite", ({ pass }) => pass),
        ...ours("balance, memory", "memory", ({ balance }) => balance),
        ...ours("balance, SQLite", "sqlite", ({ balance }) => balance),
      ],
      beside: "free route",
      atLeast: { "pass, memory": 0.7, "pass, SQLite": 0.5 },
    },
  ]);
}

/** The gateways of one checkout. */
interface RunningGateway {
  readonly suffix: string;
  readonly memory: Sale;
  readonly sqlite: Sale;
}

const older = (checkout: string) => ({ suffix: " before", checkout });

/** Writes the section. */
export function gatewaySection(
  plan: GatewayPlan,
  { races, windows, idleMiB }: GatewayFigures,
): string {
  return [
    gatewayHeading,
    "",
    `\`npm run bench -- --gateway\` measures this part alone: \`farthing gateway\` with default settings and its log, in front of an API with bodies of 1 KiB. The program that is measured has one core to itself; the API behind it and the load share another. ${describeWindows(plan)} ${describePaidWindows(plan)} Where other programs use the machine, ratios of CPU time are steadier than those of rates. The facilitator accepts every payment.${hasNginx() ? " nginx is one process without a log of requests." : " nginx was left out: it was not installed."}`,
    "",
    ...raceParts(races, windows),
    "### Idle connections",
    "",
    `${plan.idle.toLocaleString("en")} connections that have asked once and stay open take ${idleMiB.toFixed(1)} MiB; at most ${idleMiBMax} MiB ${idleMiB <= idleMiBMax ? "are" : "were"} aimed for.`,
    "",
  ].join("\n");
}
