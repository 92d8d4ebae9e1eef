/**
 * A seller of a run that lies to the vault: it keeps vouchers back, says less or more than its calls cost,
 * and hands over rows that it has seen before, of its own channel and of others.
 */
import {
  channelIdOf,
  claimBatchDigest,
  isObject,
  member,
  networkOfChain,
  parseChannelConfig,
  parseChannelUnits,
  signDigest,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import type { Facilitator } from "@farthing/seller";
import type { SeededRandom } from "../seeded-random.ts";

/** `keep`: nothing is handed over, and the seller goes on as if it were. */
const lies = ["none", "keep", "less", "more", "seen"] as const;

/** Base units by which a total is wrong at most. */
const wrongByMax = 2_500;

interface Lying {
  readonly random: SeededRandom;
  /** Signs claims of the liar's own channels. */
  readonly privateKey: Hex;
  /** All rows that were ever handed over, by whomever. */
  readonly seen: readonly JsonObject[];
}

/** Lies to a facilitator in place of an honest seller. */
export function lieTo(facilitator: Facilitator, { random, privateKey, seen }: Lying): Facilitator {
  const { keepVouchers } = facilitator;
  if (!keepVouchers) throw new Error("There is no vault to lie to");
  const lieAbout = (row: JsonObject): JsonObject[] => {
    const lie = random.pick(lies);
    const wrongBy = BigInt(random.whole(1, wrongByMax));
    if (lie === "none") return [row];
    if (lie === "keep") return [];
    if (lie === "seen") {
      const own = seen.filter((one) => receiverOf(one) === receiverOf(row));
      return [random.pick([row, ...(random.chance(50) ? own : seen)])];
    }
    const charged = parseChannelUnits(row["charged"]) ?? 0n;
    const less = charged > wrongBy ? charged - wrongBy : 0n;
    return [signAgain(privateKey, row, lie === "less" ? less : charged + wrongBy)];
  };
  return {
    ...facilitator,
    async keepVouchers(body, limit) {
      const vouchers = rowsOf(body).flatMap(lieAbout);
      if (vouchers.length === 0) return { kind: "kept", rows: new Map() };
      return keepVouchers({ ...body, vouchers }, limit);
    },
  };
}

function receiverOf(row: JsonObject): unknown {
  const config = row["channelConfig"];
  return isObject(config) ? config["receiver"] : undefined;
}

export function rowsOf(body: object): JsonObject[] {
  const vouchers: unknown = member({ ...body }, "vouchers");
  return Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
}

function signAgain(privateKey: Hex, row: JsonObject, totalClaimed: bigint): JsonObject {
  const network = networkOfChain(51);
  const config = parseChannelConfig(row["channelConfig"]);
  const maxClaimableAmount = parseChannelUnits(row["maxClaimableAmount"]);
  if (!config.ok || maxClaimableAmount === undefined) throw new Error("The seller sent no row");
  const channelId = channelIdOf(network, config.value);
  const entry = { channelId, maxClaimableAmount, totalClaimed };
  const digest = claimBatchDigest(network.chainId, [entry]);
  return { ...row, charged: `${totalClaimed}`, claimSignature: signDigest(privateKey, digest) };
}
