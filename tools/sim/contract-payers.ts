/** The contract payers of a run: their accounts on the chain, their signatures, and the harm they do. */
import {
  buyerUnits,
  ownerSlot,
  sampleWalletCode,
  type Devnet,
  type DevnetWallet,
} from "@farthing/devnet";
import {
  deploySafe,
  designSafe,
  placeSafe,
  safeProxyFactory,
  signBySafe,
  wrapErc6492,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import { batcherCode } from "@farthing/engine/testing/batch-contract";
import { finalDepth } from "@farthing/lab/audit";
import { calls, digestOf, signAuthorization, type SignedPayment } from "@farthing/lab/token-calls";
import {
  addressWord,
  parseAddress,
  type Address,
  type Authorization,
  type Hex,
} from "@farthing/protocol";
import * as Hash from "ox/Hash";
import type { World } from "./chain-world.ts";
import { contractPayersEach, type ContractPayerKind, type Event, type Plan } from "./plan.ts";

/** An event at contract payers. */
export type ContractEvent = Extract<
  Event,
  { what: "harm" | "no-harm" | "code-placed" | "code-removed" | "wallet-deployed" }
>;

export interface Payer {
  readonly address: Address;
  /** Of the account, or of the first owner of its contract wallet. */
  readonly privateKey: Hex;
  sign(authorization: Authorization): SignedPayment;
}

/** Where the batch contract is, when a run has it. */
export const batchContract: Address = "0xba7c4e8000000000000000000000000000000001";

/** Burns all the gas that a call gets (INVALID). */
const burningCode: Hex = "0xfe";

/** More than any node of a run lags behind, so that each knows the contracts. */
const knownAfterBlocks = 12;

/** Plain accounts that get code: buyers of the devnet behind those of the plan. */
export function buyersInAll({ buyers, faultKinds }: Pick<Plan, "buyers" | "faultKinds">): number {
  return buyers + (faultKinds.includes("contracts") ? contractPayersEach : 0);
}

function each<T>(make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: contractPayersEach }, (_, index) => make(index)));
}

export type ContractPayers = Awaited<ReturnType<typeof placeContractPayers>>;

/** Puts the contracts on the chain, before the world takes control of it. Each payer has as much as a buyer. */
export async function placeContractPayers(devnet: Devnet, plan: Plan) {
  if (plan.hasBatchContract) await devnet.rpc("anvil_setCode", [batchContract, batcherCode]);
  await placeSafe(devnet);
  const single = await each((index) => makeSafe(devnet, { owners: 1, threshold: 1, index }));
  const shared = await each((index) => makeSafe(devnet, { owners: 3, threshold: 2, index }));
  const undeployed = await each((index) => makeSafe(devnet, { owners: 2, threshold: 2, index }));
  for (const safe of [...single, ...shared]) await deploySafe(devnet, safe);
  const burners = await each((index) => placeSampleWallet(devnet, "b0", index));
  const reverters = await each((index) => placeSampleWallet(devnet, "e0", index));
  const accounts = devnet.buyers.slice(plan.buyers);
  const payers: Record<ContractPayerKind, readonly Payer[]> = {
    "safe-1-of-1": single.map((safe) => payerBySafe(devnet, safe)),
    "safe-2-of-3": shared.map((safe) => payerBySafe(devnet, safe)),
    undeployed: undeployed.map((safe) =>
      payerBySafe(devnet, safe, (signature) =>
        wrapErc6492(safeProxyFactory, safe.factoryCall, signature),
      ),
    ),
    burner: burners.map((address) => payerByKey(devnet, { ...devnet.smartWallet.owner, address })),
    reverter: reverters.map((address) =>
      payerByKey(devnet, { ...devnet.smartWallet.owner, address }),
    ),
    "gets-code": accounts.map((account) => payerByKey(devnet, account)),
  };
  const contracts = [...single, ...shared, ...undeployed].map(({ address }) => address);
  for (const address of [...contracts, ...burners, ...reverters]) {
    await devnet.usdc.mint(address, buyerUnits);
  }
  await devnet.mine(knownAfterBlocks + finalDepth);
  return {
    payers,
    /** Whose money moves by authorizations alone. */
    addresses: Object.values(payers).flatMap((some) => some.map(({ address }) => address)),
    harmful: { burner: burners, reverter: reverters },
    accounts: accounts.map(({ address }) => address),
    undeployed,
  };
}

