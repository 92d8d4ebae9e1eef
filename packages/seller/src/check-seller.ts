/**
 * One look at the facilitator before buyers sign: its address, its networks, the key and the payee.
 * Sends no payment and throws nothing.
 */
import {
  channelScheme,
  isObject,
  isSameAddress,
  member,
  type Address,
  type JsonObject,
  type Network,
} from "@farthing/protocol";
import { authorizerIn } from "./channels/channel-authorizers.ts";
import type { SellerChannels } from "./channels/claim-channels.ts";
import type { Facilitator, Fault, RawReply, StatusCalls } from "./facilitator.ts";

export type SellerProblemCode =
  | "facilitator_unreachable"
  | "facilitator_invalid"
  | "network_not_supported"
  | "asset_not_supported"
  | "channels_not_supported"
  | "channel_authorizer_missing"
  | "key_missing"
  | "key_refused"
  | "key_of_other_account"
  | "key_of_other_network"
  | "account_inactive"
  | "credits_used_up"
  | "payee_not_a_wallet"
  | "payee_key_is_public";

/** What keeps buyers from paying, or the money from the seller. */
export interface SellerProblem {
  readonly code: SellerProblemCode;
  /** One sentence; contains no secret. */
  readonly message: string;
  /** What to do about it, in one sentence. */
  readonly fix: string;
  /** The facilitator that it is about, where it is about one. */
  readonly facilitator?: string;
  /** Another facilitator of the seller can take payments meanwhile. */
  readonly isCovered?: boolean;
}

/** Tells a seller at the start what buyers would find out. */
export interface SellerChecks {
  /**
   * Looks at the facilitators, the keys, the networks and the payees of the routes that exist, and
   * returns what is wrong. Never throws: a facilitator that is away is a problem of the list.
   */
  check(): Promise<readonly SellerProblem[]>;
  /** Checks, and prints one line that says "Ready" if buyers can pay, and one for each problem. Never throws. */
  ready(): Promise<readonly SellerProblem[]>;
}

export interface CheckedSeller {
  /** In order. */
  readonly facilitators: readonly Facilitator[];
  readonly networks: readonly Network[];
  /** The addresses that receive the money, as far as they are fixed. */
  readonly payees: readonly Address[];
  /** Of a seller with routes that are sold by channels: whether it has a key for them. */
  readonly channels?: { readonly hasKey: boolean };
  /** Of a seller whose records a restart loses: whether it sells passes or balances. */
  readonly memory?: { readonly isSoldAhead: boolean };
}

/** What the function of an adapter has of its seller. */
export interface AdaptedSeller extends SellerChecks {
  /** Claims what channels were charged, and gives back what is left in them. */
  readonly channels: SellerChannels;
}

/** Adds the checks and the channels of a seller to an adapter's function. */
export function withChecks<F extends object>(
  { check, ready, channels }: AdaptedSeller,
  charge: F,
): F & AdaptedSeller {
  return Object.assign(charge, { check, ready, channels });
}

/** As long as someone waits at a terminal for a server to start. */
const checkTimeoutMs = 5_000;
const limit = { timeoutMs: checkTimeoutMs };

/** Returns what is wrong, the most important first; empty for a seller that can sell. */
export async function checkSeller(seller: CheckedSeller): Promise<readonly SellerProblem[]> {
  const found = await Promise.all(seller.facilitators.map((one) => checkFacilitator(one, seller)));
  // A network needs one facilitator that serves it and has no other problem.
  const isPayable = seller.networks.every(({ id }) =>
    found.some((problems) =>
      problems.every(({ network }) => network !== undefined && network !== id),
    ),
  );
  const isCovered = isPayable && seller.facilitators.length > 1;
  const problems = found.flat().map(({ network: _network, ...problem }) => ({
    ...problem,
    ...(isCovered ? { isCovered } : {}),
  }));
  return [...problems, ...checkPayees(seller)];
}

