/**
 * A seller in a process of its own: `node shop-process.testing.ts <JSON>`. Its first line says where
 * it listens, and each report that it makes prints one line more.
 */
import type { ServerResponse } from "node:http";
import type { RouteOptions, SettlementTiming } from "../../configuration.ts";
import type { PaidRequest } from "../../events.ts";
import { listen } from "../../adapters/listen.testing.ts";
import { farthing } from "../../adapters/node.ts";
import { authorizerKey, callUnits } from "../../channels/channel-shop.testing.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import { openStore, type Store } from "./shared-stores.testing.ts";

/** What such a process is told. */
export interface ShopOrder {
  readonly facilitatorUrl: string;
  readonly payTo: string;
  readonly settle: SettlementTiming;
  readonly store: Store;
  readonly leaseMs: number;
  /** Uses of the pass that a payment buys. */
  readonly passUses?: number;
  /** The process kills itself while it makes this report, counted from one. */
  readonly diesAt?: number;
  /** How far the clock of its store is ahead. */
  readonly aheadMs?: number;
  /**
   * Sells `/call` by channels of Apothem alone. `/call/dies` kills the process while it works, and
   * `/call/charged` once the call is charged, before its response.
   */
  readonly sellsByChannel?: boolean;
}

/** The balance of the streams: 5 USDC, of which each holds 0.05. */
const streams: RouteOptions = {
  balance: { topUp: "5.00", reserve: "0.05", scope: "streams" },
  stream: true,
};

/** Costs 14 base units where the path says so, and does not end. */
function stream({ meter }: PaidRequest, res: ServerResponse, path = ""): void {
  res.setHeader("Content-Type", "text/event-stream");
  for (const part of ["one ", "two "]) {
    if (path.startsWith("/metered")) meter?.add(7n);
    res.write(part);
  }
}

async function start(order: ShopOrder): Promise<void> {
  const { facilitatorUrl, payTo, settle, leaseMs, passUses, diesAt, aheadMs } = order;
  if (order.sellsByChannel === true) return startChannelShop(order);
  const pass = passUses === undefined ? {} : { pass: { uses: passUses, validFor: "1h" } };
  const ahead = aheadMs === undefined ? {} : { now: () => Date.now() + aheadMs };
  let begun = 0;
  const { records: grants } = await openStore(order.store, { leaseMs, ...ahead });
  const charge = farthing({
    facilitator: { url: facilitatorUrl },
    payTo,
    grants,
    // The one address of all processes, as behind a load balancer.
    publicUrl: "https://shop.example",
    // Nothing on the console of the tests.
    onEvent: () => undefined,
  });
  const report = charge({ price: "0.01", settle, ...pass }, (_req, res) => {
    if (++begun === diesAt) process.kill(process.pid, "SIGKILL");
    process.stdout.write("made\n");
    res.end(`made by ${process.pid}`);
  });
  const streamed = charge(streams, (req, res, payment) => {
    if (req.url === "/short") {
      payment.meter?.set(100n);
      res.end();
    } else stream(payment, res, req.url);
  });
  const shop = await listen((req, res) => (req.url === "/report" ? report : streamed)(req, res));
  process.stdout.write(`${shop.url}\n`);
}

/** The same records, which call `then` after each charge of a channel. */
function afterCharge(records: PaymentRecords, then: () => void): PaymentRecords {
  const { channels } = records;
  if (!channels) throw new Error("The store keeps no channels.");
  const hold: typeof channels.hold = async (...of) => {
    const holding = await channels.hold(...of);
    if (holding.kind !== "held") return holding;
    const { held } = holding;
    const charge: typeof held.charge = async (made) => {
      const after = await held.charge(made);
      then();
      return after;
    };
    return { kind: "held", held: { ...held, charge } };
  };
  return { ...records, channels: { ...channels, hold } };
}

async function startChannelShop({ facilitatorUrl, payTo, leaseMs, store }: ShopOrder) {
  const { records } = await openStore(store, { leaseMs });
  let diesOnceCharged = false;
  const grants = afterCharge(records, () => {
    if (diesOnceCharged) process.kill(process.pid, "SIGKILL");
  });
  const charge = farthing({
    // With a key, so that it passes its vouchers on.
    facilitator: { url: facilitatorUrl, apiKey: "key" },
    payTo,
    network: "eip155:51",
    grants,
    publicUrl: "https://shop.example",
    channels: { authorizerKey, maxUnvaulted: "1" },
    onEvent: () => undefined,
  });
  const call = charge({ price: callUnits, channel: { only: true } }, (req, res) => {
    if (req.url === "/call/dies") process.kill(process.pid, "SIGKILL");
    diesOnceCharged = req.url === "/call/charged";
    process.stdout.write("made\n");
    res.end(`made by ${process.pid}`);
  });
  const shop = await listen(call);
  process.stdout.write(`${shop.url}\n`);
}

const [text] = process.argv.slice(2);
if (text !== undefined) {
  const order: ShopOrder = JSON.parse(text);
  await start(order);
}