/** A Safe that is not deployed. `owners` also tells Safes of different kinds apart. */
function makeSafe(
  devnet: Devnet,
  { owners, threshold, index }: { owners: number; threshold: number; index: number },
): Promise<SafeWallet> {
  const keys = Array.from({ length: owners }, (_, owner): Hex =>
    Hash.keccak256(`0x${(owner + 1).toString(16).padStart(64, "0")}`),
  );
  return designSafe(devnet, keys, { threshold, saltNonce: BigInt(index) });
}

async function placeSampleWallet(devnet: Devnet, kind: string, index: number): Promise<Address> {
  const address = parseAddress(`0x1271${kind}${"0".repeat(32)}${index}a`);
  if (!address) throw new Error("the wallet's address is an address");
  const slot = `0x${ownerSlot.toString(16).padStart(64, "0")}`;
  const owner = `0x${addressWord(devnet.smartWallet.owner.address)}`;
  await devnet.rpc("anvil_setCode", [address, sampleWalletCode]);
  await devnet.rpc("anvil_setStorageAt", [address, slot, owner]);
  return address;
}

function payerBySafe(
  { chainId }: Devnet,
  safe: SafeWallet,
  wrap = (signature: Hex): Hex => signature,
): Payer {
  const { address, signers } = safe;
  return {
    address,
    privateKey: signers[0] ?? "0x",
    sign: (authorization) => ({
      authorization,
      signature: wrap(signBySafe(chainId, safe, digestOf(chainId, authorization))),
    }),
  };
}

/** Whose signature is that of a key; the account may be a contract wallet of the key. */
export function payerByKey({ chainId }: Devnet, { address, privateKey }: DevnetWallet): Payer {
  const sign = (authorization: Authorization) =>
    signAuthorization(chainId, authorization, privateKey);
  return { address, privateKey, sign };
}

/** Goes ahead of every relayer in a block: 1,000 gwei. */
const aheadPrice = 1_000_000_000_000n;

/** Prepares the events at contract payers; a run without any has none. */
export function createContractEvents(
  devnet: Devnet,
  world: World,
  contracts: ContractPayers | undefined,
) {
  const { privateKey } = devnet.treasury;
  const order = (to: Address, data: Hex) =>
    world.order({ to, data, gasPrice: aheadPrice }, privateKey);

  function setHarm(contract: "burner" | "reverter", isOn: boolean): void {
    const harm = contract === "burner" ? "burn-gas" : "revert";
    for (const wallet of contracts?.harmful[contract] ?? []) {
      order(wallet, calls.walletMode(isOn ? harm : "owner-signed"));
    }
  }

  async function setCode(index: number, code: Hex): Promise<void> {
    const account = contracts?.accounts[index];
    if (account) await world.setCode(account, code);
  }

  return {
    async inject(event: ContractEvent): Promise<void> {
      switch (event.what) {
        case "harm":
        case "no-harm":
          return setHarm(event.contract, event.what === "harm");
        case "code-placed":
          return setCode(event.account, burningCode);
        case "code-removed":
          return setCode(event.account, "0x");
        case "wallet-deployed": {
          const wallet = contracts?.undeployed[event.account];
          return wallet && order(safeProxyFactory, wallet.factoryCall);
        }
        default:
          return event satisfies never;
      }
    },
    async heal(): Promise<void> {
      setHarm("burner", false);
      setHarm("reverter", false);
      for (const index of contracts?.accounts.keys() ?? []) await setCode(index, "0x");
    },
  };
}
