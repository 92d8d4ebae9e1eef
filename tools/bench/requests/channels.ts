/** Calls over channels beside passes, balances, the stock seller of channels and an app that sells nothing. */
import { measureChannelGas, type ChannelGas } from "../channel-gas.ts";
import type { Server } from "../processes.ts";
import { table } from "../report-table.ts";
import { openChannels } from "./channel-asks.ts";
import { startSalesStores, storeNames, type StoreName } from "./earlier-sales.ts";
import type { Ask } from "./http-load.ts";
import { saleOf } from "./paid-asks.ts";
import { describeWindows, raceParts, runRaces, usualWindows } from "./race.ts";
import type { Race, Racer, RacePlan, RaceWindow } from "./race.ts";
import { openSellerPrograms, salePaths } from "./seller-programs.ts";

/** Its heading. */
export const channelsHeading = "## Channels";

export interface ChannelsPlan extends RacePlan {
  readonly stores: readonly StoreName[];
  /** Channels of a race, and the connections that use them. */
  readonly loads: readonly { readonly channels: number; readonly connections: number }[];
}

/** Forty-four windows a round, eight minutes in all. */
export const channelsPlan: ChannelsPlan = {
  stores: storeNames,
  loads: [
    { channels: 1, connections: 1 },
    { channels: 1_000, connections: 32 },
  ],
  ...usualWindows,
};

export interface ChannelsFigures {
  readonly races: readonly Race[];
  readonly windows: readonly RaceWindow[];
  readonly gas: ChannelGas;
}

/** Shares of the rate of a pass, and times that of the stock seller, that a channel reaches at least. */
const ofPassMin = 0.7;
const ofStockMin = 3;

const channelPath = "/channel/1";

/** Starts everything and runs the races. */
export async function measureChannels(
  plan: ChannelsPlan,
  tell: (line: string) => void,
): Promise<ChannelsFigures> {
  await using stack = new AsyncDisposableStack();
  const gas = await measureChannelGas();
  const { start, folder } = await openSellerPrograms(stack);
  const plain = await start("express");
  const stock = await start("stock-channels");
  const sellers: { readonly store: StoreName; readonly server: Server }[] = [];
  for (const { name, create } of await startSalesStores(plan.stores, folder, stack)) {
    sellers.push({ store: name, server: await start("channels", await create(0)) });
  }
  const races: Race[] = [];
  for (const load of plan.loads) races.push(...(await racesOf(load, { plain, stock, sellers })));
  return { races, windows: await runRaces(races, plan, tell), gas };
}

interface Programs {
  readonly plain: Server;
  readonly stock: Server;
  readonly sellers: readonly { readonly store: StoreName; readonly server: Server }[];
}

const free: Ask = { path: channelPath, status: 200 };

async function racesOf(
  { channels, connections }: ChannelsPlan["loads"][number],
  { plain, stock, sellers }: Programs,
): Promise<Race[]> {
  const what = channels === 1 ? "one channel" : `${channels.toLocaleString("en")} channels`;
  const callsAt = async (server: Server) =>
    (await openChannels(server, channelPath, channels))(connections);
  const own: Racer[] = [];
  const ofStores: Race[] = [];
  for (const { store, server } of sellers) {
    const channel = { name: `channel, ${store}`, server, ask: await callsAt(server) };
    const { pass, balance } = await saleOf(store, server, salePaths, connections);
    own.push(channel);
    ofStores.push({
      title: `Calls over ${what} beside passes and balances`,
      connections,
      racers: [
        { name: `pass, ${store}`, server, ask: pass },
        { name: `balance, ${store}`, server, ask: balance },
        channel,
      ],
      beside: `pass, ${store}`,
      atLeast: { [channel.name]: ofPassMin },
    });
  }
  const atLeast = Object.fromEntries(own.map(({ name }) => [name, ofStockMin]));
  const alone: Racer = { name: "Express alone", server: plain, ask: () => free };
  const published: Racer = { name: "stock @x402/evm", server: stock, ask: await callsAt(stock) };
  return [
    {
      title: `Calls over ${what} beside an app that sells nothing`,
      connections,
      racers: [alone, ...own],
      beside: alone.name,
    },
    {
      title: `Calls over ${what} beside the stock seller`,
      connections,
      racers: [published, ...own],
      beside: published.name,
      atLeast,
    },
    ...ofStores,
  ];
}

/** Writes the section. */
export function channelsSection(
  plan: ChannelsPlan,
  { races, windows, gas }: ChannelsFigures,
): string {
  return [
    channelsHeading,
    "",
    `\`npm run bench -- --channels\` measures this part alone: an Express app with \`@farthing/seller/express\` and \`channel\`, the same with the scheme \`batch-settlement\` of \`@x402/evm\`, and the app alone. Each call has a new voucher, which the load signs, so that a rate may be limited by the load; the CPU time is that of the program alone. The program that is measured has one core to itself; the facilitator, which believes every deposit, and the load share another. ${describeWindows(plan)} The stores on a disk sync each charge; the stock seller keeps its channels in memory. The targets are ${ofPassMin} of the rate of a pass, ${ofStockMin} times the stock seller, and less than 2 ms added at the p50.`,
    "",
    ...raceParts(races, windows),
    "### Gas",
    "",
    "Gas of measured transactions on the local chain. The gas of a call is that of a deposit, and a hundredth of a claim of 100 channels and of a sweep.",
    "",
    table(["what", "gas"], gasRows(gas)),
    "",
  ].join("\n");
}

/** Calls that share a deposit and a claim. */
const callCounts = [100, 1_000, 10_000] as const;

function whole(gas: number): string {
  return Math.round(gas).toLocaleString("en");
}

function gasRows({ deposit, furtherDeposit, claims, settle }: ChannelGas): string[][] {
  const hundred = claims.at(-1);
  const shared = hundred ? (hundred.gas + settle) / hundred.rows : NaN;
  return [
    ["the first deposit of a channel", whole(deposit)],
    ["a further deposit", whole(furtherDeposit)],
    ...claims.map(({ rows, gas }) => {
      return [
        `a claim of ${rows} ${rows === 1 ? "channel" : "channels"}, for each`,
        whole(gas / rows),
      ];
    }),
    ["a sweep to the seller", whole(settle)],
    ...callCounts.map((calls) => [
      `${calls.toLocaleString("en")} calls over a channel, for each call`,
      whole((deposit + shared) / calls),
    ]),
  ];
}
