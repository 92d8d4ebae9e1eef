/**
 * Reads the state of many authorizations in one request: a start after a day of downtime has
 * thousands, and nodes count requests. A state at a block also covers all earlier blocks, so one
 * reply saves a search through them.
 */
import type { Address, Hex } from "@farthing/protocol";
import { Fault } from "../../base/fault.ts";
import { bytesOf, quantity, resultOf, type Chain, type TwoReads } from "../endpoints/chain.ts";
import { decodeBatch, encodeBatch, findMulticall } from "../contracts/multicall.ts";
import { ethCall, type RpcCall, type RpcReply } from "../endpoints/rpc-endpoint.ts";
import { encodeAuthorizationState } from "../contracts/usdc.ts";

export interface AuthorizationName {
  readonly payer: Address;
  readonly nonce: Hex;
}

/** Up to this many are read one by one, without looking for Multicall3. */
const singlyMax = 4;

/** At most 51 KB of JSON and 1 M gas in one `eth_call`, which every node allows. */
const questionsMax = 100;

/**
 * The returned function returns, in order, whether each is used or canceled at a block; a node without
 * it fails. Where a second endpoint can be asked, both must say "unused". Throws RPC faults.
 */
export function createAuthorizationStates(chain: Chain) {
  const { usdc } = chain.network;
  let multicall: Address | undefined;

  return async (wanted: readonly AuthorizationName[], blockNumber: number) => {
    if (wanted.length === 0) return [];
    const questions = wanted.map(({ payer, nonce }) => encodeAuthorizationState(payer, nonce));
    if (wanted.length > singlyMax && multicall === undefined) {
      const search = await findMulticall(chain);
      multicall = search.kind === "found" ? search.address : undefined;
    }
    const { calls, read } =
      wanted.length > singlyMax && multicall !== undefined
        ? together(multicall, questions, blockNumber)
        : singly(questions, blockNumber);
    const replies = await chain.readTwice(calls, blockNumber);
    const here = read(replies.here);
    if (here.every((isUsed) => isUsed)) return here;
    const elsewhere = readSecond(replies.elsewhere, read);
    return here.map((isUsed, index) => isUsed || elsewhere[index] === true);
  };

  function singly(questions: readonly Hex[], blockNumber: number): Asked {
    return {
      calls: questions.map((data) => ethCall({ to: usdc, data }, blockNumber)),
      read: (replies) =>
        replies.map((reply) => quantity(resultOf(reply, "eth_call"), aState) !== 0n),
    };
  }

  function together(to: Address, questions: readonly Hex[], blockNumber: number): Asked {
    const groups: Hex[][] = [];
    for (let at = 0; at < questions.length; at += questionsMax) {
      groups.push(questions.slice(at, at + questionsMax));
    }
    return {
      calls: groups.map((group) => {
        const data = encodeBatch(group.map((question) => ({ to: usdc, data: question })));
        return ethCall({ to, data }, blockNumber);
      }),
      read: (replies) =>
        groups.flatMap((group, index) => readTogether(replies[index], group.length)),
    };
  }
}

/** Nothing where no second endpoint counts; one that is silent for a moment has to be asked again. */
function readSecond(replies: TwoReads["elsewhere"], read: Asked["read"]): boolean[] {
  if (replies === "silent") {
    throw new Fault("rpc_unavailable", "A second RPC endpoint did not say what is unused");
  }
  return replies !== "none" && replies.every(({ ok }) => ok) ? read(replies) : [];
}

interface Asked {
  readonly calls: readonly RpcCall[];
  read(replies: readonly RpcReply[]): boolean[];
}

const aState = "an authorization's state";

function readTogether(reply: RpcReply | undefined, count: number): boolean[] {
  const results = decodeBatch(bytesOf(resultOf(reply, "eth_call"), "many answers"));
  if (results.length !== count || results.some(({ succeeded }) => !succeeded)) {
    throw new Fault("rpc_refused", "The node did not answer for every authorization");
  }
  return results.map(({ returnData }) => quantity(returnData, aState) !== 0n);
}