/** What keeps buyers from paying through one facilitator; `network`: only on that network. */
type FacilitatorProblem = SellerProblem & { readonly network?: string };

async function checkFacilitator(
  { name, status }: Facilitator,
  seller: CheckedSeller,
): Promise<readonly FacilitatorProblem[]> {
  if (!status) return [];
  const problems = await checkStatus(status, seller);
  return problems.map((problem) => ({ ...problem, ...(name ? { facilitator: name } : {}) }));
}

async function checkStatus(
  status: StatusCalls,
  seller: CheckedSeller,
): Promise<readonly FacilitatorProblem[]> {
  const supported = await status.get("/supported", limit);
  const kinds = kindsIn(supported);
  if (!kinds) return [unusable(status, supported)];
  // An engine in this process has no accounts.
  const ofKey = status.isInProcess ? [] : await checkKey(status, seller);
  const ofNetworks = seller.networks.flatMap((network) =>
    [
      ...checkKinds(status, kinds, network),
      ...checkChannelKinds(status, kinds, network, seller.channels),
    ].map((problem) => ({ ...problem, network: network.id })),
  );
  return [...ofNetworks, ...ofKey];
}

/** Checks, and prints one line for a seller that can sell, or one for each problem. */
export async function reportReady(seller: CheckedSeller): Promise<readonly SellerProblem[]> {
  const problems = await checkSeller(seller);
  // oxlint-disable no-console -- what the method is for
  for (const { message, fix, isCovered } of problems) {
    console.warn(isCovered ? `Warning: ${message} ${coveredFix}` : `Not ready: ${message} ${fix}`);
  }
  if (isReady(problems)) {
    console.log(readyLine(seller));
    if (isUnvaulted(seller)) console.log(unvaultedLine);
    const lost = lostByRestart(seller);
    if (lost !== "") console.warn(memoryLine(lost));
  }
  // oxlint-enable no-console
  return problems;
}

/** Whether buyers can pay: one facilitator without a problem is enough. */
export function isReady(problems: readonly SellerProblem[]): boolean {
  return problems.every(({ isCovered }) => isCovered === true);
}

/** What a problem of one facilitator means while another one works. */
export const coveredFix = "Another facilitator takes payments meanwhile.";

/** The line of a seller that can sell. */
export function readyLine({ networks, payees, facilitators = [] }: ReadySeller): string {
  const payTo = payees.length === 0 ? "an address for each request" : payees.join(" and ");
  const names = facilitators.map(({ name = "a facilitator" }) => name);
  const through = names.length > 1 ? `, through ${names.join(", then ")}` : "";
  return `Ready: sells on ${networks.map(({ id }) => id).join(" and ")}, to ${payTo}${through}`;
}

/** Whether channels are sold and no facilitator keeps their vouchers. */
function isUnvaulted({ channels, facilitators }: CheckedSeller): boolean {
  return channels !== undefined && facilitators.every(({ keepVouchers }) => !keepVouchers);
}

const unvaultedLine =
  "Channels: without an API key no one else keeps the buyers' vouchers, and channels.maxUnvaulted does not limit what this seller serves before it claims. Keep its records, and call channels.claim() more often than the withdrawal delay.";

/** What a restart takes from buyers or from the seller; empty where it takes nothing. */
function lostByRestart(seller: CheckedSeller): string {
  if (!seller.memory) return "";
  const ofBuyers = seller.memory.isSoldAhead ? ["passes and balances that buyers paid for"] : [];
  const own = isUnvaulted(seller) ? ["the money of vouchers that are not claimed"] : [];
  return [...ofBuyers, ...own].join(", and ");
}

const memoryLine = (lost: string) =>
  `Warning: payment records are in memory, so a restart loses ${lost}. Set grants to a store that outlives the process, such as createSqliteGrants({ path: "sales.db" }) of @farthing/seller/sqlite.`;

type ReadySeller = Pick<CheckedSeller, "networks" | "payees"> & {
  readonly facilitators?: readonly Pick<Facilitator, "name">[];
};

