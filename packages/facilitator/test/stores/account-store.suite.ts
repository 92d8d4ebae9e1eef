/** What every store promises about accounts: who may sign in, with which keys, and what is theirs. */
import type { Address } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import type { SignRequest } from "../../src/features/sign-in/model.ts";
import type { ApiKey } from "../../src/features/api-keys/model.ts";
import { linkOf, open, outsider, seller, sessionOf, wallet } from "./account-values.testing.ts";
import { storeForEach } from "./store-benches.testing.ts";
import { next, type StoreBench } from "./store-values.testing.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** The tests, on databases that `start` makes. */
export function accountSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);
  const storeNow = () => at().store;

  describe("accounts", () => accountTests(storeNow));
  describe("sign requests", () => signTests(storeNow));
  describe("sessions", () => sessionTests(storeNow));
  describe("wallets", () => walletTests(storeNow));
  describe("minted keys", () => keyTests(storeNow));
}

function accountTests(at: () => ServiceStore): void {
  test("are made once, and keep what they are given", async () => {
    const store = at();
    expect(await store.findAccount(seller)).toBeUndefined();
    expect(await store.updateAccount(seller, { label: "x" })).toBeUndefined();
    expect(await store.setPlan(seller, "inactive")).toBeUndefined();
    const made = await Promise.all([
      store.ensureAccount(seller, 5),
      store.ensureAccount(seller, 6),
    ]);
    const account = {
      address: seller,
      plan: "active",
      label: "",
      lowCreditsAt: null,
      contractChainId: null,
      createdAt: 5,
    };
    expect(made).toEqual([account, account]);
    await store.updateAccount(seller, { label: "Shop", lowCreditsAt: 100 });
    expect(await store.updateAccount(seller, {})).toEqual({
      ...account,
      label: "Shop",
      lowCreditsAt: 100,
    });
    await store.updateAccount(seller, { lowCreditsAt: null });
    await store.setPlan(seller, "inactive");
    expect(await store.findAccount(seller)).toEqual({
      ...account,
      label: "Shop",
      plan: "inactive",
    });
  });

  test("are listed by address, in pages", async () => {
    const store = at();
    for (const address of [outsider, seller, wallet]) await store.ensureAccount(address, 1);
    const first = await store.listAccounts({ limit: 2 });
    expect(first.items.map(({ address }) => address)).toEqual([seller, wallet]);
    const rest = await store.listAccounts({ from: first.next ?? undefined, limit: 2 });
    expect(rest.items.map(({ address }) => address)).toEqual([outsider]);
    expect(rest.next).toBeNull();
  });
}

function requestOf(changes: Partial<SignRequest> = {}): SignRequest {
  return {
    id: `req_${next()}`,
    purpose: "sign_in",
    address: seller,
    chainId: 51,
    account: null,
    message: "sign\nthis: ü",
    binding: "hash",
    details: "{}",
    createdAt: 1_000,
    expiresAt: 2_000,
    ...changes,
  };
}

function signTests(at: () => ServiceStore): void {
  test("are answered once, also by many at once", async () => {
    const store = at();
    const request = requestOf({ account: wallet, purpose: "link_wallet" });
    await store.createSignRequest(request);
    const taken = await Promise.all(
      Array.from({ length: 10 }, () => store.takeSignRequest(request.id)),
    );
    expect(taken.filter((found) => found !== undefined)).toEqual([request]);
    expect(await store.takeSignRequest(request.id)).toBeUndefined();
  });

  test("that expired go when another one comes", async () => {
    const store = at();
    const [old, current] = [requestOf(), requestOf({ createdAt: 2_000, expiresAt: 3_000 })];
    await store.createSignRequest(old);
    await store.createSignRequest(current);
    expect(await store.takeSignRequest(old.id)).toBeUndefined();
    expect(await store.takeSignRequest(current.id)).toEqual(current);
  });
}

