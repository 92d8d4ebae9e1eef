/**
 * `farthing credits`: sellers' credits, straight in the facilitator's database. For the operator:
 * who grants, approves or rejects stands in the ledger.
 */
import type { CreditPurchase, ServiceStore } from "@farthing/facilitator";
import { formatUsdc, networkOfChain, type Address } from "@farthing/protocol";
import { InvalidArgumentError, type Command } from "commander";
import {
  addPrintFlags,
  exitCodes,
  isJsonWanted,
  type PrintFlags,
  printList,
} from "farthing/program";
import { operatorName, readAccount, readNote, timeOf, withStore } from "./database.ts";

/** Purchases shown at once; who has more waiting decides about some first. */
const reviewedMax = 500;

/** Differences shown by an audit: enough to see what kind they are. */
const problemsMax = 100;

/** Credits granted at once; with whole numbers the ledger stays exact far beyond it. */
const creditsMax = 1_000_000_000;

interface NoteFlags {
  readonly note: string;
}

/** Adds the subcommand. */
export function register(program: Command): void {
  const credits = program
    .command("credits")
    .description(
      "Manages sellers' credits in the database of DATABASE_URL (or of FARTHING_CONFIG), also while the facilitator runs.",
    );
  registerReview(credits);
  for (const [name, sign, what] of [
    ["grant", 1, "give an account credits"],
    ["take", -1, "take credits from an account, down to none"],
  ] as const) {
    credits
      .command(name)
      .description(what)
      .argument("<account>", "payout address, 0x… or xdc…", readAccount)
      .argument("<credits>", "how many, a whole number", readCredits)
      .requiredOption("--note <text>", "why; its owner sees it in the ledger", readNote)
      .action((account: Address, count: number, { note }: NoteFlags) =>
        withStore("credits", (store) => change(store, account, sign * count, note)),
      );
  }
  addPrintFlags(
    credits
      .command("balance")
      .description("show what an account has")
      .argument("<account>", "payout address, 0x… or xdc…", readAccount),
  ).action((account: Address, flags: PrintFlags) =>
    withStore("credits", (store) => balance(store, account, flags)),
  );
  credits
    .command("audit")
    .description("compare balances with the ledger, and the ledger with settlements")
    .action(() => withStore("credits", audit));
}

function registerReview(credits: Command): void {
  addPrintFlags(
    credits
      .command("review")
      .description("list purchases that wait for a decision, the oldest first"),
  ).action((flags: PrintFlags) =>
    withStore("credits", async (store) => {
      const held = await store.listPurchasesIn("held", { limit: reviewedMax });
      const rows = held.items.map(describe);
      printList(rows, rows, "No purchase waits for a decision.", flags);
    }),
  );
  for (const [name, to, what] of [
    ["approve", "credited", "credit a purchase that waits"],
    ["reject", "rejected", "refuse a purchase that waits; its payment is not sent back by this"],
  ] as const) {
    credits
      .command(name)
      .description(what)
      .argument("<id>", "of the purchase, as `credits review` shows it")
      .requiredOption("--note <text>", "why; kept with the purchase", readNote)
      .action((id: string, { note }: NoteFlags) =>
        withStore("credits", (store) => decide(store, id, to, note)),
      );
  }
}

async function decide(
  store: ServiceStore,
  id: string,
  to: "credited" | "rejected",
  reviewNote: string,
): Promise<void> {
  const { systemClock } = await import("@farthing/facilitator/operator");
  const move = { to, reviewer: operatorName(), reviewNote };
  const purchase = await store.movePurchase(id, "held", move, systemClock.nowMs());
  if (purchase) {
    const { account, credits } = purchase;
    return console.error(
      to === "credited"
        ? `Purchase ${id} is approved: ${credits} credits for ${account}.`
        : `Purchase ${id} of ${account} is rejected; no credits were given.`,
    );
  }
  const found = await store.findPurchase(id);
  console.error(
    found
      ? `Purchase ${id} waits for no decision: it is ${found.state}.`
      : `There is no purchase ${id}; see: farthing credits review`,
  );
  process.exitCode = exitCodes.notFound;
}

async function change(store: ServiceStore, account: Address, credits: number, note: string) {
  const { systemClock } = await import("@farthing/facilitator/operator");
  const kind = credits > 0 ? "grant" : "adjustment";
  const grant = { account, kind, credits, actor: operatorName(), note } as const;
  const after = await store.grantCredits(grant, systemClock.nowMs());
  if (after) return console.error(`${account} has ${after.available} credits now.`);
  const { available } = await store.findCredits(account);
  console.error(`${account} has only ${available} credits; nothing was taken.`);
  process.exitCode = exitCodes.general;
}

async function balance(store: ServiceStore, account: Address, flags: PrintFlags): Promise<void> {
  const found = await store.findAccount(account);
  if (!found) {
    console.error(`There is no account ${account}; see: farthing accounts list`);
    process.exitCode = exitCodes.notFound;
    return;
  }
  const { available, held } = await store.findCredits(account);
  if (isJsonWanted(flags)) return console.log(JSON.stringify({ account, available, held }));
  console.log(`${available} credits available, ${held} held for settlements under way`);
}

async function audit(store: ServiceStore): Promise<void> {
  const problems = await store.auditCredits(problemsMax);
  if (problems.length === 0) return console.error("The books agree.");
  for (const { kind, of } of problems) console.log(`${kind} ${of}`);
  console.error("The books do not agree; keep a copy of the database and ask for help.");
  process.exitCode = exitCodes.general;
}

/** What an operator decides by. */
function describe(purchase: CreditPurchase) {
  const network = networkOfChain(purchase.chainId);
  return {
    id: purchase.id,
    account: purchase.account,
    credits: purchase.credits,
    usdc: formatUsdc(purchase.units),
    reason: purchase.holdReason,
    payer: purchase.payer,
    network: network.id,
    transaction: purchase.transaction,
    created: timeOf(purchase.createdAt),
  };
}

function readCredits(text: string): number {
  const credits = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (credits <= creditsMax) return credits;
  throw new InvalidArgumentError(`Give a whole number, 1 to ${creditsMax}.`);
}
