/** Every method of the store, each called at least once, for tests that look at its statements. */
import { apothem, type Address } from "@farthing/protocol";
import type { ListingTerms } from "../../src/features/listings/model.ts";
import type { Session } from "../../src/features/sign-in/model.ts";
import type { WalletLease } from "@farthing/engine/source/model/relayer-transaction";
import { uncheckedAt } from "../../src/features/listings/rows.ts";
import {
  claimOf,
  fund,
  hex32,
  lane,
  next,
  otherLane,
  planOf,
  take,
} from "./store-values.testing.ts";
import { purchased, purchaseSteps } from "./purchase-values.testing.ts";
import { joinAccount } from "./member-scenario.testing.ts";
import { endpointOf, useEmails } from "./email-scenario.testing.ts";
import { recoverLost } from "./recovered-scenario.testing.ts";
import { refund } from "./refund-scenario.testing.ts";
import { readState } from "./state-scenario.testing.ts";
import { removeWhatIsOver } from "./removal-scenario.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** The account whose history is long. */
export const busySeller: Address = `0x${"33".repeat(20)}`;
/** The payer of most of its settlements, and one that has paid nothing before. */
export const busyPayer: Address = `0x${"44".repeat(20)}`;
const rarePayer: Address = `0x${"45".repeat(20)}`;
/** The webhook endpoint of its history, and another one, which cannot keep up with what is due. */
export const [busyEndpoint, swampedEndpoint] = ["whe_busy", "whe_swamped"] as const;
export const busyAmount = 10n;
export const dayMs = 24 * 60 * 60 * 1000;
/** The time of the scenario: the history lies before it. */
export const scenarioNow = 20_000 * dayMs;
const now = scenarioNow;
const { chainId } = apothem;

/** Methods that the scenario cannot call: they begin or end the store, or listen. */
export const notCalled: readonly string[] =
  "open isReadOnly describeServer checkNews close onChange".split(" ");

/** Calls every method. Works on an empty store and on one with a history, again and again. */
export async function runScenario(store: ServiceStore): Promise<void> {
  await prepareAccount(store);
  await settle(store);
  await repair(store);
  await recoverLost(store, { repeats: await claims(store), block: 9_500_000 + next(), now });
  await useLanes(store);
  await readHistory(store);
  await signIn(store);
  await useKeys(store);
  await buyCredits(store);
  await deliver(store);
  await list(store);
  await countExchanges(store);
  await readState(store, chainId);
}

async function prepareAccount(store: ServiceStore): Promise<void> {
  await store.ensureAccount(busySeller, 1);
  await fund(store, busySeller, 1_000);
  await store.findAccount(busySeller);
  await store.updateAccount(busySeller, { label: "busy", lowCreditsAt: 5 });
  await store.setPlan(busySeller, "active");
  await store.listAccounts({ from: busySeller, limit: 10 });
  const key = keyOf(`key${next()}`);
  await store.createApiKey(key);
}

function keyOf(id: string) {
  return {
    id,
    account: busySeller,
    mode: "test" as const,
    label: "",
    hash: id,
    lastFour: "last",
    createdAt: now,
    createdBy: null,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
  };
}

const gas = { budgetGwei: 1_000_000, plainGwei: 1, contractGwei: 10 };
const burned = { budgetGwei: 1_000_000_000, reserveGwei: 1 };

function keylessClaim() {
  return claimOf({
    payerCap: { units: 1_000_000_000_000n, windowMs: dayMs },
    keyless: { callerNetwork: "10.0.0.0", payerCountMax: 1_000_000, gas },
  });
}

/** Claims of each kind: with a key and a price, and without under every limit. */
async function claims(store: ServiceStore) {
  const key = keyOf(`key${next()}`);
  await store.createApiKey(key);
  const claimingCall = { caller: "c", idempotencyKey: "k", isUpfront: true, successWriter: null };
  const terms = { books: { resource: null, route: "rare", reference: "rare" } };
  const sale = { account: busySeller, keyId: key.id, price: 1, payer: rarePayer };
  const keyed = () => claimOf({ ...sale, claimingCall, terms });
  return [keyed(), keyed(), keyed(), keylessClaim(), keylessClaim(), keylessClaim()];
}

function minedAt(blockNumber: number) {
  const hash = hex32(next());
  const place = { transaction: hash, blockNumber, blockHash: hash, logIndex: 0 };
  return { ...place, settledBy: "relayer" as const };
}

