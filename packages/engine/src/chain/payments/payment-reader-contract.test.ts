/**
 * The facilitator's payment reader on a real chain: one read of many payments, none of which may
 * change or spoil what is said about another.
 */
import * as AbiParameters from "ox/AbiParameters";
import * as Hex from "ox/Hex";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Address, Hex as HexText } from "@farthing/protocol";
import { RpcError } from "@farthing/devnet";
import {
  decodeReason,
  encodeAuthorization,
  now,
  revertReason,
  startTokenBench,
  type Terms,
  type TokenBench,
} from "@farthing/devnet/testing";
import { paymentReaderCode } from "../contracts/generated/payment-reader.ts";

interface Check {
  payer: Address;
  nonce: HexText;
  call: HexText;
}

const parameters = AbiParameters.from([
  "struct Check { address payer; bytes32 nonce; bytes call; }",
  "address token, uint256 gasCap, Check[] checks",
]);
const answer = AbiParameters.from([
  "struct Result { uint256 codeSize; uint256 balance; bool used; bool success; bytes returnData; }",
  "uint256 blockNumber, uint256 blockTimestamp, Result[] results",
]);

/** The most a contract payer may use. */
const gasCap = 400_000n;

/** The gas cap of eth_call on an XDC node. */
const nodeGas = 50_000_000;

/** NotEnoughGas() */
const notEnoughGas = "0xdd629f86";

let bench: TokenBench;
beforeAll(async () => {
  bench = await startTokenBench();
});
afterAll(() => bench?.devnet.stop());
beforeEach(() => bench.reset());

const wallet = (): Address => bench.devnet.smartWallet.address;

async function read(checks: Check[], { token = bench.devnet.token, gas = nodeGas } = {}) {
  const data = Hex.concat(
    paymentReaderCode,
    AbiParameters.encode(parameters, [token, gasCap, checks]),
  );
  const call = { data, gas: Hex.fromNumber(gas) };
  const result = await bench.devnet.rpc<HexText>("eth_call", [call, "latest"]);
  const [blockNumber, blockTimestamp, results] = AbiParameters.decode(answer, result);
  return { blockNumber, blockTimestamp, results };
}

/** A correctly signed payment; every one has another nonce unless told otherwise. */
let nonces = 0;
function check(changes: Partial<Terms> = {}): Check {
  nonces += 1;
  const terms = bench.terms({ nonce: Hex.fromNumber(nonces, { size: 32 }), ...changes });
  const signature = bench.signTransfer(terms);
  const call = encodeAuthorization("transferWithAuthorization", "bytes", terms, signature);
  return { payer: terms.from, nonce: terms.nonce, call };
}

const payable = {
  codeSize: 0n,
  balance: 1_000_000_000n,
  used: false,
  success: true,
  returnData: "0x",
};

test("says at which block it looked", async () => {
  await bench.devnet.setNextBlockTimestamp(Number(now));
  await bench.devnet.mine();
  const { blockNumber, blockTimestamp, results } = await read([]);
  expect(blockNumber).toBe(BigInt(await bench.devnet.rpc<HexText>("eth_blockNumber")));
  expect(blockTimestamp).toBe(now);
  expect(results).toEqual([]);
});

test("finds a good payment payable and changes nothing", async () => {
  const one = check();
  expect((await read([one])).results).toEqual([payable]);
  const { usdc, seller } = bench.devnet;
  expect(await usdc.balanceOf(seller.address)).toBe(0n);
  expect(await usdc.authorizationState(one.payer, one.nonce)).toBe(false);
});

test("no check sees what another one did", async () => {
  const all = { value: 1_000_000_000n };
  const twice = check(all);
  // Together three times the balance, and one authorization twice.
  const { results } = await read([twice, twice, check(all)]);
  expect(results).toEqual([payable, payable, payable]);
});

