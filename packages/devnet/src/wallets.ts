/**
 * The devnet's wallets. Every key is public: they derive from the mnemonic that Hardhat and Foundry
 * print, so anybody can spend what they hold on a real chain. Nothing of value may ever be sent to
 * them.
 *
 * Which index of `m/44'/60'/0'/0/<index>` is which wallet does not depend on how many there are:
 *
 * | index      | wallet                                                          |
 * | ---------- | --------------------------------------------------------------- |
 * | 0          | the account that sends the test controls (mint, pause, ...)      |
 * | 1 + n      | buyer n; buyer 0 is the account known as Hardhat #1              |
 * | 10000 + n  | relayer n                                                        |
 * | 20000      | the seller's payout wallet                                       |
 * | 20001      | the operator's treasury                                          |
 * | 20002      | the owner of the sample contract wallet                          |
 */
import * as Address from "ox/Address";
import * as HdKey from "ox/HdKey";
import * as Mnemonic from "ox/Mnemonic";
import type { Address as WalletAddress, Hex } from "@farthing/protocol";

export interface DevnetWallet {
  /** EIP-55. */
  readonly address: WalletAddress;
  readonly privateKey: Hex;
}

/** The default of Hardhat and Foundry. */
export const devnetMnemonic = "test test test test test test test test test test test junk";

const firstBuyer = 1;
const firstRelayer = 10_000;
const sellerIndex = 20_000;
const treasuryIndex = 20_001;
const smartWalletOwnerIndex = 20_002;

/** The length of both index ranges. */
export const walletsMax = firstRelayer - firstBuyer;

/** The same on every start. */
export function deriveWallets(count: { buyers: number; relayers: number }) {
  for (const [name, wanted] of Object.entries(count)) {
    if (!Number.isInteger(wanted) || wanted < 0 || wanted > walletsMax) {
      throw new Error(`${name} must be a whole number from 0 to ${walletsMax}, not ${wanted}`);
    }
  }
  const range = (first: number, length: number) =>
    Array.from({ length }, (_, position) => wallet(first + position));
  return {
    buyers: range(firstBuyer, count.buyers),
    relayers: range(firstRelayer, count.relayers),
    /** Receives payments; starts without USDC. */
    seller: wallet(sellerIndex),
    /** The operator's; starts without USDC. */
    treasury: wallet(treasuryIndex),
    smartWalletOwner: wallet(smartWalletOwnerIndex),
  };
}

/** A few milliseconds each, and a process of tests starts hundreds of chains. As many as have an index. */
const derived = new Map<number, DevnetWallet>();

let branch: HdKey.HdKey | undefined;

function wallet(index: number): DevnetWallet {
  const known = derived.get(index);
  if (known) return known;
  branch ??= HdKey.fromSeed(Mnemonic.toSeed(devnetMnemonic)).derive("m/44'/60'/0'/0");
  const key = branch.derive(`m/${index}`);
  const address = Address.checksum(Address.fromPublicKey(key.publicKey));
  const made = { address, privateKey: key.privateKey };
  derived.set(index, made);
  return made;
}