async function settle(store: ServiceStore): Promise<void> {
  const made = await claims(store);
  await store.checkKeyless(made.slice(3), now);
  await store.noteKeyless(made.slice(3), now);
  await store.readKeylessGas(chainId, now);
  await store.hasRevertedGas([{ chainId, payer: rarePayer, terms: burned }], now);
  await store.readRevertedGas(chainId, now);
  await store.claimSettlements(made, now);
  const ids = made.map(({ id }) => id);
  await store.findSettlement(ids[0] ?? "");
  await store.findSettlementsByKey(made);
  await store.listNonces({ chainId, asset: apothem.usdc, payer: busyPayer }, 10);
  await store.listOpenSettlements(chainId);
  await store.listUnassigned({ chainId, olderThan: now + 1, limit: 10, isKeyed: true });
  await store.listUnassigned({ ids });
  await store.notify("sent", ids);
  await store.notify("unserved", ids);
  const lease = await leaseOf(store, lane);
  const plans = ids.map((id) => planOf(id));
  const sent = await store.reserveTransactions(lease, plans, now);
  const signed = sent.map(({ id }) => ({ id, raw: "0x00" as const, hash: hex32(next()) }));
  await store.recordSigned(lease, signed, now);
  await store.recordSent(sent, now);
  await store.isTransactionSent(ids[0] ?? "", hex32(next()));
  const [first, second, third, fourth, fifth, sixth] = ids.map(String);
  const block = 1_000_000 + next() * 10;
  await store.recordFailed([failureOf(third ?? ""), failureOf(sixth ?? "")], now);
  const outcomes = [first, second, third, fourth, fifth].map((id) => ({
    id: id ?? "",
    mined: minedAt(block),
  }));
  await store.recordConfirmed(outcomes, now);
  await store.closeTransactions(sent, "mined", block);
  await store.recordGas(signed.map(({ hash }) => ({ hash, gasUsed: 1, gasPrice: 1n })));
  await store.listUnfinalizedBlocks(chainId);
  await store.reopenTransactions(chainId, { fromBlock: block });
  await store.recordReorganised(chainId, block, now);
  await store.reopenTransactions(chainId, { settlementIds: ids });
  await store.recordConfirmed(outcomes, now);
  await store.recordFinalized(chainId, block, now);
  await store.listSignedHashes(ids);
  await store.watchFailedSince(chainId, now - 1_000, now);
  await store.takeFailuresToLookAt(chainId, 4, now + 60_000);
  await store.endFailureWatches(ids.map((id) => ({ id, validBefore: 1n })));
  await store.listCarryingWallets(chainId, now);
  await store.pruneKeyless(now, 10);
  await refund(store, { of: first ?? "", account: busySeller, now });
  await store.listOpenTransactions(chainId, lane);
  for (const one of sent) await store.closeNonce(one, block);
  await removeWhatIsOver(store, { account: busySeller, block, now });
  await store.isRelayerTransaction(hex32(1));
  await store.countMinedNonces(chainId, lane);
  await store.listCarriers({ id: first ?? "", createdAt: now });
  await store.closeTransactions(sent, "dropped");
}

function failureOf(id: string) {
  const code = "transaction_reverted" as const;
  return { id, code, message: "m", transaction: null, pausesPayer: true };
}

/** A lease above the nonces of the history. */
async function leaseOf(store: ServiceStore, wallet: Address): Promise<WalletLease> {
  const lease = await take(store, "one", { lane: wallet, nonceFloor: 1_000_000, now });
  if (!lease) throw new Error("the wallet is another process's");
  return lease;
}

/** What a replaced nonce, or a block that is gone, asks for. */
async function repair(store: ServiceStore): Promise<void> {
  const gasTerms = { payerHasCode: true, revertedGas: burned };
  const contract = claimOf({ account: busySeller, payer: rarePayer, ...gasTerms });
  await store.claimSettlements([contract], now);
  const lease = await leaseOf(store, lane);
  const plan = { ...planOf(contract.id), payerLimit: { payer: rarePayer, max: 1 } };
  const [unsigned] = await store.reserveTransactions(lease, [plan], now);
  await store.releaseUnsigned(lease, unsigned ? [unsigned.id] : [], now);
  const [one] = await store.reserveTransactions(lease, [plan], now);
  if (!one) throw new Error("nothing was reserved");
  await store.recordSigned(lease, [{ id: one.id, raw: "0x00", hash: hex32(next()) }], now);
  const other = await store.replaceTransaction(lease, one.nonce, planOf(contract.id), now);
  if (!other) throw new Error("none was mined at the nonce");
  await store.dropRepeats(lease, [{ id: other.id, hash: hex32(next()) }], now);
  await store.closeTransactions([one, other], "mined", 9_000_000);
  await store.reopenTransactions(chainId, { lane, fromNonce: one.nonce, upToBlock: 9_000_000 });
  await store.closeTransactions([one, other], "dropped");
  await store.requeueSettlements([contract.id], now, 9_000_000);
  await store.findRevertedTwice([contract.id]);
  await store.findPayerPauses(chainId, [rarePayer]);
  await store.findProvenPayers(chainId, [rarePayer], now);
  await store.recordFailed([failureOf(contract.id)], now);
}

