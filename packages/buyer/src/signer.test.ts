/** Signatures against the published vector; every kind of wallet fits. */
import { authorizationTypedData, xdc, type Authorization } from "@farthing/protocol";
import { createServer } from "node:http";
import { text as readText } from "node:stream/consumers";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "./buyer-bench.testing.ts";
import { contractWalletSigner, privateKeySigner } from "./signer.ts";
import {
  listen,
  otherPayee,
  payer,
  payTo,
  startSeller,
  testKey,
} from "./scripted-seller.testing.ts";

const authorization: Authorization = {
  from: payer,
  to: payTo,
  value: 1000n,
  validAfter: 0n,
  validBefore: 4_102_444_800n,
  nonce: `0x${"01".repeat(32)}`,
};
const vector =
  "0xeda9e857b3afe154dd6866cdd22350ab1e420475c1d31fc300fab183c8d45cc711c1b9cfaef59504e133cc89d30d9ce23627fef4ff9fb4a0020fc27638a512081c";

test("a private key signs the vector of the wire reference, as viem does", async () => {
  const data = authorizationTypedData(xdc, authorization);
  expect(await privateKeySigner(testKey).signTypedData(data)).toBe(vector);
  expect(await privateKeySigner(testKey.slice(2)).signTypedData(data)).toBe(vector);
  expect(await privateKeyToAccount(testKey).signTypedData(data)).toBe(vector);
  expect(privateKeySigner(testKey).address).toBe(payer);
});

test("a viem account pays as it is", async () => {
  await using seller = await startSeller();
  const { pay } = buyerBench({ signer: privateKeyToAccount(testKey) });
  expect((await pay(seller.url)).payment).toMatchObject({ state: "settled", payer });
});

test.each(["", "0x12", "f".repeat(64), "0".repeat(64), `0x${"zz".repeat(32)}`])(
  "%s is no private key, and the error does not repeat it",
  (text) => {
    const attempt = () => privateKeySigner(text);
    expect(attempt).toThrow(TypeError);
    expect(attempt).toThrow(/64 hexadecimal digits/);
  },
);

test("a contract wallet is the payer; its signature goes out as it was given", async () => {
  await using seller = await startSeller();
  const long = `0x${"ab".repeat(130)}` as const;
  const signer = contractWalletSigner(otherPayee, { signTypedData: () => Promise.resolve(long) });
  await buyerBench({ signer }).pay(seller.url);
  expect(seller.payment().authorization.from).toBe(otherPayee);
  expect(seller.payment().signature).toBe(long);
});

test.each([
  ["enough", { balance: 10_000n }, undefined],
  ["too little", { balance: 9_999n }, "insufficient_balance"],
  ["a node of another chain", { balance: 0n, chainId: 1 }, undefined],
  ["a node that fails", { balance: 0n, status: 500 }, undefined],
  ["a contract wallet without code", { balance: 10_000n, code: "0x" }, "insufficient_balance"],
] as const)("balance: %s", async (_, node, code) => {
  await using seller = await startSeller();
  const rpc = await startNode(node);
  const owner = privateKeySigner(testKey);
  const signer = "code" in node ? contractWalletSigner(otherPayee, owner) : owner;
  const { pay } = buyerBench({ signer, rpcUrl: rpc.url });
  if (code === undefined) expect((await pay(seller.url)).payment.state).toBe("settled");
  else expect((await paymentErrorOf(pay(seller.url))).code).toBe(code);
  rpc.close();
});

test("a node is asked everything at once: far away, each answer takes as long as the payment", async () => {
  await using seller = await startSeller();
  const rpc = await startNode({ balance: 10_000n, answersAfter: 2 });
  const signer = privateKeySigner(testKey);
  const { pay } = buyerBench({ signer, rpcUrl: rpc.url });
  expect((await pay(seller.url)).payment.state).toBe("settled");
  expect(rpc.answered()).toBe(2);
  rpc.close();
});

/** A node that knows three methods. */
async function startNode(node: {
  balance: bigint;
  chainId?: number;
  status?: number;
  code?: string;
  /** Answers nothing before so many requests have come. */
  answersAfter?: number;
}) {
  let asked = 0;
  let answered = 0;
  const enough = Promise.withResolvers<void>();
  const results: Record<string, string> = {
    eth_chainId: `0x${(node.chainId ?? 50).toString(16)}`,
    eth_getCode: node.code ?? "0x60",
    eth_call: `0x${node.balance.toString(16).padStart(64, "0")}`,
  };
  const server = createServer((request, response) => {
    void readText(request).then(async (text) => {
      if (++asked >= (node.answersAfter ?? 1)) enough.resolve();
      await enough.promise;
      answered += 1;
      const method = Object.keys(results).find((name) => text.includes(`"${name}"`)) ?? "";
      const answer = { jsonrpc: "2.0", id: 1, result: results[method] };
      response.statusCode = node.status ?? 200;
      return response.end(JSON.stringify(node.status === undefined ? answer : {}));
    });
  });
  const close = (): void => server.close().closeAllConnections();
  return { url: await listen(server), close, answered: () => answered };
}