test("tells why a payment would fail, each in its own place", async () => {
  const { usdc, buyers } = bench.devnet;
  const [payer, poor] = buyers;
  if (!payer || !poor) throw new Error("no buyers");
  const canceled = check();
  await bench.devnet.cancelAuthorization({
    privateKey: payer.privateKey,
    nonce: canceled.nonce,
  });
  await usdc.setBalance(poor.address, 999_999n);

  const { results } = await read([
    canceled,
    check(),
    check({ from: poor.address }),
    check({ validBefore: 1n }),
  ]);

  expect(results.map(({ used, success }) => ({ used, success }))).toEqual([
    { used: true, success: false },
    { used: false, success: true },
    { used: false, success: false },
    { used: false, success: false },
  ]);
  expect(results[2]?.balance).toBe(999_999n);
  expect(results.map(({ returnData }) => decodeReason(returnData))).toEqual([
    "FiatTokenV2: authorization is used or canceled",
    "0x",
    "ERC20: transfer amount exceeds balance",
    "FiatTokenV2: authorization is expired",
  ]);
});

test("knows a contract wallet, and one that is not deployed yet", async () => {
  const undeployed: Address = "0x00000000000000000000000000000000000A11CE";
  const terms = bench.terms({ from: undeployed });
  // ERC-6492 signatures end with a marker and are far longer than 65 bytes.
  const call = encodeAuthorization(
    "transferWithAuthorization",
    "bytes",
    terms,
    `0x${"64".repeat(200)}`,
  );
  const { results } = await read([
    check({ from: wallet() }),
    { payer: undeployed, nonce: terms.nonce, call },
  ]);
  expect(results[0]).toMatchObject({ success: true, balance: 1_000_000_000n });
  expect(results[0]?.codeSize).toBeGreaterThan(0n);
  expect(results[1]).toMatchObject({ codeSize: 0n, balance: 0n, success: false });
  expect(decodeReason(results[1]?.returnData ?? "0x")).toBe("ECRecover: invalid signature length");
});

test.each(["burn-gas", "return-bomb"] as const)(
  "a wallet that tries %s is out of gas and spoils nothing",
  async (mode) => {
    await bench.devnet.walletMode(mode);
    const { results } = await read([check(), check({ from: wallet() }), check()]);
    expect(results[0]).toEqual(payable);
    expect(results[1]).toMatchObject({ success: false, returnData: "0x" });
    expect(results[2]).toEqual(payable);
  },
);

test("a wallet that merely refuses gives the token's reason", async () => {
  await bench.devnet.walletMode("refuse");
  const { results } = await read([check({ from: wallet() })]);
  expect(decodeReason(results[0]?.returnData ?? "0x")).toBe("FiatTokenV2: invalid signature");
});

/**
 * A contract that answers reads with 32 zero bytes, and reverts with 10,000 bytes when called with
 * more than 100: `if calldatasize() > 100 { revert(0, 10000) } return(0, 32)`.
 */
const bomb: Address = "0x000000000000000000000000000000000000b0b0";
const bombCode = "0x60643611600c5760206000f35b6127106000fd";

test("50 answers of any length fit, and the fifty-first does not", async () => {
  await bench.devnet.rpc("anvil_setCode", [bomb, bombCode]);
  const checks = Array.from({ length: 50 }, () => check());
  const { results } = await read(checks, { token: bomb });
  expect(results).toHaveLength(50);
  for (const { success, returnData } of results) {
    expect(success).toBe(false);
    expect(Hex.size(returnData)).toBe(256);
  }
  await expect(read([...checks, check()], { token: bomb })).rejects.toThrow(RpcError);
});

test("a read with too little gas fails as a whole and calls no payment bad", async () => {
  await bench.devnet.walletMode("burn-gas");
  const checks = [check({ from: wallet() }), check({ from: wallet() }), check()];
  // Two burners leave nothing for the third check.
  const error = await read(checks, { gas: 1_300_000 }).catch((error: unknown) => error);
  if (!(error instanceof RpcError)) throw new Error("the read did not fail");
  expect(revertReason(error)).toBe(notEnoughGas);
});

test("every gas limit gives the right answer or none", async () => {
  const checks = [check(), check({ validBefore: 1n }), check({ from: wallet() })];
  const right = (await read(checks)).results;
  let answers = 0;
  let failures = 0;
  for (let gas = 400_000; gas <= 1_500_000; gas += 20_000) {
    const outcome = await read(checks, { gas }).catch(() => undefined);
    if (outcome) expect(outcome.results).toEqual(right);
    if (outcome) answers += 1;
    else failures += 1;
  }
  expect(answers).toBeGreaterThan(0);
  expect(failures).toBeGreaterThan(0);
});
