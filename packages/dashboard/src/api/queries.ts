/** The queries to the account API: their cache keys and refresh intervals. */
import { keepPreviousData, queryOptions, type QueryClient } from "@tanstack/react-query";
import { withSearch } from "../location.ts";
import type * as Responses from "@farthing/facilitator/api";
import { ApiProblem, call } from "./call.ts";

/** Refresh interval of a visible list that can change without user action. */
const liveMs = 5_000;

/** The same while the user waits for something they have just started. */
const soonMs = 1_000;

/** Seconds for which the service may hold an answer until there is something new. */
const waitSeconds = 20;

/** The same during a manual review: the operator's command does not wake a held request. */
const reviewWaitSeconds = 5;

/** Pause between two long polls, so that immediate responses do not cause a flood of requests. */
const betweenWaitsMs = 250;

/**
 * A settlement on its way: as often as XDC makes blocks, so that a step which came between two reads
 * shows with the next block at the latest.
 */
const blockSeconds = 2;

/** Rows of a page. */
const pageRows = 25;

/** No session: the user has not signed in, has signed out, or the session has ended. */
export type Absence = "signed-out" | "ended";

const accountKey = ["account"] as const;

/** The signed-in account, or why there is none. */
export const accountQuery = queryOptions({
  queryKey: accountKey,
  queryFn: async ({ signal, client }): Promise<Responses.Account | Absence> => {
    try {
      return await call<Responses.Account>("/v1/account", { signal });
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      const before = client.getQueryData<Responses.Account | Absence>(accountKey);
      return before === undefined || before === "signed-out" ? "signed-out" : "ended";
    }
  },
  // The balance in it moves with every settlement.
  refetchInterval: ({ state: { data } }) => (typeof data === "object" ? liveMs : false),
});

/** Clears the cache except for the reason why there is no session. */
export function forgetAccount(client: QueryClient, why: Absence): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== accountKey[0] });
  client.setQueryData(accountQuery.queryKey, why);
}

/** The networks that can be signed in on: those the facilitator serves. */
export const supportedQuery = queryOptions({
  queryKey: ["supported"],
  queryFn: ({ signal }) =>
    call<{ kinds: readonly { network: string }[] }>("/supported", { signal }),
  staleTime: Infinity,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) =>
    call<{ sessions: readonly Responses.Session[] }>("/v1/account/sessions", { signal }),
});

export const walletsQuery = queryOptions({
  queryKey: ["wallets"],
  queryFn: ({ signal }) =>
    call<{ wallets: readonly Responses.LinkedWallet[] }>("/v1/account/wallets", { signal }),
});

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) =>
    call<{ keys: readonly Responses.ApiKey[] }>("/v1/account/keys", { signal }),
});

export const creditsQuery = queryOptions({
  queryKey: ["credits"],
  queryFn: ({ signal }) => call<Responses.Credits>("/v1/account/credits", { signal }),
  refetchInterval: liveMs,
});

/** Where the ledger is, as JSON or as a file. */
export const ledgerPath = "/v1/account/credits/ledger";

