/** /v1/channels: a seller hands its vouchers over, reads them back, and has them claimed. */
import {
  findNetworkOf,
  isObject,
  member,
  parseChannelUnits,
  parseSoldParts,
  parseVoucherClaim,
  wireChannelCode,
  type Address,
  type Hex,
  type Network,
} from "@farthing/protocol";
import type { Clock } from "@farthing/engine/base";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { admission, checkMode } from "../../http/access/authenticate.ts";
import type { Throttle } from "../../http/access/limits.ts";
import type { RequestKey } from "../../http/access/request-key.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import {
  AddressText,
  AmountText,
  anyObject,
  exactly,
  HashText,
  nullable,
  problems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { requireBody } from "../../http/server/read-body.ts";
import type { ApiKey } from "../api-keys/model.ts";
import { claimDueAt, unclaimedOf, type KeptVoucher } from "./model.ts";
import type { VoucherStore } from "./store.ts";
import type { VaultRefusal, VaultResult, VoucherRow } from "./vault.ts";

/** Rows of a request: with 700 bytes each, and without what was sold, they fit the body's 64 KiB. */
const rowsMax = 80;

/** Rows of a page. */
const pageRows = 80;

const KeptBody = exactly({
  channelId: HashText,
  channelConfig: anyObject("As it was passed"),
  maxClaimableAmount: AmountText,
  signature: Type.String(),
  charged: AmountText,
  claimed: AmountText,
  balance: AmountText,
  withdrawRequestedAt: Type.Integer({ description: "Unix seconds; 0 for none" }),
  claimBy: nullable(
    Type.Integer({ description: "Milliseconds since 1970; null where all is claimed" }),
  ),
  receiver: AddressText,
});

const Refused = exactly({
  channelId: HashText,
  errorReason: Type.String({ description: "A code of the scheme" }),
  errorMessage: Type.String(),
});

export interface ChannelRouteDeps {
  readonly store: Pick<VoucherStore, "listAccountVouchers" | "makeDue">;
  readonly clock: Clock;
  keep(
    account: Address,
    network: Network,
    rows: readonly VoucherRow[],
  ): Promise<readonly VaultResult[]>;
  authenticate(text: string): Promise<ApiKey | undefined>;
}

export function registerChannels(
  server: TypedServer,
  deps: ChannelRouteDeps,
  throttle: Throttle,
): void {
  const onRequest = admission(deps, { auth: "api-key" }, throttle);
  registerKeep(server, deps, onRequest);
  registerList(server, deps, onRequest);
  registerClaim(server, deps, onRequest);
}

type OnRequest = ReturnType<typeof admission>;

const described = { tags: ["Channels"], security: [{ apiKey: [] }] };

function registerKeep(
  server: TypedServer,
  deps: Pick<ChannelRouteDeps, "keep">,
  onRequest: OnRequest,
): void {
  server.post("/v1/channels/vouchers", {
    onRequest,
    preHandler: [requireBody],
    schema: {
      ...described,
      operationId: "keepVouchers",
      summary: "Hand vouchers over",
      description:
        "The facilitator keeps the newest voucher of each channel and claims it in time, also when the seller is down. Only a higher total replaces one. `sold` says what the newest charges were for, the oldest first: up to 16 of `{ resource, route, units }`. The part that is new counts in the revenue by resource and by route.",
      response: {
        200: exactly({ kept: Type.Array(KeptBody), refused: Type.Array(Refused) }),
        ...problems("unauthorized", "service_unavailable"),
      },
    },
    handler: async (request, reply) => {
      const key = keyOf(request, reply);
      const network = networkOf(key, isObject(request.body) ? member(request.body, "network") : "");
      const rows = parseRows(request.body);
      const results = await deps.keep(key.account, network, rows);
      return {
        kept: results.flatMap((one) => ("kept" in one ? [toWire(one.kept)] : [])),
        refused: results.flatMap((one) =>
          "refusal" in one
            ? [
                {
                  channelId: one.channelId,
                  errorReason: reasonOf(one.refusal),
                  errorMessage: one.refusal.message,
                },
              ]
            : [],
        ),
      };
    },
  });
}

function registerList(
  server: TypedServer,
  deps: Pick<ChannelRouteDeps, "store">,
  onRequest: OnRequest,
): void {
  server.get("/v1/channels/vouchers", {
    onRequest,
    schema: {
      ...described,
      operationId: "listVouchers",
      summary: "Read vouchers back",
      description:
        "In the order of their channels. A seller that lost its state has its totals from here, never from a buyer.",
      querystring: exactly({
        network: Type.Optional(Type.String({ maxLength: 32, description: "`eip155:50`" })),
        after: Type.Optional(
          Type.String({ pattern: "^0x[0-9a-f]{64}$", description: "`next` of the page before" }),
        ),
      }),
      response: {
        200: exactly({ vouchers: Type.Array(KeptBody), next: nullable(HashText) }),
        ...problems("unauthorized"),
      },
    },
    handler: async (request, reply) => {
      const key = keyOf(request, reply);
      const { chainId } = networkOf(key, request.query.network);
      const after: Hex = `0x${(request.query.after ?? "0x").slice(2)}`;
      const page = { chainId, after, limit: pageRows };
      const vouchers = await deps.store.listAccountVouchers(key.account, page);
      const last = vouchers.length === pageRows ? vouchers.at(-1)?.channelId : undefined;
      return { vouchers: vouchers.map(toWire), next: last ?? null };
    },
  });
}