async function useLanes(store: ServiceStore): Promise<void> {
  await store.registerOwner("one");
  await store.holdSearch(chainId);
  await store.releaseSearch(chainId);
  const lease = await leaseOf(store, otherLane);
  const times = { leaseMs: 60_000, now };
  await store.renewWalletLease(lease, "one", times);
  await store.findWalletHolders(chainId, [otherLane], now);
  await store.askForWallet(chainId, otherLane, { holder: "one", owner: "two" });
  await store.handOverWallet(lease, "one", { to: "two", ...times });
  await store.shortenLostLeases(chainId, { toMs: 1_000, now });
  for (const owner of ["one", "two"]) await store.releaseWallets(chainId, owner);
}

/** The history by each filter alone, by a narrowing one, and by time. */
async function readHistory(store: ServiceStore): Promise<void> {
  const filters = [
    {},
    { since: now - 5 * dayMs, before: now },
    { state: "failed" as const },
    { chainId: 50 as const },
    { payer: rarePayer },
    { keyId: "key_other" },
    { transaction: hex32(1) },
    ...(["resource", "route", "reference"] as const).map((name) => ({ [name]: "rare" })),
  ];
  for (const filter of filters) {
    const { next: from } = await store.listAccountSettlements(busySeller, filter, { limit: 2 });
    await store.listAccountSettlements(busySeller, filter, { limit: 2, from: from ?? undefined });
  }
  await store.listUsage(busySeller, { since: now - 30 * dayMs, before: now + dayMs, chainId });
  await store.sumUsage([busySeller], { since: now - 30 * dayMs, before: now + dayMs });
  await store.findCredits(busySeller);
  await store.listCreditEntries(busySeller, { limit: 5 });
  await store.auditCredits(5);
}

async function signIn(store: ServiceStore): Promise<void> {
  const id = `sir_${next()}`;
  const times = { createdAt: now, expiresAt: now + 1_000 };
  const texts = { message: "m", binding: "b", details: "{}" };
  const purpose = "sign_in" as const;
  await store.createSignRequest({
    id,
    purpose,
    address: busySeller,
    chainId,
    account: null,
    ...texts,
    ...times,
  });
  await store.takeSignRequest(id);
  const wallet: Address = `0x${next().toString(16).padStart(40, "0")}`;
  await joinAccount(store, { account: busySeller, wallet, now });
  await store.findWallet(busySeller, wallet);
  await store.listWallets(busySeller);
  await store.listAccountsOf(wallet, 5);
  const session: Session = {
    id: `ses_${next()}`,
    account: busySeller,
    wallet,
    walletKind: "plain",
    chainId,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + 1_000,
  };
  await store.openSession(session, { idHash: session.id, runningMax: 100 });
  await store.findSession(session.id, now);
  await store.touchSession(session.id, now);
  await store.listSessions(busySeller, { now, seenSince: 0 });
  await store.revokeSession({ account: busySeller }, session.id, now);
  await store.revokeSessions({ account: busySeller, wallet }, { now });
  await store.unlinkWallet(busySeller, wallet, { now, by: busySeller });
}

async function useKeys(store: ServiceStore): Promise<void> {
  const [old, fresh] = [keyOf(`key${next()}`), keyOf(`key${next()}`)];
  await store.mintApiKey(old, { workingMax: 1_000, now });
  await store.rotateApiKey(old.id, fresh, { endsAt: now + 1, now, workingMax: 1_000 });
  await store.countWorkingKeys(busySeller, now);
  await store.findApiKey(fresh.id);
  await store.touchApiKey(fresh.id, now);
  await store.revokeApiKey(fresh.id, now, busySeller);
  await store.listApiKeys(busySeller);
}

async function buyCredits(store: ServiceStore): Promise<void> {
  const payment = { payer: rarePayer, nonce: hex32(next()) };
  const id = await purchased(store, { account: busySeller, createdAt: now, ...payment });
  await store.findPurchaseByPayment({ chainId, ...payment });
  await store.addPaidKey(id, keyOf(`key${next()}`), { workingMax: 1_000, now });
  await store.movePurchase(id, "awaiting_payment", purchaseSteps.settling(0), now);
  await store.movePurchase(id, "settling", purchaseSteps.confirmed(next()), now);
  await store.movePurchase(id, "confirmed", { to: "credited" }, now);
  await store.findPurchase(id, busySeller);
  await store.listPurchases(busySeller, { limit: 5 });
  await store.listPurchasesIn("held", { from: { at: 1, id: "" }, limit: 5 });
  await store.listPurchasesIn("settling", { limit: 5 });
  await store.listExpiredPurchases("awaiting_payment", now, { limit: 5 });
  await store.listPaidAfterFailure({ from: { at: now - 30 * dayMs, id: "" }, limit: 5 });
  await store.sumPurchases(busySeller, now - 1_000);
}

