/** Checks the code of the configured batch contract. */
import type { Address } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { fail, ok, type CheckLine } from "../../base/check-line.ts";
import { batchContractHash } from "../contracts/batch-contract.ts";
import { batcherCode } from "../contracts/generated/batcher.ts";
import type { Chain } from "../endpoints/chain.ts";
import { readCode } from "../reads/reads.ts";

/** Checks that the configured address has exactly the code of this version. Throws RPC faults. */
export async function checkBatchContract(chain: Chain, address: Address): Promise<CheckLine> {
  const code = await readCode(chain, address);
  const name = "batch contract";
  if (code === batcherCode) {
    return ok(name, `experimental, at ${address}, code hash ${batchContractHash}`);
  }
  const { chainId } = chain.network;
  const setting = `FARTHING_BATCHER_${chainId}`;
  const fix = `deploy it with \`farthing batcher deploy --network eip155:${chainId}\` and put its address into ${setting}, or leave ${setting} out`;
  const found =
    code === "0x"
      ? `no contract at ${address}`
      : `the contract at ${address} has the code hash ${Hash.keccak256(code)} instead of ${batchContractHash}`;
  return fail(name, found, fix);
}