function sessionTests(at: () => ServiceStore): void {
  test("of an account's own address make the account, and are found until their end", async () => {
    const store = at();
    const session = sessionOf();
    expect(await open(store, session)).toBe("opened");
    expect(await store.findAccount(seller)).toMatchObject({ createdAt: 1_000 });
    const hash = `hash-${session.id}`;
    expect(await store.findSession(hash, 8_999)).toEqual({ ...session, role: "owner" });
    expect(await store.findSession(hash, 9_000)).toBeUndefined();
    expect(await store.findSession(session.id, 1_000)).toBeUndefined();
    await store.touchSession(session.id, 4_000);
    expect(await store.listSessions(seller, { now: 5_000, seenSince: 4_000 })).toEqual([
      { ...session, lastSeenAt: 4_000 },
    ]);
    expect(await store.listSessions(seller, { now: 5_000, seenSince: 4_001 })).toEqual([]);
  });

  test("of another wallet need its link, of the same kind and chain", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    const plain = sessionOf({ wallet });
    const contract = sessionOf({ wallet: outsider, walletKind: "contract" });
    expect(await open(store, plain)).toBe("not_linked");
    expect(await open(store, contract)).toBe("not_linked");
    await store.linkWallet(linkOf(wallet), { walletsMax: 5 });
    await store.linkWallet(linkOf(outsider, { kind: "contract", chainId: 51 }), { walletsMax: 5 });
    expect(await open(store, { ...plain, walletKind: "contract" })).toBe("not_linked");
    expect(await open(store, { ...contract, chainId: 50 })).toBe("not_linked");
    expect(await open(store, plain)).toBe("opened");
    expect(await open(store, contract)).toBe("opened");
  });

  test("of a contract are its owner's on the chain where it signed in first", async () => {
    const store = at();
    const contract = { walletKind: "contract" } as const;
    expect(await open(store, sessionOf(contract))).toBe("opened");
    expect(await open(store, sessionOf({ ...contract, chainId: 50 }))).toBe("other_chain");
    expect(await open(store, sessionOf(contract))).toBe("opened");
    expect(await store.findAccount(seller)).toMatchObject({ contractChainId: 51 });
  });

  test("run as many at once as may", async () => {
    const store = at();
    const results = await Promise.all(Array.from({ length: 6 }, () => open(store, sessionOf(), 4)));
    expect(results.filter((result) => result === "opened")).toHaveLength(4);
    expect(results.filter((result) => result === "too_many")).toHaveLength(2);
    // Ended ones do not count.
    const later = sessionOf({ createdAt: 9_000, expiresAt: 19_000 });
    expect(await open(store, later, 4)).toBe("opened");
  });

  test("are ended one by one, or all but one", async () => {
    const store = at();
    const [one, two, three] = [sessionOf(), sessionOf(), sessionOf()];
    for (const session of [one, two, three]) await open(store, session);
    expect(await store.revokeSession({ account: outsider }, one.id, 2_000)).toBe(false);
    expect(await store.revokeSession({ account: seller }, one.id, 2_000)).toBe(true);
    expect(await store.revokeSession({ account: seller }, one.id, 2_000)).toBe(false);
    expect(await store.findSession(`hash-${one.id}`, 2_000)).toBeUndefined();
    expect(await store.revokeSessions({ account: seller }, { exceptId: two.id, now: 2_000 })).toBe(
      1,
    );
    const left = await store.listSessions(seller, { now: 2_000, seenSince: 0 });
    expect(left.map(({ id }) => id)).toEqual([two.id]);
    expect(await store.revokeSessions({ account: seller }, { now: 2_000 })).toBe(1);
  });
}

function walletTests(at: () => ServiceStore): void {
  test("are linked once, as many as may", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    const link = (address: Address) => store.linkWallet(linkOf(address), { walletsMax: 2 });
    expect(await Promise.all([link(wallet), link(wallet)])).toEqual(
      expect.arrayContaining(["linked", "known"]),
    );
    const third: Address = `0x${"66".repeat(20)}`;
    expect(await Promise.all([link(outsider), link(third)])).toEqual(
      expect.arrayContaining(["linked", "too_many"]),
    );
    expect(await store.findWallet(seller, wallet)).toEqual(linkOf(wallet));
    expect(await store.listWallets(seller)).toHaveLength(2);
    expect(await store.listAccountsOf(wallet, 5)).toEqual([linkOf(wallet)]);
  });

  test("that are unlinked take their sessions with them", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    await store.linkWallet(linkOf(wallet), { walletsMax: 2 });
    const [own, linked] = [sessionOf(), sessionOf({ wallet })];
    await open(store, own);
    await open(store, linked);
    expect(await store.unlinkWallet(seller, outsider, { now: 2_000, by: seller })).toBe(false);
    expect(await store.unlinkWallet(seller, wallet, { now: 2_000, by: seller })).toBe(true);
    expect(await store.findSession(`hash-${linked.id}`, 2_000)).toBeUndefined();
    expect(await store.findSession(`hash-${own.id}`, 2_000)).toEqual({ ...own, role: "owner" });
    expect(await open(store, sessionOf({ wallet }))).toBe("not_linked");
  });

  test("a session opened while its wallet is unlinked does not stay", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    for (let round = 0; round < 5; round++) {
      await store.linkWallet(linkOf(wallet), { walletsMax: 2 });
      const session = sessionOf({ wallet });
      await Promise.all([
        open(store, session),
        store.unlinkWallet(seller, wallet, { now: 2_000, by: seller }),
      ]);
      expect(await store.findSession(`hash-${session.id}`, 2_000)).toBeUndefined();
    }
  });
}

