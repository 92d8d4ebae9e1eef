/** The queries to the account API: their cache keys and refresh intervals. */
import {
  keepPreviousData,
  queryOptions,
  type QueryClient,
  type QueryKey,
  type UseQueryOptions,
} from "@tanstack/react-query";
import { withSearch } from "../location.ts";
import type * as Responses from "@farthing/facilitator/api";
import { ApiProblem, call } from "./call.ts";
import { expectSession, mayHaveSession } from "./session-hint.ts";

/** Refresh interval of a visible list that can change without user action. */
const liveMs = 5_000;

/** The same while the user waits for something they have just started. */
const soonMs = 1_000;

/** Seconds for which the service may hold a response until there is something new. */
const waitSeconds = 20;

/** The same during a manual review: the operator's command does not wake a held request. */
const reviewWaitSeconds = 5;

/** Pause between two long polls, so that immediate responses do not cause a flood of requests. */
const betweenWaitsMs = 250;

/** XDC's block time: the service holds a pending settlement's response for one block at most. */
const blockSeconds = 2;

const pageRows = 25;

type Freshness<Response> = Pick<
  UseQueryOptions<Response>,
  "refetchInterval" | "staleTime" | "placeholderData"
>;

function read<Response>(queryKey: QueryKey, path: string, freshness: Freshness<Response> = {}) {
  return queryOptions<Response>({
    queryKey,
    queryFn: ({ signal }) => call<Response>(path, { signal }),
    ...freshness,
  });
}

type List<Name extends string, Item> = Readonly<Record<Name, readonly Item[]>>;

/** A query that reads one of the account's lists whole. */
function list<Name extends string, Item>(name: Name, freshness?: Freshness<List<Name, Item>>) {
  return read<List<Name, Item>>([name], `/v1/account/${name}`, freshness);
}

/**
 * Reads one path; the service holds the response until there is what `waitFor` says. Without that it
 * is read again after `refreshMs`.
 */
function watch<Response>(
  queryKey: QueryKey,
  path: string,
  waitFor: (known: Response) => Readonly<Record<string, string>> | undefined,
  refreshMs: (known: Response) => number | false = () => false,
) {
  return queryOptions<Response>({
    queryKey,
    queryFn: ({ signal, client }) => {
      const known = client.getQueryData<Response>(queryKey);
      return call<Response>(withSearch(path, (known && waitFor(known)) ?? {}), { signal });
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (waitFor(data) ? betweenWaitsMs : refreshMs(data)),
  });
}

/** Older pages hardly change any more. */
const pageFreshness = (cursor: string) => ({
  placeholderData: keepPreviousData,
  refetchInterval: cursor === "" ? liveMs : (false as const),
});

/** No session: the user has not signed in, has signed out, or the session has ended. */
export type Absence = "signed-out" | "ended";

const accountKey = ["account"] as const;

/** The signed-in account, or why there is none. */
export const accountQuery = queryOptions({
  queryKey: accountKey,
  queryFn: async ({ signal, client }): Promise<Responses.AccountJson | Absence> => {
    if (!mayHaveSession()) return "signed-out";
    try {
      return await call<Responses.AccountJson>("/v1/account", { signal });
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.details.status !== 401) throw error;
      expectSession(false);
      const before = client.getQueryData<Responses.AccountJson | Absence>(accountKey);
      return before === undefined || before === "signed-out" ? "signed-out" : "ended";
    }
  },
  // The balance changes with every settlement.
  refetchInterval: ({ state: { data } }) => (typeof data === "object" ? liveMs : false),
});

/** Clears the cache except for the reason why there is no session. */
export function forgetAccount(client: QueryClient, why: Absence): void {
  expectSession(false);
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== accountKey[0] });
  client.setQueryData(accountQuery.queryKey, why);
}

export const supportedQuery = read<{ kinds: readonly { network: string }[] }>(
  ["supported"],
  "/supported",
  { staleTime: Infinity },
);
export const sessionsQuery = list<"sessions", Responses.SessionJson>("sessions");
export const walletsPath = "/v1/account/wallets";
export const walletsQuery = list<"wallets", Responses.LinkedWalletJson>("wallets");
export const invitationsPath = "/v1/account/invitations";
export const invitationsQuery = list<"invitations", Responses.InvitationJson>("invitations");
export const membershipsPath = "/v1/account/memberships";
export const membershipsQuery = read<Responses.MembershipsJson>(["memberships"], membershipsPath);
export const keysQuery = list<"keys", Responses.ApiKeyJson>("keys");
export const creditsQuery = read<Responses.Credits>(["credits"], "/v1/account/credits", {
  refetchInterval: liveMs,
});

export const ledgerPath = "/v1/account/credits/ledger";

export const ledgerQuery = (cursor: string) =>
  read<{ entries: readonly Responses.LedgerEntry[]; next: string | null }>(
    ["ledger", cursor],
    withSearch(ledgerPath, { cursor, limit: `${pageRows}` }),
    pageFreshness(cursor),
  );

export const purchasesPath = "/v1/account/credits/purchases";

export const purchasesQuery = read<{ purchases: readonly Responses.Purchase[] }>(
  ["purchases"],
  purchasesPath,
  { refetchInterval: liveMs },
);

/** States that a purchase leaves without the user. */
const movingPurchase = new Set<Responses.PurchaseState>(["settling", "confirmed", "held"]);

export const purchaseQuery = (id: string) =>
  watch<Responses.Purchase>(
    ["purchases", id],
    `${purchasesPath}/${encodeURIComponent(id)}`,
    ({ state }) => {
      const seconds = state === "held" ? reviewWaitSeconds : waitSeconds;
      return movingPurchase.has(state) ? { wait: `${seconds}`, while: state } : undefined;
    },
  );