export const ledgerQuery = (cursor: string) =>
  queryOptions({
    queryKey: ["ledger", cursor],
    queryFn: ({ signal }) =>
      call<{ entries: readonly Responses.LedgerEntry[]; next: string | null }>(
        withSearch(ledgerPath, { cursor, limit: `${pageRows}` }),
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: cursor === "" ? liveMs : false,
  });

export const purchasesPath = "/v1/account/credits/purchases";

export const purchasesQuery = queryOptions({
  queryKey: ["purchases"],
  queryFn: ({ signal }) =>
    call<{ purchases: readonly Responses.Purchase[]; next: string | null }>(purchasesPath, {
      signal,
    }),
  refetchInterval: liveMs,
});

/** States in which a purchase can still move by itself. */
const movingPurchase = new Set<Responses.PurchaseState>(["settling", "confirmed", "held"]);

export const purchaseQuery = (id: string) =>
  queryOptions({
    queryKey: ["purchases", id],
    queryFn: ({ signal, client }) => {
      const known = client.getQueryData<Responses.Purchase>(["purchases", id]);
      // Held by the service as long as it stands where it stood when it was read last.
      const waiting =
        known && movingPurchase.has(known.state)
          ? {
              wait: `${known.state === "held" ? reviewWaitSeconds : waitSeconds}`,
              while: known.state,
            }
          : {};
      return call<Responses.Purchase>(
        withSearch(`${purchasesPath}/${encodeURIComponent(id)}`, waiting),
        { signal },
      );
    },
    refetchInterval: ({ state: { data } }) =>
      data && movingPurchase.has(data.state) ? betweenWaitsMs : false,
  });

/** The filters of the settlements, all text, empty when not set. */
export interface SettlementFilters {
  readonly state: string;
  readonly payer: string;
  readonly from: string;
  readonly to: string;
  readonly key: string;
  readonly network: string;
  readonly transaction: string;
}

export const settlementsPath = "/v1/account/settlements";

export const settlementsQuery = (
  filters: Partial<SettlementFilters>,
  cursor = "",
  rows = pageRows,
) =>
  queryOptions({
    queryKey: ["settlements", filters, cursor, rows],
    queryFn: ({ signal }) =>
      call<{ settlements: readonly Responses.SettlementRow[]; next: string | null }>(
        withSearch(settlementsPath, { ...filters, cursor, limit: `${rows}` }),
        { signal },
      ),
    placeholderData: keepPreviousData,
    // What is older than the first page hardly changes any more.
    refetchInterval: cursor === "" ? liveMs : false,
  });

/** As many of the last settlements as one takes in at a glance. */
const newestRows = 8;

/** The last settlements of the account, whatever they are. */
export const newestSettlementsQuery = settlementsQuery({}, "", newestRows);

/** Whether the account has settled nothing yet; once it has, that is asked no more. */
export const isNewQuery = queryOptions({
  queryKey: ["is-new"],
  queryFn: async ({ signal }) => {
    const first = await call<{ settlements: readonly Responses.SettlementRow[] }>(
      withSearch(settlementsPath, { limit: "1" }),
      { signal },
    );
    return first.settlements.length === 0;
  },
  staleTime: ({ state: { data } }) => (data === false ? Infinity : 0),
  refetchInterval: ({ state: { data } }) => (data === false ? false : liveMs),
});

/** Whether nothing more can happen to a settlement. */
export function isOver({ state, finalizedAt }: Responses.SettlementRow): boolean {
  return state === "failed" || finalizedAt !== null;
}

export const settlementQuery = (id: string) =>
  queryOptions({
    queryKey: ["settlements", id],
    queryFn: ({ signal, client }) => {
      const known = client.getQueryData<Responses.SettlementDetail>(["settlements", id]);
      // Held by the service until there is something new.
      const waiting = known && !isOver(known) ? { wait: `${blockSeconds}` } : {};
      const path = `${settlementsPath}/${encodeURIComponent(id)}`;
      return call<Responses.SettlementDetail>(withSearch(path, waiting), { signal });
    },
    refetchInterval: ({ state: { data } }) => (data && !isOver(data) ? betweenWaitsMs : false),
  });

export const usagePath = "/v1/account/usage";

/** Usage of the days from `from` on, `2026-11-20` in UTC. */
export const usageQuery = (from: string) =>
  queryOptions({
    queryKey: ["usage", from],
    queryFn: ({ signal }) =>
      call<{ days: readonly Responses.UsageDay[] }>(withSearch(usagePath, { from }), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const webhooksPath = "/v1/account/webhooks";

export const webhooksQuery = queryOptions({
  queryKey: ["webhooks"],
  queryFn: ({ signal }) =>
    call<{ webhooks: readonly Responses.WebhookEndpoint[] }>(webhooksPath, { signal }),
});

export const listingsPath = "/v1/account/listings";

export const listingsQuery = queryOptions({
  queryKey: ["listings"],
  queryFn: ({ signal }) =>
    call<{ listings: readonly Responses.Listing[] }>(listingsPath, { signal }),
  refetchInterval: ({ state: { data } }) =>
    // A new one is checked within a moment.
    data?.listings.some(({ check }) => check.triedAt === null) ? soonMs : liveMs,
});

export const deliveriesQuery = (id: string, cursor: string) =>
  queryOptions({
    queryKey: ["webhooks", id, "deliveries", cursor],
    queryFn: ({ signal }) =>
      call<{ deliveries: readonly Responses.WebhookDelivery[]; next: string | null }>(
        withSearch(`${webhooksPath}/${encodeURIComponent(id)}/deliveries`, { cursor }),
        { signal },
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => {
      if (cursor !== "") return false;
      // A message that was never tried is sent within a moment.
      return data?.deliveries.some(({ attempts }) => attempts === 0) ? soonMs : liveMs;
    },
  });

/** Where the other accounts that the signed-in wallet may administer are kept. */
export const otherAccountsKey = ["other-accounts"] as const;