function unusable({ url }: StatusCalls, reply: RawReply | Fault): SellerProblem {
  if (reply.kind === "fault" && reply.reason !== "unreadable") {
    const cause = reply.message.replace(/^.*?: /, "");
    return {
      code: "facilitator_unreachable",
      message: `The facilitator ${url} does not respond: ${cause}`,
      fix: "Buyers cannot pay until it does. Check its URL and the network.",
    };
  }
  const status = reply.kind === "response" ? reply.status : 200;
  if (status === 429 || status >= 500) {
    return {
      code: "facilitator_unreachable",
      message: `The facilitator ${url} responds ${status}.`,
      fix: "Buyers cannot pay until it recovers. Check its status.",
    };
  }
  const what = status === 200 ? "without x402 payment kinds" : `${status}`;
  return {
    code: "facilitator_invalid",
    message: `${url}/supported responds ${what}, so this is not the address of an x402 facilitator.`,
    fix: "Set the facilitator's base address, with its path, such as https://host/api/facilitator.",
  };
}

function kindsIn(reply: RawReply | Fault): readonly JsonObject[] | undefined {
  if (reply.kind !== "response" || reply.status !== 200 || !isObject(reply.body)) return undefined;
  const kinds = member(reply.body, "kinds");
  return Array.isArray(kinds) ? kinds.filter(isObject) : undefined;
}

/** Longer lists of networks are those of facilitators for every chain. */
const maxNamedNetworks = 6;

function checkKinds(
  { url }: StatusCalls,
  kinds: readonly JsonObject[],
  network: Network,
): SellerProblem[] {
  const names: readonly unknown[] = [network.id, network.label, ...network.aliases];
  const ours = kinds.filter((kind) => names.includes(kind["network"]));
  const exact = ours.filter((kind) => kind["scheme"] === "exact");
  if (exact.length === 0) {
    const others = [...new Set(kinds.map((kind) => String(kind["network"])))];
    const more = others.length > maxNamedNetworks ? ", …" : "";
    const served = others.slice(0, maxNamedNetworks).join(", ") + more || "no network";
    const instead = ours.length > 0 ? "not with the scheme exact" : `but ${served}`;
    return [
      {
        code: "network_not_supported",
        message: `The facilitator ${url} does not settle on ${network.id}, ${instead}.`,
        fix: "Choose another network or another facilitator; test networks may need a test key.",
      },
    ];
  }
  const assets = exact.map((kind) => kind["asset"]).filter((asset) => typeof asset === "string");
  if (assets.length === 0 || assets.some((asset) => isSameAddress(asset, network.usdc))) return [];
  return [
    {
      code: "asset_not_supported",
      message: `The facilitator ${url} settles another token than USDC on ${network.id}.`,
      fix: "Choose another facilitator.",
    },
  ];
}

function checkChannelKinds(
  { url }: StatusCalls,
  kinds: readonly JsonObject[],
  network: Network,
  channels: CheckedSeller["channels"],
): SellerProblem[] {
  if (!channels) return [];
  const isServed = kinds.some(
    (kind) => kind["scheme"] === channelScheme && kind["network"] === network.id,
  );
  if (!isServed) {
    return [
      {
        code: "channels_not_supported",
        message: `The facilitator ${url} does not serve payment channels on ${network.id}.`,
        fix: "Choose another facilitator or network, or sell without channel.",
      },
    ];
  }
  if (channels.hasKey || authorizerIn(kinds, network) !== undefined) return [];
  return [
    {
      code: "channel_authorizer_missing",
      message: `The facilitator ${url} does not offer to sign the claims of channels on ${network.id}, and the seller has no key for them.`,
      fix: "Set channels.authorizerKey, or the API key of an account whose facilitator signs.",
    },
  ];
}