/** Empty texts are filters that are not set. */
export type SettlementFilters = Readonly<Record<(typeof filterNames)[number], string>>;
export const filterNames = [
  "state",
  "payer",
  "from",
  "to",
  "key",
  "network",
  "transaction",
  "resource",
  "route",
  "reference",
] as const;

export const settlementsPath = "/v1/account/settlements";

export const settlementsQuery = (
  filters: Partial<SettlementFilters>,
  cursor = "",
  rows = pageRows,
) =>
  read<{ settlements: readonly Responses.SettlementRow[]; next: string | null }>(
    ["settlements", filters, cursor, rows],
    withSearch(settlementsPath, { ...filters, cursor, limit: `${rows}` }),
    pageFreshness(cursor),
  );

/** Empty texts are filters that are not set. */
export type RequestFilters = Readonly<Record<(typeof requestFilterNames)[number], string>>;
export const requestFilterNames = ["status", "path", "key"] as const;

const requestsPath = "/v1/account/requests";

export const requestsQuery = (
  filters: RequestFilters & { readonly mode: Responses.KeyMode },
  cursor: string,
) =>
  read<{ requests: readonly Responses.ApiCallJson[]; next: string | null }>(
    ["requests", filters, cursor],
    withSearch(requestsPath, { ...filters, cursor, limit: `${pageRows}` }),
    pageFreshness(cursor),
  );

/** The calls of the last 24 hours, by hour. */
export const requestHoursQuery = (mode: Responses.KeyMode) =>
  read<List<"hours", Responses.CallHourJson>>(
    ["requests", "hours", mode],
    withSearch(`${requestsPath}/hours`, { mode }),
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  );

export const requestQuery = (id: string) =>
  read<Responses.ApiCallJson>(["requests", id], `${requestsPath}/${encodeURIComponent(id)}`);

const newestRows = 8;

export const newestSettlementsQuery = (network = "") =>
  settlementsQuery({ network }, "", newestRows);

/** Whether the account has settled nothing yet. A `false` is final. */
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

export function isOver({ state, finalizedAt }: Responses.SettlementRow): boolean {
  return state === "failed" || finalizedAt !== null;
}

export const settlementQuery = (id: string) =>
  watch<Responses.SettlementDetail>(
    ["settlements", id],
    `${settlementsPath}/${encodeURIComponent(id)}`,
    (known) => (isOver(known) ? undefined : { wait: `${blockSeconds}` }),
    // The service holds the response for changes of the payment only.
    ({ refunds }) =>
      refunds.some(({ state, finalized }) => state !== "failed" && !finalized) && soonMs,
  );

export const usagePath = "/v1/account/usage";

/** Usage from a UTC day such as `2026-11-20` on; of live money where it is served, unless named. */
export const usageQuery = (from: string, network = "", to = "") =>
  read<List<"days", Responses.UsageDayJson>>(
    ["usage", from, network, to],
    withSearch(usagePath, { from, network, to }),
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  );

export const revenuePath = "/v1/account/revenue";

/** The names with the most revenue in a UTC month such as `2026-11`. */
export const revenueQuery = (of: Readonly<Record<"by" | "month" | "network" | "cursor", string>>) =>
  read<Responses.RevenueJson>(
    ["revenue", of],
    withSearch(revenuePath, { ...of, limit: `${pageRows}` }),
    { placeholderData: keepPreviousData, refetchInterval: 30_000 },
  );

export const customersPath = "/v1/account/customers";

export const customersQuery = (of: Readonly<Record<"order" | "network" | "cursor", string>>) =>
  read<{ customers: readonly Responses.CustomerJson[]; next: string | null }>(
    ["customers", of],
    withSearch(customersPath, { ...of, limit: `${pageRows}` }),
    pageFreshness(of.cursor),
  );

export const channelsPath = "/v1/account/channels";

/** Empty texts are filters that are not set. */
export const channelsQuery = (of: Readonly<Record<"state" | "network" | "cursor", string>>) =>
  read<Responses.ChannelListJson>(
    ["channels", of],
    withSearch(channelsPath, { ...of, limit: `${pageRows}` }),
    pageFreshness(of.cursor),
  );

export const channelQuery = (id: string) =>
  read<Responses.ChannelJson>(["channels", id], `${channelsPath}/${encodeURIComponent(id)}`, {
    refetchInterval: liveMs,
  });

export const webhooksPath = "/v1/account/webhooks";

export const webhooksQuery = list<"webhooks", Responses.WebhookEndpointJson>("webhooks");

export const emailsPath = "/v1/account/emails";

export const emailsQuery = read<Responses.EmailsJson>(["emails"], emailsPath, {
  // An address is confirmed elsewhere.
  refetchInterval: liveMs,
});

export const listingsPath = "/v1/account/listings";

export const listingsQuery = list<"listings", Responses.ListingJson>("listings", {
  // A new listing is checked within a moment.
  refetchInterval: ({ state: { data } }) =>
    data?.listings.some(({ check }) => check.triedAt === null) ? soonMs : liveMs,
});

export const deliveriesQuery = (id: string, cursor: string) =>
  read<{ deliveries: readonly Responses.WebhookDeliveryJson[]; next: string | null }>(
    ["webhooks", id, "deliveries", cursor],
    withSearch(`${webhooksPath}/${encodeURIComponent(id)}/deliveries`, { cursor }),
    {
      placeholderData: keepPreviousData,
      refetchInterval: ({ state: { data } }) => {
        if (cursor !== "") return false;
        // A new message is sent within a moment.
        return data?.deliveries.some(({ attempts }) => attempts === 0) ? soonMs : liveMs;
      },
    },
  );