function keyOf(changes: Partial<ApiKey> = {}): ApiKey {
  return {
    id: `key${String(next()).padStart(9, "0")}`,
    account: seller,
    mode: "test",
    label: "",
    hash: "hash",
    lastFour: "last",
    createdAt: 1_000,
    createdBy: null,
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    ...changes,
  };
}

function keyTests(at: () => ServiceStore): void {
  test("are as many as may work at once", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    const mint = (key: ApiKey) => store.mintApiKey(key, { workingMax: 2, now: 1_000 });
    const keys = [keyOf(), keyOf(), keyOf()];
    const minted = await Promise.all(keys.map(mint));
    expect(minted.filter(Boolean)).toHaveLength(2);
    // What does not work any more makes room.
    const [first] = await store.listApiKeys(seller);
    await store.revokeApiKey(String(first?.id), 1_000);
    expect(await mint(keyOf({ expiresAt: 1_500 }))).toBe(true);
    expect(await mint(keyOf())).toBe(false);
    expect(await store.mintApiKey(keyOf(), { workingMax: 2, now: 1_500 })).toBe(true);
  });

  test("are found, listed by account and marked when used", async () => {
    const store = at();
    const [one, two] = [keyOf(), keyOf({ account: outsider })];
    for (const key of [one, two]) await store.createApiKey(key);
    await store.touchApiKey(one.id, 9);
    expect(await store.listApiKeys(seller)).toEqual([{ ...one, lastUsedAt: 9 }]);
    expect(await store.listApiKeys()).toHaveLength(2);
    expect(await store.findApiKey(one.id)).toEqual({ ...one, lastUsedAt: 9 });
    expect(await store.findApiKey("nowhere")).toBeUndefined();
  });

  test("are revoked by their own account only", async () => {
    const store = at();
    const key = keyOf();
    await store.createApiKey(key);
    expect(await store.revokeApiKey(key.id, 5, outsider)).toBe(false);
    expect(await store.revokeApiKey(key.id, 5, seller)).toBe(true);
  });

  test("are rotated: the old one ends at the given time, or earlier if it would anyway", async () => {
    const store = at();
    const [lasting, ending] = [keyOf(), keyOf({ expiresAt: 3_000 })];
    for (const key of [lasting, ending]) await store.createApiKey(key);
    const times = { endsAt: 5_000, now: 2_000, workingMax: 9 };
    const fresh = keyOf();
    expect(await store.rotateApiKey(lasting.id, fresh, times)).toBe("rotated");
    expect(await store.rotateApiKey(ending.id, keyOf(), times)).toBe("rotated");
    expect(await store.findApiKey(lasting.id)).toMatchObject({ expiresAt: 5_000 });
    expect(await store.findApiKey(ending.id)).toMatchObject({ expiresAt: 3_000 });
    expect(await store.findApiKey(fresh.id)).toEqual(fresh);
    // Its end is the overlap's now: another successor would take that for the length of its life.
    expect(await store.rotateApiKey(lasting.id, keyOf(), times)).toBe("ended");
    expect(await store.rotateApiKey(fresh.id, keyOf(), times)).toBe("rotated");
  });

  test("are rotated as long as not too many work, and without an overlap always", async () => {
    const store = at();
    const [first, second, third] = [keyOf(), keyOf(), keyOf()];
    await store.createApiKey(first);
    const overlapping = { endsAt: 5_000, now: 2_000, workingMax: 2 };
    expect(await store.rotateApiKey(first.id, second, overlapping)).toBe("rotated");
    expect(await store.rotateApiKey(second.id, third, overlapping)).toBe("too_many");
    expect(await store.findApiKey(second.id)).toEqual(second);
    expect(await store.findApiKey(third.id)).toBeUndefined();
    const atOnce = { ...overlapping, endsAt: 2_000 };
    expect(await store.rotateApiKey(second.id, third, atOnce)).toBe("rotated");
    // Once the first one has ended there is room again.
    const later = { endsAt: 9_000, now: 5_000, workingMax: 2 };
    expect(await store.rotateApiKey(third.id, keyOf(), later)).toBe("rotated");
  });

  test("are not rotated once they do not work, nor by others; then nothing is added", async () => {
    const store = at();
    const [revoked, expired, theirs] = [keyOf(), keyOf({ expiresAt: 2_000 }), keyOf()];
    for (const key of [revoked, expired, theirs]) await store.createApiKey(key);
    await store.revokeApiKey(revoked.id, 1_500);
    await store.ensureAccount(outsider, 1);
    const times = { endsAt: 5_000, now: 2_000, workingMax: 9 };
    expect(await store.rotateApiKey(revoked.id, keyOf(), times)).toBe("ended");
    expect(await store.rotateApiKey(expired.id, keyOf(), times)).toBe("ended");
    const stolen = keyOf({ account: outsider });
    expect(await store.rotateApiKey(theirs.id, stolen, times)).toBe("ended");
    expect(await store.listApiKeys()).toHaveLength(3);
  });
}