async function deliver(store: ServiceStore): Promise<void> {
  const endpoint = endpointOf(busySeller, "webhook", now);
  await store.createWebhook(endpoint, { endpointsMax: 1_000 });
  await store.listWebhooks(busySeller);
  await store.findWebhook(busySeller, endpoint.id);
  if (!(await store.findWebhook(busySeller, busyEndpoint))) {
    await store.createWebhook({ ...endpoint, id: busyEndpoint }, { endpointsMax: 1_000 });
  }
  const whose = { endpointId: busyEndpoint, account: busySeller, createdAt: now };
  const delivery = { ...whose, type: "webhook.test", body: "{}" } as const;
  const ids = [`evt_${next()}`, `evt_${next()}`];
  for (const id of ids) await store.addDelivery({ ...delivery, id });
  const due = { now, leaseMs: 1_000, exceptEndpoints: [endpoint.id, swampedEndpoint] };
  await store.takeDueDeliveries({ ...due, limit: 4 });
  const end = { isDelivered: true, status: 200, error: null, retryAt: null };
  for (const id of ids) await store.recordAttempt(id, end, now);
  await store.resendDelivery(busyEndpoint, ids[0] ?? "", now);
  await store.recordAttempt(ids[0] ?? "", end, now);
  await store.listDeliveries(busyEndpoint, { limit: 5 });
  await store.pauseWebhook(busyEndpoint, { quietMs: dayMs, failuresMin: 5, now });
  await store.pauseWebhook(endpoint.id, { quietMs: 0, failuresMin: 5, now: now + 1 });
  await store.changeWebhook(busySeller, endpoint.id, { isPaused: true, now });
  await store.disableWebhook(busySeller, endpoint.id, now);
  await store.removeDeliveries(now - 390 * dayMs, 5, () => Promise.resolve());
  await useEmails(store, { account: busySeller, now });
}

async function list(store: ServiceStore): Promise<void> {
  const id = `lst_${next()}`;
  const terms: ListingTerms = {
    resource: `https://shop.example/r${next()}`,
    method: "GET",
    chainId,
    sample: {},
    amount: busyAmount,
    title: "Weather",
    description: "Rain",
    tags: ["w"],
    mimeType: null,
  };
  const listing = { ...terms, id, account: busySeller, createdAt: now };
  await store.createListing(listing, { listingsMax: 50 });
  await store.findListing(id, busySeller);
  await store.listListings(busySeller);
  await store.findListingOf(busySeller, terms);
  await store.changeListing(busySeller, id, { ...terms, title: "Snow" }, now);
  await store.takeDueListings({ now, leaseMs: 1, limit: 2, exceptHosts: ["other.example"] });
  const taken = await store.takeListing(busySeller, id, { now: now + 2, leaseMs: 1_000 });
  if (typeof taken !== "object") throw new Error("the listing was not taken");
  const stats = await store.readListingStats(
    busySeller,
    { chainId, amount: busyAmount },
    now - 30 * dayMs,
  );
  await store.forgetSales(now - 390 * dayMs, 5);
  const seen = { at: 1, x402Version: 2 as const, accepts: [], bazaar: null };
  await store.recordListingCheck(id, taken.fence, {
    check: { ...uncheckedAt(now + dayMs), state: "live" },
    seen: { ...seen, description: null, mimeType: null },
    stats,
  });
  const types = [{ type: "http" as const }, { type: "mcp" as const }];
  for (const filter of [{}, { chainId }, { payTo: busySeller }, { hasBazaar: true }, ...types]) {
    await store.listPublicListings(filter, { limit: 5, offset: 5 });
    await store.searchPublicListings(["weather"], filter, 5);
    await store.searchPublicListings(["snow"], filter, 5);
  }
  await store.searchPublicListings([], { maxUnits: busyAmount }, 5);
  await store.blockListing(id, true, now);
  await store.removeListing(busySeller, id);
}

async function countExchanges(store: ServiceStore): Promise<void> {
  const [known, fresh] = [claimOf(), claimOf()];
  await store.claimSettlements([known], now);
  const [first, again] = [known, fresh].map((claim) => ({ ...claim, forgetAt: now + 1_000 }));
  if (!first || !again) return;
  await store.openExchanges([first, again, again], now);
  await store.cancelExchanges([fresh]);
  const settlement = await store.findSettlement(known.id);
  if (!settlement) throw new Error("the settlement is not there");
  await store.findExchangeFacts([{ settlement, caller: "c", idempotencyKey: null }]);
  const report = { settlementId: known.id, writer: "w" };
  await store.takeSuccess([report], now);
  await store.releaseSuccess([report], now);
  await store.openExchanges([again], now);
  await store.forgetExpired(now + 2_000, 4);
  await store.recordFailed([failureOf(known.id)], now);
}
