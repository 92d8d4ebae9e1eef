/**
 * The rotation of a relayer wallet, in steps that each leave a state from which the next run continues:
 *
 * 1. A new key is made and kept beside the keys file, in `<file>.next`, until its wallet has gas.
 * 2. The old key moves to `<file>.retired`, then the new one takes its place in the keys file.
 * 3. Once no process works the old wallet, its transactions are finished and its gas is swept.
 *
 * A key is written to its new place before it leaves the old one, so no crash loses one.
 */
import type { Address } from "@farthing/protocol";
import { readRelayerReport, walletAddressOf, type WalletStatus } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";
import {
  createKey,
  readKeys,
  readRotations,
  replacePrivate,
  writeRotations,
  type Rotation,
} from "./key-files.ts";

export type RotationStep =
  /** The new wallet needs gas here. */
  | { readonly kind: "fund"; readonly to: Address; readonly lacking: readonly Lacking[] }
  /** The keys file has the new key; the service must be started again. */
  | { readonly kind: "restart"; readonly to: Address }
  /** The old wallet can be swept with this key. */
  | { readonly kind: "sweep"; readonly to: Address; readonly key: string };

/** A network on which a wallet cannot pay for a single payment, and what it holds there. */
export type Lacking = Pick<WalletStatus, "network" | "xdc">;

/** The facilitator's settings, without a source of keys. */
export type RotationSettings = Readonly<Record<string, string | undefined>>;

/** Goes as far as is possible now. Throws the fault `configuration`, and RPC faults. */
export async function advanceRotation(
  keysFile: string,
  from: Address,
  settings: RotationSettings,
): Promise<RotationStep> {
  const next = `${keysFile}.next`;
  const retired = `${keysFile}.retired`;
  const keys = readKeys(keysFile);
  const old = keys.find((key) => walletAddressOf(key) === from);
  if (old === undefined) return retiredStep(from, { next, retired, keysFile });
  const { to, key } = planned(next, from);
  const lacking = await networksWithoutGas(to, key, settings);
  if (lacking.length > 0) return { kind: "fund", to, lacking };
  writeRotations(retired, [...without(readRotations(retired), from), { from, to, key: old }]);
  replacePrivate(keysFile, `${keys.map((one) => (one === old ? key : one)).join(",")}\n`);
  writeRotations(next, without(readRotations(next), from));
  return { kind: "restart", to };
}

function retiredStep(
  from: Address,
  { next, retired, keysFile }: Readonly<Record<"next" | "retired" | "keysFile", string>>,
): RotationStep {
  const done = readRotations(retired).find((rotation) => rotation.from === from);
  if (!done) {
    throw new Fault(
      "configuration",
      `${keysFile} has no key of ${from}; farthing relayer status lists the wallets. For a wallet of AWS KMS or Web3Signer, name its replacement with --to`,
    );
  }
  // What a crash between the last two writes left.
  const waiting = readRotations(next);
  if (waiting.some((one) => one.from === from)) writeRotations(next, without(waiting, from));
  return { kind: "sweep", to: done.to, key: done.key };
}

/** The rotation that was begun, or a new one. */
function planned(next: string, from: Address): Rotation {
  const waiting = readRotations(next);
  const begun = waiting.find((rotation) => rotation.from === from);
  if (begun) return begun;
  const key = createKey();
  const rotation = { from, to: walletAddressOf(key), key };
  writeRotations(next, [...waiting, rotation]);
  return rotation;
}

/** A wallet that cannot pay for a single payment would be no replacement. */
async function networksWithoutGas(
  to: Address,
  key: string,
  settings: RotationSettings,
): Promise<Lacking[]> {
  const report = await readRelayerReport({ env: { ...settings, FARTHING_RELAYER_KEYS: key } });
  const [problem] = report.problems;
  if (problem) throw new Fault("rpc_unavailable", `${problem.network}: ${problem.text}`);
  return report.wallets
    .filter(({ address, payments }) => address === to && payments === 0)
    .map(({ network, xdc }) => ({ network, xdc }));
}

function without(rotations: readonly Rotation[], from: Address): Rotation[] {
  return rotations.filter((rotation) => rotation.from !== from);
}
