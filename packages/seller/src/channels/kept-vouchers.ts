/** The calls of a facilitator's vault: rows go there, and what it keeps of each comes back. */
import {
  defined,
  isObject,
  member,
  parseChannelUnits,
  parseVoucher,
  toLowerHex,
  isBytes32,
  toWireClaim,
  type Hex,
  type Network,
  type Voucher,
} from "@farthing/protocol";
import type { Facilitator } from "../facilitator.ts";
import type { FacilitatorFailure } from "../facilitator-order.ts";
import type { StoredChannel } from "../payment-records/channels/channel-store.ts";
import { claimOf, signClaims } from "./refund-channel.ts";

/** What the vault keeps of a channel. */
export interface KeptVoucher {
  /** Base units that it will claim in all. */
  readonly charged: bigint;
  readonly voucher: Voucher;
}

export type VaultReply =
  /** By channel: what is kept of it, or why nothing is. */
  | { readonly kind: "kept"; readonly rows: ReadonlyMap<Hex, KeptVoucher | string> }
  /** This facilitator keeps no vouchers. */
  | { readonly kind: "none" }
  | FacilitatorFailure;

/** Rows of a call at most: the facilitator's bound. */
export const rowsPerCall = 80;

/** What a row of the vault is made of. */
export type VaultRow = Pick<StoredChannel, "id" | "config" | "voucher" | "charged">;

/** Passes rows of one network on. A `privateKey` signs each row's claim, where the facilitator does not. */
export async function keepVouchers(
  client: Facilitator,
  network: Network,
  rows: readonly VaultRow[],
  { privateKey, timeoutMs }: { readonly privateKey: Hex | undefined; readonly timeoutMs: number },
): Promise<VaultReply> {
  if (!client.keepVouchers) return { kind: "none" };
  const vouchers = rows.map((row) =>
    toWireRow(row, signClaims(network, privateKey, [claimOf(row)])),
  );
  const reply = await client.keepVouchers({ network: network.id, vouchers }, { timeoutMs });
  if (reply.kind !== "response") return reply;
  const { status, body } = reply;
  if (status === 404 || status === 405) return { kind: "none" };
  const read = status === 200 ? readRows(body) : undefined;
  if (read) return { kind: "kept", rows: read };
  const said = isObject(body) ? member(body, "message") : undefined;
  const message = `The vault answered with status ${status}: ${typeof said === "string" ? said : "no reason given"}`;
  if (status === 401) return { kind: "account", code: "unauthorized", message };
  const reason = status === 429 ? "rate_limited" : status === 200 ? "unreadable" : "unavailable";
  return { kind: "fault", reason, message };
}

function toWireRow(row: VaultRow, claimSignature: Hex | undefined) {
  const { voucher, signature, totalClaimed: charged } = toWireClaim(claimOf(row));
  const { channel: channelConfig, maxClaimableAmount } = voucher;
  return { channelConfig, maxClaimableAmount, signature, charged, ...defined({ claimSignature }) };
}

/** Returns undefined for a body that does not have the shape. */
function readRows(body: unknown): ReadonlyMap<Hex, KeptVoucher | string> | undefined {
  const [kept, refused] = isObject(body) ? [member(body, "kept"), member(body, "refused")] : [];
  if (!Array.isArray(kept) || !Array.isArray(refused)) return undefined;
  const rows = new Map<Hex, KeptVoucher | string>();
  for (const row of kept) {
    if (!isObject(row)) return undefined;
    const voucher = parseVoucher(row);
    const charged = parseChannelUnits(member(row, "charged"));
    if (!voucher.ok || charged === undefined) return undefined;
    rows.set(voucher.value.channelId, { charged, voucher: voucher.value });
  }
  for (const row of refused) {
    const id = isObject(row) ? member(row, "channelId") : undefined;
    if (!isObject(row) || !isBytes32(id)) return undefined;
    rows.set(
      toLowerHex(id),
      `${String(member(row, "errorReason"))}: ${String(member(row, "errorMessage"))}`,
    );
  }
  return rows;
}
