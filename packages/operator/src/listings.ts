/** `farthing listings`: what sellers list, and the operator's block, straight in the database. */
import type { Listing, ServiceStore } from "@farthing/facilitator";
import { formatUsdc, networkOfChain, type Address } from "@farthing/protocol";
import type { Command } from "commander";
import { addPrintFlags, exitCodes, type PrintFlags, printList } from "farthing/program";
import { readAccount, timeOf, withStore } from "./database.ts";

/** Adds the subcommand. */
export function register(program: Command): void {
  const listings = program
    .command("listings")
    .description(
      "Looks at listed endpoints in the database of DATABASE_URL (or of FARTHING_CONFIG), also while the facilitator runs.",
    );
  addPrintFlags(
    listings
      .command("list")
      .description("list an account's endpoints, the oldest first")
      .argument("<account>", "payout address, 0x… or xdc…", readAccount),
  ).action((account: Address, flags: PrintFlags) =>
    withStore("listings", async (store) => {
      const rows = (await store.listListings(account)).map(describe);
      printList(rows, rows, `${account} lists nothing.`, flags);
    }),
  );
  for (const [name, isBlocked, what] of [
    ["block", true, "take a listing from the public, and check it no more"],
    ["unblock", false, "let a blocked listing be checked again, and shown once that passes"],
  ] as const) {
    listings
      .command(name)
      .description(what)
      .argument("<id>", "of the listing, as `listings list` shows it")
      .action((id: string) => withStore("listings", (store) => block(store, id, isBlocked)));
  }
}

async function block(store: ServiceStore, id: string, isBlocked: boolean): Promise<void> {
  const { systemClock } = await import("@farthing/facilitator/operator");
  const listing = await store.blockListing(id, isBlocked, systemClock.nowMs());
  const [now, not] = isBlocked ? ["is blocked", "unblocked"] : ["is checked again", "blocked"];
  if (listing) return console.error(`${listing.method} ${listing.resource} ${now}.`);
  console.error(`There is no ${not} listing ${id}; see: farthing listings list <account>`);
  process.exitCode = exitCodes.notFound;
}

function describe({ id, resource, method, amount, chainId, title, check }: Listing) {
  return {
    id,
    title,
    resource: `${method} ${resource}`,
    usdc: formatUsdc(amount),
    network: networkOfChain(chainId).id,
    state: check.state,
    reason: check.reason,
    checked: timeOf(check.checkedAt),
  };
}
