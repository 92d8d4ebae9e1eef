/**
 * The check before serving: is this the right chain, does the token stand where it should, is its
 * EIP-712 domain the one that payments are signed for, can the relayer wallets pay gas.
 */
import { formatEther } from "./ether.ts";
import { messageOf } from "../base/fault.ts";
import type { Address } from "@farthing/protocol";
import { quantity, resultOf, type Chain } from "./chain.ts";
import { domainSeparatorCall } from "./usdc.ts";

/** One line of the check. */
export interface CheckLine {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, and when it is wrong, what to do. */
  readonly text: string;
}

/** Checks one network; every finding is a line, and nothing is thrown. */
export async function selfCheck(
  chain: Chain,
  relayers: readonly Address[],
  gasFloorWei: bigint,
): Promise<CheckLine[]> {
  const { network } = chain;
  try {
    const [id, code, separator, ...balances] = await chain.read([
      { method: "eth_chainId", params: [] },
      { method: "eth_getCode", params: [network.usdc, "latest"] },
      { method: "eth_call", params: [{ to: network.usdc, data: domainSeparatorCall }, "latest"] },
      ...relayers.map((relayer) => ({ method: "eth_getBalance", params: [relayer, "latest"] })),
    ]);
    const chainId = Number(quantity(resultOf(id, "eth_chainId"), "the chain id"));
    if (chainId !== network.chainId) return [wrongChain(chain, chainId)];
    const lines: CheckLine[] = [
      { name: "chain id", ok: true, text: `${chainId}, ${network.name}` },
    ];
    if (String(resultOf(code, "eth_getCode")).length <= 2) {
      return [
        ...lines,
        {
          name: "token",
          ok: false,
          text: `no contract at ${network.usdc}; use a node of ${network.name} that is in sync`,
        },
      ];
    }
    lines.push({ name: "token", ok: true, text: `USDC at ${network.usdc}` });
    const found = separator?.ok ? String(separator.result).toLowerCase() : "no answer";
    const isSame = found === network.domainSeparator;
    lines.push({
      name: "domain separator",
      ok: isSame,
      text: isSame
        ? "as payments are signed for"
        : `${found} instead of ${network.domainSeparator}; the token is not the USDC that payments are signed for, do not serve this chain`,
    });
    return [
      ...lines,
      ...relayers.map((relayer, index) =>
        balanceLine(
          relayer,
          quantity(resultOf(balances[index], "eth_getBalance"), "a balance"),
          gasFloorWei,
        ),
      ),
    ];
  } catch (error) {
    return [
      {
        name: "node",
        ok: false,
        text: `${messageOf(error)}; check FARTHING_RPC_${network.chainId} and that the node is reachable`,
      },
    ];
  }
}

function wrongChain(chain: Chain, found: number): CheckLine {
  const { network } = chain;
  return {
    name: "chain id",
    ok: false,
    text: `the node serves chain ${found}, not ${network.chainId}; put a node of ${network.name} into FARTHING_RPC_${network.chainId}`,
  };
}

function balanceLine(relayer: Address, balance: bigint, floor: bigint): CheckLine {
  const ok = balance >= floor;
  const have = `${relayer} holds ${formatEther(balance)} XDC`;
  return {
    name: "relayer",
    ok,
    text: ok
      ? have
      : `${have}, less than the ${formatEther(floor)} that one settlement can cost; send it XDC for gas`,
  };
}
