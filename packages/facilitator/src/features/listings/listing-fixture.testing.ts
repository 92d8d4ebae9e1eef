/** A facilitator on a devnet with a seller over HTTPS whose endpoints are listed. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import { isObject, type JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import { openSignedIn, type Browser } from "../../../test/support/browser.testing.ts";
import { createAuthority, type TestAuthority } from "../../../test/support/certificates.testing.ts";
import {
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  type Served,
  type SteeredClock,
} from "../../../test/support/facilitator.testing.ts";
import {
  challengeOf,
  charging,
  openHttpsSeller,
  saying,
  type Answerer,
  type HttpsSeller,
  type Terms,
} from "../../../test/support/https-seller.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

/** Where listings are in the account API. */
export const listingsPath = "/v1/account/listings";

/** What tests of listings work with. */
export interface ListingFixture {
  readonly devnet: Devnet;
  readonly served: Served;
  readonly store: ServiceStore;
  readonly authority: TestAuthority;
  readonly clock: SteeredClock;
  /** Whom the listings are of. */
  readonly seller: Browser;
  readonly shop: HttpsSeller;
  /** Answers as a seller in order, with changes. */
  inOrder(changes?: Partial<Terms>): Answerer;
  /** A listing that may be made, of an endpoint of its own. */
  inputOf(changes?: JsonObject): JsonObject;
  create(changes?: JsonObject): Promise<JsonObject>;
  /** One that a check has found in order. */
  createLive(changes?: JsonObject): Promise<JsonObject>;
  read(listing: JsonObject): Promise<JsonObject>;
  recheck(listing: JsonObject): Promise<JsonObject>;
  /** The same for a new one, as soon as its first check, which begins by itself, is over. */
  recheckWhenFree(listing: JsonObject): Promise<JsonObject>;
  /** What the public sees of it. */
  shown(listing: JsonObject): Promise<JsonObject[]>;
  /** No listings, nothing asked, a seller in order. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** Opens it. Whatever the facilitator answers from then on is as /openapi.json describes it. */
export async function openListingFixture(): Promise<ListingFixture> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "farthing-listings-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  const authority = createAuthority();
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.cert);
  const devnet = await startChain();
  stack.defer(() => devnet.stop());
  const clock = createSteeredClock();
  const served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: {
      FARTHING_LISTING_LOCAL: "yes",
      FARTHING_OUTBOUND_CA_FILE: caFile,
      FARTHING_CONTACT: "ops@pay.example",
      FARTHING_HEAD_AGE_MAX: "0",
    },
  });
  stack.defer(() => served.stop());
  const store = await openStore(served.databaseUrl);
  stack.defer(() => store.close());
  const seller = await openSignedIn(served, { wallet: devnet.seller });
  const shop = await openHttpsSeller(authority.identify(), saying(404));
  stack.defer(() => shop.close());
  stack.defer(holdAnswers(served.url, await readContract(served.url)));
  const parts = { devnet, served, store, authority, clock, seller, shop };
  return { ...parts, ...stepsOf(parts), stop: () => stack.disposeAsync() };
}

const placeOf = (listing: JsonObject) => `${listingsPath}/${textAt(listing, "id")}`;

type Parts = Pick<ListingFixture, "devnet" | "served" | "seller" | "shop">;

function stepsOf({ devnet, served, seller, shop }: Parts) {
  let places = 0;

  function inOrder(changes: Partial<Terms> = {}): Answerer {
    const payTo = devnet.seller.address;
    return (response, asked) => {
      const url = `${shop.origin}${asked.url}`;
      charging(challengeOf({ url, payTo, ...changes }))(response, asked);
    };
  }

  function inputOf(changes: JsonObject = {}): JsonObject {
    return {
      resource: `${shop.origin}/r${++places}`,
      method: "GET",
      network: "eip155:51",
      amount: "10000",
      title: `Report ${places}`,
      description: "One report of the weather",
      tags: ["weather"],
      mimeType: "application/json",
      ...changes,
    };
  }

  const read = async (listing: JsonObject) => (await seller.get(placeOf(listing))).body;

  async function create(changes: JsonObject = {}): Promise<JsonObject> {
    const made = await seller.post(listingsPath, inputOf(changes));
    expect([made.status, made.body["message"]]).toEqual([201, undefined]);
    return made.body;
  }

  async function recheck(listing: JsonObject): Promise<JsonObject> {
    const answer = await seller.post(`${placeOf(listing)}/check`, {});
    expect([answer.status, answer.body["message"]]).toEqual([200, undefined]);
    return answer.body;
  }

  async function listedNow(): Promise<JsonObject[]> {
    const { listings } = (await seller.get(listingsPath)).body;
    return Array.isArray(listings) ? listings.filter(isObject) : [];
  }

  return {
    inOrder,
    inputOf,
    read,
    create,
    recheck,
    async createLive(changes: JsonObject = {}) {
      const made = await create(changes);
      await expect
        .poll(() => read(made))
        .toMatchObject({
          check: { state: "live", isPublic: true },
        });
      return made;
    },
    async recheckWhenFree(listing: JsonObject) {
      await expect
        .poll(async () => (await read(listing))["check"])
        .not.toMatchObject({ triedAt: null });
      return recheck(listing);
    },
    async shown(listing: JsonObject) {
      const { items } = (await served.get("/discovery/resources?limit=100")).body;
      if (!Array.isArray(items)) throw new Error("no items");
      return items.filter(isObject).filter(({ resource }) => resource === listing["resource"]);
    },
    async reset() {
      for (const one of await listedNow()) {
        expect((await seller.send("DELETE", placeOf(one))).status).toBe(204);
      }
      shop.asked.length = 0;
      shop.answer = inOrder();
    },
  };
}
