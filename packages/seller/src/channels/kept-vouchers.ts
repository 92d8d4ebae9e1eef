/** Reads what a facilitator keeps of the vouchers that it was handed. */
import {
  defined,
  isBytes32,
  isObject,
  member,
  parseChannelUnits,
  parseVoucher,
  toLowerHex,
  type Hex,
  type Voucher,
} from "@farthing/protocol";

/** What the vault keeps of a channel. */
export interface KeptVoucher {
  /** Base units that it will claim in all. */
  readonly charged: bigint;
  readonly voucher: Voucher;
  /** Base units that the chain says are claimed of it, where the facilitator tells it. */
  readonly claimed?: bigint;
}

/** By channel: what is kept of it, or why nothing is. */
export type KeptVouchers = ReadonlyMap<Hex, KeptVoucher | string>;

/** Returns undefined for a body that does not have the shape. */
export function readKeptVouchers(body: unknown): KeptVouchers | undefined {
  const [kept, refused] = isObject(body) ? [member(body, "kept"), member(body, "refused")] : [];
  if (!Array.isArray(kept) || !Array.isArray(refused)) return undefined;
  const rows = new Map<Hex, KeptVoucher | string>();
  for (const row of kept) {
    if (!isObject(row)) return undefined;
    const voucher = parseVoucher(row);
    const charged = parseChannelUnits(member(row, "charged"));
    if (!voucher.ok || charged === undefined) return undefined;
    const claimed = parseChannelUnits(member(row, "claimed"));
    const { channelId } = voucher.value;
    rows.set(channelId, { charged, voucher: voucher.value, ...defined({ claimed }) });
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
