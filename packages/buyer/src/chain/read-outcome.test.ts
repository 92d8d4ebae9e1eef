/** What the answers of a node prove of a payment; a real chain does not give the false ones. */
import { apothem, type Hex, type JsonObject } from "@farthing/protocol";
import { expect, test } from "vitest";
import { addressTopic, readOutcome, topics, type SignedTerms } from "./read-outcome.ts";

const hash = (byte: string): Hex => `0x${byte.repeat(32)}`;
const transaction = hash("ab");
const terms: SignedTerms = {
  network: apothem,
  from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  units: 10_000n,
  nonce: hash("07"),
  validBefore: 1_000,
  signedAfter: 900,
};

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const token = apothem.usdc;
const use = {
  address: token,
  topics: [topics.used, addressTopic(terms.from), terms.nonce],
  data: "0x",
};
const transfer = {
  address: token,
  topics: [topics.transfer, addressTopic(terms.from), addressTopic(terms.to)],
  data: word(terms.units),
};
const receipt = { status: "0x1", blockNumber: "0x5", logs: [use, transfer] };
const usedAt = { ...use, transactionHash: transaction, blockNumber: "0x5" };
const canceledAt = { ...usedAt, topics: [topics.canceled, ...use.topics.slice(1)] };

interface Node {
  readonly chainId?: string;
  /** Unix seconds of the final block, which is 8; the newest one is 10. */
  readonly finalTime?: number;
  /** Whether the authorization is used in the newest block, and in the final one. */
  readonly used?: readonly [boolean, boolean];
  readonly receipt?: JsonObject | null;
  readonly logs?: readonly JsonObject[];
}

function answer(node: Node, method: string, [first, second]: readonly unknown[]): unknown {
  const { chainId = "0x33", finalTime = 990, used = [true, true], logs = [usedAt] } = node;
  switch (method) {
    case "eth_chainId":
      return chainId;
    case "eth_getBlockByNumber":
      return first === "latest"
        ? { number: "0xa", timestamp: "0x3e8" }
        : { number: "0x8", timestamp: `0x${finalTime.toString(16)}` };
    case "eth_call":
      return word(used[second === "latest" ? 0 : 1] ? 1n : 0n);
    case "eth_getTransactionReceipt":
      return node.receipt === undefined ? receipt : node.receipt;
    default:
      return logs;
  }
}

function read(node: Node, more: Partial<SignedTerms> = {}) {
  const fetch = async (url: string | URL | Request, init?: RequestInit) => {
    const { method, params } = await new Request(url, init).json();
    return Response.json({ jsonrpc: "2.0", id: 1, result: answer(node, method, params) });
  };
  return readOutcome(fetch, "https://node.example", { ...terms, ...more });
}

const settled = { state: "settled", transaction, blockNumber: 5, isFinal: true };
const contradicted = { state: "unknown", isContradicted: true };

test("the transfer of the terms with the authorization's use is the payment", async () => {
  expect(await read({})).toEqual(settled);
  expect(await read({ logs: [] }, { transaction })).toEqual(settled);
  expect(await read({ receipt: { ...receipt, blockNumber: "0x9" } })).toMatchObject({
    state: "settled",
    isFinal: false,
  });
});

test.each<[string, JsonObject | null]>([
  ["is not there", null],
  ["has failed", { ...receipt, status: "0x0" }],
  [
    "uses another authorization",
    {
      ...receipt,
      logs: [{ ...use, topics: [topics.used, addressTopic(terms.from), hash("08")] }, transfer],
    },
  ],
  ["pays less", { ...receipt, logs: [use, { ...transfer, data: word(9_999n) }] }],
  [
    "pays another recipient",
    {
      ...receipt,
      logs: [
        use,
        {
          ...transfer,
          topics: [topics.transfer, addressTopic(terms.from), addressTopic(terms.from)],
        },
      ],
    },
  ],
  ["is one of another token", { ...receipt, logs: [use, { ...transfer, address: terms.to }] }],
  ["is used at another contract", { ...receipt, logs: [{ ...use, address: terms.to }, transfer] }],
  ["says no block", { ...receipt, blockNumber: "soon" }],
])("a transaction that %s is no payment", async (_what, wrong) => {
  expect(await read({ receipt: wrong })).toMatchObject(contradicted);
  // A seller may name any transaction; what is unused stays unused.
  const named = await read({ receipt: wrong, used: [false, false] }, { transaction });
  expect(named.state).toBe("unknown");
  expect(named).not.toHaveProperty("isContradicted");
});

test("only what expired unused in a final block can no longer be made", async () => {
  const unused = { used: [false, false] } as const;
  expect(await read({ ...unused, finalTime: 999 })).toMatchObject({ state: "unknown" });
  expect(await read({ ...unused, finalTime: 1_000 })).toMatchObject({ state: "unused" });
  // A backend that lags, or one that has seen a reorganisation: one of the two answers is wrong.
  expect(await read({ used: [false, true], finalTime: 1_000 })).toMatchObject({ state: "unknown" });
});

test("a cancellation counts once it is final, and an event that was taken back does not", async () => {
  expect(await read({ logs: [canceledAt] })).toMatchObject({ state: "unused" });
  const late = { ...canceledAt, blockNumber: "0x9" };
  expect(await read({ logs: [late] })).toMatchObject({ state: "unknown" });
  expect(await read({ logs: [{ ...canceledAt, removed: true }] })).toMatchObject({
    state: "unknown",
  });
  expect(await read({ logs: [] })).toMatchObject({ state: "unknown" });
});

test("a node of another chain says nothing of the payment", async () => {
  const other = await read({ chainId: "0x32", used: [false, false], finalTime: 2_000 });
  expect(other).toMatchObject({ state: "unknown", isUnanswered: true });
});