async function checkKey(status: StatusCalls, seller: CheckedSeller): Promise<SellerProblem[]> {
  if (!status.hasKey) {
    // Settlements are read without a key exactly where payments are taken without one.
    const reply = await status.get("/settlements/none", limit);
    if (reply.kind !== "response" || reply.status !== 401) return [];
    return [
      {
        code: "key_missing",
        message: `The facilitator ${status.url} requires an API key, and none is set.`,
        fix: "Create one in its dashboard and set facilitator.apiKey; check that its environment variable is set.",
      },
    ];
  }
  const reply = await status.key(limit);
  if (reply.kind !== "response") return [];
  if (reply.status === 401) {
    return [
      {
        code: "key_refused",
        message: `The facilitator ${status.url} refuses the API key: it is mistyped, expired or revoked.`,
        fix: "Copy the whole key (fk_…), or create another one.",
      },
    ];
  }
  // Other facilitators have no such route.
  return reply.status === 200 && isObject(reply.body) ? checkAccount(reply.body, seller) : [];
}

function checkAccount(key: JsonObject, { networks, payees }: CheckedSeller): SellerProblem[] {
  const problems: SellerProblem[] = [];
  const { account, mode, plan, credits } = key;
  const other = payees.find(
    (payTo) => typeof account === "string" && !isSameAddress(payTo, account),
  );
  if (other !== undefined) {
    problems.push({
      code: "key_of_other_account",
      message: `The API key belongs to ${String(account)}, and payTo is ${other}.`,
      fix: "Use a key of the account that receives the money, or change payTo.",
    });
  }
  for (const { id, chainId } of networks) {
    const needed = chainId === 50 ? "live" : "test";
    if ((mode !== "live" && mode !== "test") || mode === needed) continue;
    problems.push({
      code: "key_of_other_network",
      message: `The API key is a ${mode} key, and ${id} takes ${needed} keys.`,
      fix: `Set a ${needed} key, or sell on another network.`,
    });
  }
  if (plan === "inactive") {
    problems.push({
      code: "account_inactive",
      message: `The account ${String(account)} is not active at the facilitator.`,
      fix: "Ask its operator to activate it.",
    });
  }
  // Test keys cost no credits.
  if (credits === 0 && mode === "live") {
    problems.push({
      code: "credits_used_up",
      message: `The account ${String(account)} has no credits left at the facilitator.`,
      fix: "Buy credits in its dashboard, or with farthing account credits buy.",
    });
  }
  return problems;
}

/** Tokens sent here are lost: contracts that keep them, and addresses that no one has a key of. */
function checkPayees({ networks, payees }: CheckedSeller): SellerProblem[] {
  return payees.flatMap((payTo): SellerProblem[] => {
    for (const { id, usdc, lookalikes, multicall3 } of networks) {
      const contracts = [usdc, ...lookalikes.keys(), ...multicall3];
      const isContract = contracts.some((contract) => isSameAddress(contract, payTo));
      if (!isContract && !isSameAddress(payTo, burnAddress) && !precompiles.test(payTo)) continue;
      const what = isContract
        ? `a contract of ${id} that keeps tokens`
        : "an address without a key";
      return [
        {
          code: "payee_not_a_wallet",
          message: `payTo ${payTo} is ${what}: the money would be lost.`,
          fix: "Set payTo to a wallet of yours.",
        },
      ];
    }
    const isMainnet = networks.some(({ chainId }) => chainId === 50);
    if (!isMainnet || !publicWallets.some((wallet) => isSameAddress(wallet, payTo))) return [];
    return [
      {
        code: "payee_key_is_public",
        message: `payTo ${payTo} is a wallet of local chains: its key is public, and anyone could take the money.`,
        fix: "Set payTo to a wallet of yours.",
      },
    ];
  });
}

const burnAddress: Address = "0x000000000000000000000000000000000000dEaD";
/** Addresses below 65,536 are those of precompiled contracts, and typing errors. */
const precompiles = /^0x0{36}/;

/** Wallets of local chains that people copy: the seller of examples, and the first two accounts. */
const publicWallets: readonly Address[] = [
  "0x7A11830374F9a3aA26C125CAa932520D984B1024",
  "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
];
