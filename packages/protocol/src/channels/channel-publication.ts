/**
 * How the contracts of `batch-settlement` are published: a deployer that every chain may have creates
 * them at an address that follows from a salt and their creation code, so that no other code can
 * stand there.
 */
import * as ContractAddress from "ox/ContractAddress";
import * as Hash from "ox/Hash";
import * as OxAddress from "ox/Address";
import { addressWord, type Address } from "../networks/address.ts";
import { channelContract, depositCollector } from "../networks/channel-addresses.ts";
import type { ChainId } from "../networks/networks.ts";
import type { Hex } from "../encoding/hex.ts";

/** Creates what follows a salt in its calldata; https://github.com/Arachnid/deterministic-deployment-proxy. */
export const create2Deployer: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** The deployer's code, the same on every chain. */
export const create2DeployerCode: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

export interface PublishedContract {
  readonly name: "channels" | "collector";
  readonly address: Address;
  readonly salt: Hex;
  /** keccak256 of the creation code with the constructor's arguments. */
  readonly creationHash: Hex;
  /** keccak256 of the code on each chain: that of the first has the chain's EIP-712 domain in it. */
  readonly codeHash: Readonly<Record<ChainId, Hex>>;
}

/** From https://github.com/x402-foundation/x402, contracts/evm, script/DeployBatchSettlement.s.sol. */
export const publishedContracts: readonly PublishedContract[] = [
  {
    name: "channels",
    address: channelContract,
    salt: "0x000000000000000000000000000000000000000000000000e000000005be885c",
    creationHash: "0xed07c0a1aeb6bd4b8e28932959d66e9f2c1a2f6ebb1fd3dc5f3fbcf8135850f6",
    codeHash: {
      50: "0x9bc76d3a239507b8b51591a8ac16573e1a9baea4513eff9d1d579cbd63253918",
      51: "0x74027f31db0e493e443e77b62d8b6b05f86bc131005290d2ae0c27e3d83404ec",
    },
  },
  {
    name: "collector",
    address: depositCollector,
    salt: "0x0000000000000000000000000000000000000000000000001800000007a95284",
    creationHash: "0x14c375650a0800e61520b3ce0973e3787496ec52064fee8a6a022dd4621a8022",
    codeHash: {
      50: "0x0c2cfe8840e964588598801e8d109593fdc57e16d85f214653139c79186d1f3b",
      51: "0x0c2cfe8840e964588598801e8d109593fdc57e16d85f214653139c79186d1f3b",
    },
  },
];

export function keccak256Of(code: Hex): Hex {
  return Hash.keccak256(code, { as: "Hex" });
}

/** Where the deployer creates a contract. */
export function create2Address(salt: Hex, creationCode: Hex): Address {
  const created = { from: create2Deployer, salt, bytecode: creationCode };
  return OxAddress.checksum(ContractAddress.fromCreate2(created));
}

/** The collector's creation code as compilers print it lacks the constructor's argument. */
export function withSettlement(creationCode: Hex): Hex {
  return `${creationCode}${addressWord(channelContract)}`;
}
