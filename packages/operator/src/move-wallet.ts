/**
 * The move from one relayer wallet to another whose key is already somewhere: in AWS KMS, Web3Signer
 * or a file. What is left to do follows from the settings, the chain and the database alone.
 */
import type { Address } from "@farthing/protocol";
import { readRelayerReport } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";
import type { Lacking } from "./rotation.ts";

export type MoveStep =
  /** The settings have no key of the new wallet. */
  | { readonly kind: "configure" }
  /** The new wallet needs gas here. */
  | { readonly kind: "fund"; readonly lacking: readonly Lacking[] }
  /** This process, `host/pid`, works the old wallet. */
  | { readonly kind: "release"; readonly holder: string }
  /** The old wallet can be swept. */
  | { readonly kind: "sweep" };

/** Changes nothing. Throws the fault `configuration`, and RPC faults. */
export async function nextMoveStep(from: Address, to: Address): Promise<MoveStep> {
  const { wallets, problems } = await readRelayerReport();
  const [problem] = problems;
  if (problem) throw new Fault("rpc_unavailable", `${problem.network}: ${problem.text}`);
  const configured = wallets.filter(({ index }) => index !== null);
  const old = configured.filter(({ address }) => address === from);
  const next = configured.filter(({ address }) => address === to);
  if (from === to) throw new Fault("configuration", "--to names the wallet that is to be replaced");
  if (old.length === 0) {
    throw new Fault(
      "configuration",
      `These settings have no key of ${from}, which the last step needs. Keep it in the settings of this command until the wallet is empty; farthing relayer status lists the wallets`,
    );
  }
  if (next.length === 0) return { kind: "configure" };
  // A wallet that cannot pay for a single payment would be no replacement.
  const lacking = next.filter(({ payments }) => payments === 0);
  if (lacking.length > 0) return { kind: "fund", lacking };
  const [holder] = old.flatMap((wallet) => wallet.holder ?? []);
  return holder === undefined ? { kind: "sweep" } : { kind: "release", holder };
}
