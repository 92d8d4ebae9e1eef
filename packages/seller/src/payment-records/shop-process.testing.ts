/**
 * A seller in a process of his own: `node shop-process.testing.ts <JSON>`. He says where he listens
 * in his first line, and in one line each for what report he makes.
 */
import { createClient } from "redis";
import type { SettlementTiming } from "../configuration.ts";
import type { PaymentRecords } from "./payment-records.ts";
import { listen } from "../adapters/listen.testing.ts";
import { farthing } from "../adapters/node.ts";
import { createRedisGrants } from "./redis.ts";
import { createSqliteGrants } from "./sqlite.ts";

/** What such a process is told. */
export interface ShopOrder {
  readonly facilitatorUrl: string;
  readonly payTo: string;
  readonly settle: SettlementTiming;
  /** A file for SQLite, a socket for Redis. */
  readonly store: { readonly kind: "sqlite" | "redis"; readonly path: string };
  readonly leaseMs: number;
  /** Uses of the pass that a payment buys. */
  readonly passUses?: number;
  /** The process kills itself while it makes this report, counted from one. */
  readonly diesAt?: number;
}

async function open({ store: { kind, path }, leaseMs }: ShopOrder): Promise<PaymentRecords> {
  if (kind === "sqlite") return createSqliteGrants({ path, leaseMs });
  const client = await createClient({ socket: { path, tls: false } }).connect();
  return createRedisGrants({ client, leaseMs });
}

async function start(order: ShopOrder): Promise<void> {
  const { facilitatorUrl, payTo, settle, passUses, diesAt } = order;
  const pass = passUses === undefined ? {} : { pass: { uses: passUses, validFor: "1h" } };
  let begun = 0;
  const grants = await open(order);
  const charge = farthing({
    facilitator: { url: facilitatorUrl },
    payTo,
    settle,
    grants,
    // The one address of all processes, as behind a load balancer.
    publicUrl: "https://shop.example",
    // Says nothing on the console of the tests.
    onEvent: () => undefined,
  });
  const shop = await listen(
    charge({ price: "0.01", ...pass }, (_req, res) => {
      if (++begun === diesAt) process.kill(process.pid, "SIGKILL");
      process.stdout.write("made\n");
      res.end(`made by ${process.pid}`);
    }),
  );
  process.stdout.write(`${shop.url}\n`);
}

const [text] = process.argv.slice(2);
if (text !== undefined) {
  const order: ShopOrder = JSON.parse(text);
  await start(order);
}
