/**
 * Searches the chain by hand for payments that the database has lost: further back than a start does, or
 * for wallets that were taken out of the configuration. It may run beside the service.
 */
import { createEngine, type SettlementEngine, type Since } from "@farthing/engine";
import {
  type CheckLine,
  fail,
  type Log,
  messageOf,
  ok,
  silentLog,
  systemClock,
  warn,
} from "@farthing/engine/base";
import { readConfig, type Config, type ConfigSource } from "../config/config.ts";
import { openStore } from "../features/open-store.ts";
import type { CheckSection } from "./doctor.ts";
import { openWallets } from "./doctor-wallets.ts";

export interface RecoverOptions extends ConfigSource {
  readonly since: Since;
  readonly log?: Log;
}

/** Yields a section for each network once it has been searched. Throws nothing. */
export async function* recoverLost(options: RecoverOptions): AsyncGenerator<CheckSection> {
  const { since, log = silentLog } = options;
  let engine: SettlementEngine | undefined;
  try {
    const config = readConfig(options);
    engine = await openEngine(config, log);
    await engine.start();
    for (const { network } of config.networks) {
      const found = await engine.recoverSince(network.chainId, since);
      if (found) yield { title: network.name, lines: linesOf(found, since) };
    }
  } catch (error) {
    const fix = "correct this and run the command again; what was recorded stays";
    yield { title: "search", lines: [fail("stopped", messageOf(error), fix)] };
  } finally {
    await engine?.stop();
  }
}

/** Without signers it sends nothing and takes no wallet from the service. */
async function openEngine(config: Config, log: Log): Promise<SettlementEngine> {
  const { signers } = await openWallets(config);
  const wallets = signers.map(({ address }) => address);
  const store = await openStore(config.databaseUrl);
  return createEngine({
    networks: config.networks,
    signers: [],
    storage: { store, open: async () => undefined, isLocal: false },
    settings: { ...config, formerWallets: [...config.formerWallets, ...wallets] },
    clock: systemClock,
    log,
  });
}

type Found = NonNullable<Awaited<ReturnType<SettlementEngine["recoverSince"]>>>;

function linesOf({ fromBlock, toBlock, recovered, unread }: Found, since: Since): CheckLine[] {
  if ("block" in since && since.block > toBlock) {
    const text = `nothing: block ${since.block} is not there yet, the newest is ${toBlock}`;
    return [fail("read", text, "name the first block of which payments may be missing")];
  }
  const blocks = `blocks ${fromBlock} to ${toBlock}`;
  const read =
    unread === undefined
      ? ok("read", blocks)
      : fail(
          "read",
          `${blocks}, not all of them: ${unread}`,
          "use an endpoint that has their logs",
        );
  const text =
    recovered === 1
      ? "1 payment that the database lost"
      : `${recovered} payments that the database lost`;
  return [
    read,
    recovered === 0
      ? ok("recorded", "the database has lost none of them")
      : warn("recorded", text, "their sellers find them by a repeat of the payment; see the guide"),
  ];
}
