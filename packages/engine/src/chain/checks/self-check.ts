/** The check before serving: chain id, token, EIP-712 domain, logs, clock and relayer balances. */
import { usdcDecimals, type Address } from "@farthing/protocol";
import { fail, ok, warn, type CheckLine } from "../../base/check-line.ts";
import { backOffMs, type BackOffBounds } from "../../base/back-off.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import { checkBatchContract } from "./batch-contract-check.ts";
import { checkBlocks } from "./blocks-check.ts";
import { quantity, resultOf, type Chain } from "../endpoints/chain.ts";
import { formatEther, formatGwei } from "../../base/ether.ts";
import { classifyNodeError } from "../endpoints/node-errors.ts";
import { ethCall, type RpcReply } from "../endpoints/rpc-endpoint.ts";
import { saysPaused } from "../payments/token-pause.ts";
import {
  decimalsCall,
  decodeText,
  domainSeparatorCall,
  nameCall,
  pausedCall,
  versionCall,
} from "../contracts/usdc.ts";

/** A wallet that can pay for fewer settlements should be topped up soon. */
export const settlementsLow = 500n;

/** Typical gas of a settlement; the most measured with Circle's token is 103,580. */
export const usualGas = 90_000n;

/** Both in wei. */
export function paysFor(balance: bigint, price: bigint): bigint {
  return balance / (usualGas * price);
}

/** Wei. */
export interface GasNeeds {
  /** Most that one settlement can cost: a wallet with less cannot work. */
  readonly floor: bigint;
  readonly price: bigint;
}

/** A node that fails now and then has answered everything within these attempts, some three seconds. */
const triesMax = 5;
const retryPause: BackOffBounds = { minMs: 200, maxMs: 1_600 };

export interface CheckExpectations {
  readonly relayers: readonly Address[];
  readonly needs: GasNeeds;
  readonly clock: Clock;
  /** The batch contract, where one is configured. */
  readonly batcher: Address | undefined;
}

/** Asks again where the node fails; the last failure is named. */
export async function selfCheck(chain: Chain, expected: CheckExpectations): Promise<CheckLine[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await checkAll(chain, expected);
    } catch (error) {
      if (tries === triesMax) {
        const fix = `check FARTHING_RPC_${chain.network.chainId} and that the node is reachable`;
        return [fail("node", messageOf(error), fix)];
      }
      await expected.clock.sleep(backOffMs(tries, retryPause));
    }
  }
}

/** Throws RPC faults. */
async function checkAll(chain: Chain, expected: CheckExpectations): Promise<CheckLine[]> {
  const { relayers, needs, clock, batcher } = expected;
  const token = await checkToken(chain);
  if (token.some(({ name, status }) => name !== "domain separator" && status === "fail")) {
    return token;
  }
  const balances = await readBalances(chain, relayers);
  const wallets = relayers.map((relayer, index) =>
    balanceLine("relayer", relayer, balances[index] ?? 0n, needs),
  );
  const contract = batcher === undefined ? [] : [await checkBatchContract(chain, batcher)];
  return [...token, ...(await checkBlocks(chain, clock)), ...contract, ...wallets];
}

/** Checks chain id, token and domain; stops at the first finding that makes the rest pointless. */
export async function checkToken(chain: Chain): Promise<CheckLine[]> {
  const { network } = chain;
  const ask = (data: string) => ethCall({ to: network.usdc, data });
  const [id, code, separator, paused, ...facts] = await chain.read([
    { method: "eth_chainId", params: [] },
    { method: "eth_getCode", params: [network.usdc, "latest"] },
    ...[domainSeparatorCall, pausedCall, nameCall, versionCall, decimalsCall].map(ask),
  ]);
  const chainId = Number(quantity(resultOf(id, "eth_chainId"), "the chain id"));
  if (chainId !== network.chainId) return [wrongChain(chain, chainId)];
  const chainLine = ok("chain id", `${chainId}, ${network.name}`);
  if (String(resultOf(code, "eth_getCode")).length <= 2) {
    const fix = `use a node of ${network.name} that is in sync`;
    return [chainLine, fail("token", `no contract at ${network.usdc}`, fix)];
  }
  const pause = saysPaused(paused) ? [tokenPausedLine] : [];
  return [chainLine, tokenLine(chain, facts), separatorLine(chain, separator), ...pause];
}

/** Throws RPC faults. */
export async function readBalances(chain: Chain, wallets: readonly Address[]): Promise<bigint[]> {
  const method = "eth_getBalance";
  const replies = await chain.read(wallets.map((at) => ({ method, params: [at, "latest"] })));
  return replies.map((reply) => quantity(resultOf(reply, method), "a balance"));
}

export function wrongChain({ network }: Pick<Chain, "network">, found: number): CheckLine {
  return fail(
    "chain id",
    `the node serves chain ${found}, not ${network.chainId}`,
    `put a node of ${network.name} into FARTHING_RPC_${network.chainId}`,
  );
}

export function balanceLine(
  name: string,
  wallet: Address,
  balance: bigint,
  { floor, price }: GasNeeds,
): CheckLine {
  const has = `${wallet} holds ${formatEther(balance)} XDC`;
  if (balance < floor) {
    const least = `less than the ${formatEther(floor)} that one settlement can cost`;
    return fail(name, `${has}, ${least}`, "send it XDC for gas");
  }
  const settlements = paysFor(balance, price);
  // The start counts at the lowest price and the doctor at the present one, so the line names it.
  const text = `${has}, gas for about ${settlements.toLocaleString("en")} settlements at ${formatGwei(price)} gwei`;
  return settlements < settlementsLow ? warn(name, text, "top it up soon") : ok(name, text);
}

const tokenPausedLine = warn(
  "token paused",
  "by its issuer: no transfer succeeds",
  "wait; accepted payments are sent after the pause while they are valid",
);

const wrongToken =
  "the token is not the USDC that payments are signed for, do not serve this chain";

function tokenLine({ network }: Chain, facts: readonly (RpcReply | undefined)[]): CheckLine {
  const [name, version, decimals] = facts.map((reply) => bytesOrNone(reply).slice(2));
  const text = `"${decodeText(name ?? "")}" version "${decodeText(version ?? "")}", ${Number.parseInt(decimals ?? "", 16)} decimals, at ${network.usdc}`;
  const wanted = `"${network.domain.name}" version "${network.domain.version}", ${usdcDecimals} decimals, at ${network.usdc}`;
  if (text === wanted) return ok("token", text);
  return fail("token", `${text}; expected ${wanted}`, wrongToken);
}

function separatorLine({ network }: Chain, separator: RpcReply | undefined): CheckLine {
  const found = bytesOrNone(separator).toLowerCase();
  if (found === network.domainSeparator) {
    return ok("domain separator", "as payments are signed for");
  }
  return fail("domain separator", `${found} instead of ${network.domainSeparator}`, wrongToken);
}

/** Returns "0x" when the contract has no such function. Throws when the node failed. */
function bytesOrNone(reply: RpcReply | undefined): string {
  const isReverted = reply && !reply.ok && classifyNodeError(reply.error) === "reverted";
  return isReverted ? "0x" : String(resultOf(reply, "eth_call"));
}