function registerClaim(
  server: TypedServer,
  deps: Pick<ChannelRouteDeps, "store" | "clock">,
  onRequest: OnRequest,
): void {
  server.post("/v1/channels/claim", {
    onRequest,
    schema: {
      ...described,
      operationId: "claimVouchers",
      summary: "Claim now",
      description:
        "Claims all vouchers of the account within seconds, whatever their sum: on XDC with a live key, on Apothem with a test key.",
      response: { 202: exactly({ accepted: Type.Boolean() }), ...problems("unauthorized") },
    },
    handler: async (request, reply) => {
      const key = keyOf(request, reply);
      const { chainId } = networkOf(key, undefined);
      await deps.store.makeDue(key.account, chainId, deps.clock.nowMs());
      return reply.code(202).send({ accepted: true });
    },
  });
}

function reasonOf({ code }: VaultRefusal): string {
  return code === "insufficient_facilitator_credits" ? code : wireChannelCode(code);
}

function keyOf(request: FastifyRequest, reply: FastifyReply): RequestKey {
  reply.header("Cache-Control", "no-store");
  if (!request.apiKey) throw new HttpProblem("unauthorized", "Send an API key.");
  return request.apiKey;
}

/** The network that is named, or the only one of the key's kind. Throws 400 or 401. */
function networkOf(key: RequestKey, name: unknown): Network {
  const usual = key.mode === "test" ? "eip155:51" : "eip155:50";
  const network = findNetworkOf(2, name === undefined || name === "" ? usual : name);
  if (!network) throw new HttpProblem("invalid_request", "network must be eip155:50 or eip155:51.");
  checkMode(key, network);
  return network;
}

/** Reads the rows of a body. Throws 400 for one that is no row at all; the vault refuses the others. */
function parseRows(body: unknown): VoucherRow[] {
  const rows = isObject(body) ? member(body, "vouchers") : undefined;
  if (!Array.isArray(rows) || rows.length === 0 || rows.length > rowsMax) {
    throw new HttpProblem("invalid_request", `vouchers must be a list of 1 to ${rowsMax} rows.`);
  }
  return rows.map((row, index) => {
    const parsed = isObject(row) ? parseRow(row) : undefined;
    if (parsed) return parsed;
    throw new HttpProblem(
      "invalid_request",
      `vouchers[${index}] must have channelConfig, maxClaimableAmount, signature and charged, and may have claimSignature and sold.`,
    );
  });
}

function parseRow(row: Readonly<Record<string, unknown>>): VoucherRow | undefined {
  const charged = member(row, "charged");
  // The shape of a claim, so that one strict function reads both.
  const claim = parseVoucherClaim({
    voucher: {
      channel: member(row, "channelConfig"),
      maxClaimableAmount: member(row, "maxClaimableAmount"),
    },
    signature: member(row, "signature"),
    totalClaimed: charged,
  });
  const units = parseChannelUnits(charged);
  if (!claim.ok || units === undefined) return undefined;
  const text = member(row, "claimSignature") ?? undefined;
  const claimSignature = readSignature(text);
  if (text !== undefined && claimSignature === undefined) return undefined;
  const sold = parseSoldParts(member(row, "sold") ?? []);
  if (!sold) return undefined;
  const { config, maxClaimableAmount, signature } = claim.value;
  return { config, maxClaimableAmount, signature, charged: units, claimSignature, sold };
}

function readSignature(value: unknown): Hex | undefined {
  return typeof value === "string" && /^0x[0-9a-fA-F]{130}$/.test(value)
    ? `0x${value.slice(2).toLowerCase()}`
    : undefined;
}

function toWire(kept: KeptVoucher) {
  const dueAt = claimDueAt(kept);
  return {
    channelId: kept.channelId,
    channelConfig: kept.config,
    maxClaimableAmount: `${kept.maxClaimableAmount}`,
    signature: kept.signature,
    charged: `${kept.charged}`,
    claimed: `${kept.claimed}`,
    balance: `${kept.balance}`,
    withdrawRequestedAt: kept.withdrawRequestedAt,
    claimBy: unclaimedOf(kept) > 0n && Number.isFinite(dueAt) ? dueAt : null,
    receiver: kept.config.receiver,
  };
}
