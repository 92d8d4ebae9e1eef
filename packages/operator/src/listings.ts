/** `farthing listings`: shows and blocks sellers' listings in the facilitator's database. */
import type { Listing, ServiceStore } from "@farthing/facilitator";
import { systemClock } from "@farthing/facilitator/operator";
import { formatUsdc, networkOfChain, type Address } from "@farthing/protocol";
import type { Command } from "commander";
import { addPrintFlags, type PrintFlags, printList } from "farthing/program";
import { addDatabaseCommand, readAccount, refuse, timeOf, withStore } from "./database.ts";

export function register(program: Command): void {
  const listings = addDatabaseCommand(program, "listings", "listed endpoints");
  addPrintFlags(listings.command("list"))
    .description("list an account's endpoints, the oldest first")
    .argument("<account>", "payout address, 0x… or xdc…", readAccount)
    .action((account: Address, flags: PrintFlags) =>
      withStore("listings", async (store) => {
        const rows = (await store.listListings(account)).map(describe);
        printList(rows, rows, `${account} has no listings.`, flags, {
          wide: ["checked", "network", "reason"],
          whole: ["id", "usdc"],
        });
      }),
    );
  for (const [name, isBlocked, what] of [
    ["block", true, "hide a listing and stop checking it"],
    ["unblock", false, "check a blocked listing again, and show it once the check passes"],
  ] as const) {
    listings
      .command(name)
      .description(what)
      .argument("<id>", "id of the listing, from `listings list`")
      .action((id: string) => withStore("listings", (store) => block(store, id, isBlocked)));
  }
}

async function block(store: ServiceStore, id: string, isBlocked: boolean): Promise<void> {
  const listing = await store.blockListing(id, isBlocked, systemClock.nowMs());
  const [now, not] = isBlocked ? ["is blocked", "unblocked"] : ["is checked again", "blocked"];
  if (listing) return console.error(`${listing.method} ${listing.resource} ${now}.`);
  refuse(`There is no ${not} listing ${id}. List them with: farthing listings list <account>`);
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
