/** `farthing upgrade --partition`: moves what an earlier version has left in one table into months. */
import type { ServiceStore } from "@farthing/facilitator";
import { systemClock } from "@farthing/facilitator/operator";
import { writeTo } from "@farthing/protocol";
import { exitCodes } from "farthing/program";
import { refuse, withStore } from "./database.ts";

/** A group takes the database some ten milliseconds. */
const maxGroup = 500;

/** Other writers proceed between groups. */
const groupPauseMs = 20;

/** To tell how long it takes: half of what two busy cores moved without the pauses. */
const movedPerSecond = 5_000;

/** Groups between two lines that say how far it is. */
const groupsPerLine = 100;

/** Looks for months while another process creates indexes or months: half a minute. */
const monthTriesMax = 30;
const monthPauseMs = 1_000;

type Undivided = NonNullable<Awaited<ReturnType<ServiceStore["inspectUndivided"]>>>;

export function partition(isDryRun: boolean): Promise<void> {
  return withStore("upgrade", async (store) => {
    const found = await store.inspectUndivided();
    if (!found) {
      return refuse("SQLite keeps each kind of row in one table: there is nothing to divide.");
    }
    say(estimate(found));
    if (isDryRun) return say("Nothing was changed. Run it without --dry-run, beside the service.");
    if (!(await store.divideDeliveries())) {
      const why = "Too many webhook deliveries wait to be sent, and they would have to be copied";
      return refuse(
        `${why} at once. Try again once x402_outbox_waiting is below 50,000.`,
        tryAgain,
      );
    }
    for (let tries = 1; !(await store.prepareEarlierMonths(systemClock.nowMs())); tries++) {
      const why = "Another process creates indexes. Try again once the log says index_created.";
      if (tries === monthTriesMax) return refuse(why, tryAgain);
      await systemClock.sleep(monthPauseMs);
    }
    await moveTransactions(store);
    await moveDeliveries(store);
    say(
      "Done. New rows use the space again; to return it to the disk, run in a quiet hour: VACUUM FULL relayer_transactions",
    );
  });
}

const tryAgain = exitCodes.configuration;

function say(text: string): void {
  writeTo(process.stdout, `${text}\n`);
}

function estimate({ transactions, deliveries }: Undivided): string {
  const rows = transactions.rows + deliveries.rows;
  const gigabytes = ((transactions.bytes + deliveries.bytes) / 1e9).toFixed(1);
  const minutes = Math.max(1, Math.ceil(rows / movedPerSecond / 60));
  return [
    `About ${transactions.rows.toLocaleString("en")} transactions and ${deliveries.rows.toLocaleString("en")} webhook deliveries are in one table each.`,
    `Moving them takes about ${minutes.toLocaleString("en")} min and at most ${gigabytes} GB more on the disk.`,
    "Payments go on: groups of 500 rows are moved, and no lock is waited for longer than two seconds.",
    "Until the end, lists of deliveries lack some of the older ones. It can be stopped and run again.",
  ].join("\n");
}

async function moveTransactions(store: ServiceStore): Promise<void> {
  let below: number | undefined;
  let moved = 0;
  for (let group = 1; ; group++) {
    const step = await store.moveClosedTransactions({ below, since: 0, limit: maxGroup });
    moved += step.moved;
    if (group % groupsPerLine === 0) say(`${moved.toLocaleString("en")} transactions moved`);
    if (step.last === null) break;
    below = step.last;
    await systemClock.sleep(groupPauseMs);
  }
  say(`${moved.toLocaleString("en")} transactions moved; those that are not over stay`);
}

async function moveDeliveries(store: ServiceStore): Promise<void> {
  let moved = 0;
  for (let group = 1; ; group++) {
    const step = await store.moveEarlierDeliveries(maxGroup);
    if (step === 0) break;
    moved += step;
    if (group % groupsPerLine === 0) say(`${moved.toLocaleString("en")} deliveries moved`);
    await systemClock.sleep(groupPauseMs);
  }
  say(`${moved.toLocaleString("en")} deliveries moved`);
}
