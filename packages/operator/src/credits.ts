/** `farthing credits`: manages sellers' credits in the facilitator's database. */
import type { CreditPurchase, ServiceStore } from "@farthing/facilitator";
import { systemClock } from "@farthing/facilitator/operator";
import { formatUsdc, networkOfChain, type Address } from "@farthing/protocol";
import { InvalidArgumentError, type Command } from "commander";
import {
  addPrintFlags,
  exitCodes,
  isJsonWanted,
  type PrintFlags,
  printList,
} from "farthing/program";
import {
  addDatabaseCommand,
  noAccount,
  operatorName,
  readAccount,
  readNote,
  refuse,
  timeOf,
  withStore,
} from "./database.ts";

/** More purchases are shown once some of these are decided. */
const reviewedMax = 500;

/** Enough differences to see of what kind they are. */
const problemsMax = 100;

/** Most credits of one grant; whole numbers stay exact far beyond it. */
const creditsMax = 1_000_000_000;

interface NoteFlags {
  readonly note: string;
}

export function register(program: Command): void {
  const credits = addDatabaseCommand(program, "credits", "sellers' credits");
  registerReview(credits);
  for (const [name, sign, what] of [
    ["grant", 1, "grant credits to an account"],
    ["take", -1, "take credits from an account, at most its balance"],
  ] as const) {
    credits
      .command(name)
      .description(what)
      .argument("<account>", "payout address, 0x… or xdc…", readAccount)
      .argument("<credits>", "a whole number of credits", readCredits)
      .requiredOption(
        "--note <text>",
        "reason; the account's owner sees it in the ledger",
        readNote,
      )
      .action((account: Address, count: number, { note }: NoteFlags) =>
        withStore("credits", (store) => change(store, account, sign * count, note)),
      );
  }
  addPrintFlags(credits.command("balance"))
    .description("show the balance of an account")
    .argument("<account>", "payout address, 0x… or xdc…", readAccount)
    .action((account: Address, flags: PrintFlags) =>
      withStore("credits", (store) => balance(store, account, flags)),
    );
  credits
    .command("audit")
    .description("compare balances with the ledger, and the ledger with settlements")
    .action(() => withStore("credits", audit));
}

function registerReview(credits: Command): void {
  addPrintFlags(credits.command("review"))
    .description("list purchases that await a decision, the oldest first")
    .action((flags: PrintFlags) =>
      withStore("credits", async (store) => {
        const held = await store.listPurchasesIn("held", { limit: reviewedMax });
        const rows = held.items.map(describe);
        printList(rows, rows, "No purchases await a decision.", flags, {
          wide: ["payer", "transaction", "network", "usdc"],
          whole: ["id", "credits"],
        });
      }),
    );
  for (const [name, to, what] of [
    ["approve", "credited", "credit a purchase that awaits a decision"],
    ["reject", "rejected", "reject a purchase that awaits a decision; its payment is not refunded"],
  ] as const) {
    credits
      .command(name)
      .description(what)
      .argument("<id>", "id of the purchase, from `credits review`")
      .requiredOption("--note <text>", "reason; stored with the purchase", readNote)
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
  const move = { to, reviewer: operatorName(), reviewNote };
  const purchase = await store.movePurchase(id, "held", move, systemClock.nowMs());
  if (purchase) {
    const { account, credits } = purchase;
    return console.error(
      to === "credited"
        ? `Purchase ${id} approved: ${credits} credits added to ${account}.`
        : `Purchase ${id} of ${account} rejected. No credits were added.`,
    );
  }
  const found = await store.findPurchase(id);
  refuse(
    found
      ? `Purchase ${id} does not await a decision: it is ${found.state}.`
      : `There is no purchase ${id}. List them with: farthing credits review`,
  );
}

async function change(store: ServiceStore, account: Address, credits: number, note: string) {
  const kind = credits > 0 ? "grant" : "adjustment";
  const grant = { account, kind, credits, actor: operatorName(), note } as const;
  const after = await store.grantCredits(grant, systemClock.nowMs());
  if (after) return console.error(`${account} now has ${after.available} credits.`);
  const { available } = await store.findCredits(account);
  refuse(`${account} has only ${available} credits. Nothing was taken.`, exitCodes.general);
}

async function balance(store: ServiceStore, account: Address, flags: PrintFlags): Promise<void> {
  if (!(await store.findAccount(account))) return refuse(noAccount(account));
  const { available, held } = await store.findCredits(account);
  if (isJsonWanted(flags)) return console.log(JSON.stringify({ account, available, held }));
  console.log(`${available} credits available, ${held} held for settlements in progress`);
}

async function audit(store: ServiceStore): Promise<void> {
  const problems = await store.auditCredits(problemsMax);
  if (problems.length === 0) return console.error("No discrepancies found.");
  for (const { kind, of } of problems) console.log(`${kind} ${of}`);
  refuse("Discrepancies found. Back up the database and report them.", exitCodes.general);
}

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
  throw new InvalidArgumentError(`Use a whole number, 1 to ${creditsMax}.`);
}
