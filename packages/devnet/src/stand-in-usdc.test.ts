/**
 * The rest of the stand-in token: canceling and receiving by authorization, batches through
 * Multicall3, what the token says about itself, and plain ERC-20.
 */
import * as AbiFunction from "ox/AbiFunction";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Address, Hex } from "@farthing/protocol";
import {
  encodeAuthorization,
  encodeCall,
  encodeCancellation,
  sign,
  toHighS,
  withParts,
} from "./authorizations.testing.ts";
import { now, startTokenBench, topicAddress, type TokenBench } from "./token-bench.testing.ts";

const overloads = ["bytes", "vrs"] as const;
const paused = "Pausable: paused";
const blacklisted = "Blacklistable: account is blacklisted";
const used = "FiatTokenV2: authorization is used or canceled";
const invalidSignature = "FiatTokenV2: invalid signature";
const wentThrough = (...events: string[]) =>
  expect.objectContaining({ reverted: undefined, events });
const failed = (reverted: string) => ({ reverted, events: [], logs: [] });

let bench: TokenBench;
beforeAll(async () => {
  bench = await startTokenBench();
});
afterAll(() => bench?.devnet.stop());
beforeEach(() => bench.reset());

const buyer = (index: number): { address: Address; privateKey: Hex } => {
  const found = bench.devnet.buyers[index];
  if (!found) throw new Error(`no buyer ${index}`);
  return found;
};
const nonceOf = (digits: string): Hex => `0x${digits.repeat(32)}`;
const nonce = nonceOf("a1");
const selector = (data: Hex) => data.slice(0, 10);

describe.each(overloads)("cancelAuthorization (%s)", (overload) => {
  const cancel = (spoil = (right: Hex): Hex => right, signer = buyer(0)) => {
    const cancellation = { authorizer: buyer(0).address, nonce };
    const right = sign(51, "CancelAuthorization", cancellation, signer.privateKey);
    return bench.run(encodeCancellation(overload, cancellation, spoil(right)));
  };

  test("has the selector of the real token", () => {
    const data = encodeCancellation(
      overload,
      { authorizer: buyer(0).address, nonce },
      `0x${"00".repeat(65)}`,
    );
    expect(selector(data)).toBe({ bytes: "0xb7b72899", vrs: "0x5a049a70" }[overload]);
  });

  test("emits AuthorizationCanceled alone and blocks the payment", async () => {
    const outcome = await cancel();
    expect(outcome).toEqual(wentThrough("AuthorizationCanceled"));
    expect(topicAddress(outcome.logs[0]?.topics[1])).toBe(buyer(0).address.toLowerCase());
    expect(outcome.logs[0]?.topics[2]).toBe(nonce);
    const { usdc } = bench.devnet;
    expect(await usdc.authorizationState(buyer(0).address, nonce)).toBe(true);
    expect(await bench.pay(overload)).toEqual(failed(used));
  });

  test("concerns one payer and one nonce", async () => {
    await cancel();
    const { usdc } = bench.devnet;
    expect(await usdc.authorizationState(buyer(1).address, nonce)).toBe(false);
    expect(await usdc.authorizationState(buyer(0).address, nonceOf("b2"))).toBe(false);
    expect((await bench.pay(overload, { nonce: nonceOf("b2") })).reverted).toBeUndefined();
    expect((await bench.pay(overload, { from: buyer(1).address })).reverted).toBeUndefined();
  });

  test("refuses a second time, and after the payment", async () => {
    await cancel();
    expect(await cancel()).toEqual(failed(used));
    await bench.reset();
    await bench.pay("bytes");
    expect(await cancel()).toEqual(failed(used));
  });

  test("refuses another signer and a signature of bad form", async () => {
    expect(await cancel(undefined, buyer(1))).toEqual(failed(invalidSignature));
    expect(await cancel(toHighS)).toEqual(failed("ECRecover: invalid signature 's' value"));
    expect(await cancel((right) => withParts(right, { v: 1 }))).toEqual(
      failed("ECRecover: invalid signature 'v' value"),
    );
  });

  test("is refused while paused, not while blacklisted", async () => {
    await bench.devnet.usdc.pause();
    expect(await cancel()).toEqual(failed(paused));
    await bench.devnet.usdc.unpause();
    await bench.devnet.usdc.blacklist(buyer(0).address);
    expect((await cancel()).reverted).toBeUndefined();
  });

  test("takes a contract wallet's signature", async () => {
    const { address, owner } = bench.devnet.smartWallet;
    const cancellation = { authorizer: address, nonce };
    const signature = sign(51, "CancelAuthorization", cancellation, owner.privateKey);
    const data = encodeCancellation(overload, cancellation, signature);
    expect(await bench.run(data)).toEqual(wentThrough("AuthorizationCanceled"));
  });
});

describe.each(overloads)("receiveWithAuthorization (%s)", (overload) => {
  const receive = (
    sender: Address,
    changes: Parameters<TokenBench["terms"]>[0] = {},
    type: "ReceiveWithAuthorization" | "TransferWithAuthorization" = "ReceiveWithAuthorization",
  ) => {
    const terms = bench.terms(changes);
    const signature = sign(51, type, { ...terms }, buyer(0).privateKey);
    const data = encodeAuthorization("receiveWithAuthorization", overload, terms, signature);
    expect(selector(data)).toBe({ bytes: "0x88b7ab63", vrs: "0xef55bec6" }[overload]);
    return bench.run(data, { from: sender });
  };

  test("pays the payee who asks", async () => {
    const outcome = await receive(bench.devnet.seller.address);
    expect(outcome).toEqual(wentThrough("AuthorizationUsed", "Transfer"));
    expect(await receive(bench.devnet.seller.address)).toEqual(failed(used));
  });

  test("refuses everybody else, before it looks at anything but pause and blacklist", async () => {
    const relayer = bench.devnet.relayers[0]?.address ?? "0x";
    const late = { validAfter: now, validBefore: now };
    expect(await receive(relayer, late)).toEqual(failed("FiatTokenV2: caller must be the payee"));
    await bench.devnet.usdc.blacklist(buyer(0).address);
    expect(await receive(relayer, late)).toEqual(failed(blacklisted));
    await bench.devnet.usdc.pause();
    expect(await receive(relayer, late)).toEqual(failed(paused));
  });

  test("refuses a transfer's signature, and times as transfers do", async () => {
    const { address } = bench.devnet.seller;
    const wrongType = await receive(address, {}, "TransferWithAuthorization");
    expect(wrongType).toEqual(failed(invalidSignature));
    expect(await receive(address, { validAfter: now })).toEqual(
      failed("FiatTokenV2: authorization is not yet valid"),
    );
    expect(await receive(address, { validBefore: now })).toEqual(
      failed("FiatTokenV2: authorization is expired"),
    );
  });
});

const payment = (digits: string, changes: Parameters<TokenBench["terms"]>[0] = {}): Hex => {
  const terms = bench.terms({ nonce: nonceOf(digits), ...changes });
  return encodeAuthorization(
    "transferWithAuthorization",
    "bytes",
    terms,
    bench.signTransfer(terms),
  );
};

describe("through Multicall3", () => {
  const aggregate3 = AbiFunction.from([
    "struct Call { address target; bool allowFailure; bytes callData; }",
    "function aggregate3(Call[] calls)",
  ]);

  test("each AuthorizationUsed has its Transfer directly behind it", async () => {
    const payments = [
      payment("01"),
      payment("02", { validBefore: now }),
      payment("03", { from: buyer(1).address, to: buyer(2).address }),
      payment("01"),
      payment("04", { from: bench.devnet.smartWallet.address }),
    ];
    const calls = payments.map((callData) => {
      return { target: bench.devnet.token, allowFailure: true, callData };
    });
    const data = AbiFunction.encodeData(aggregate3, [calls]);
    const { logs, events, reverted } = await bench.run(data, { to: bench.devnet.multicall3 });

    expect(reverted).toBeUndefined();
    const pair = ["AuthorizationUsed", "Transfer"];
    expect(events).toEqual([...pair, ...pair, ...pair]);
    expect(logs.map(({ logIndex }) => Number(logIndex))).toEqual([0, 1, 2, 3, 4, 5]);
    const usedNonces = logs.filter((_, index) => index % 2 === 0).map(({ topics }) => topics[2]);
    expect(usedNonces).toEqual([nonceOf("01"), nonceOf("03"), nonceOf("04")]);
    for (let index = 0; index < logs.length; index += 2) {
      expect(logs[index + 1]?.topics[1]).toBe(logs[index]?.topics[1]);
    }
  });
});

const read = (signature: string, args: unknown[] = []): Promise<Hex> =>
  bench.devnet.rpc("eth_call", [
    { to: bench.devnet.token, data: encodeCall(signature, args) },
    "latest",
  ]);
const text = (word: Hex) => Buffer.from(word.slice(130), "hex").toString().replaceAll("\0", "");

describe("the token itself", () => {
  test("says what the real one says", async () => {
    expect(text(await read("name()"))).toBe("USDC");
    expect(text(await read("symbol()"))).toBe("USDC");
    expect(text(await read("version()"))).toBe("2");
    expect(BigInt(await read("decimals()"))).toBe(6n);
    expect(await read("DOMAIN_SEPARATOR()")).toBe(bench.devnet.domainSeparator);
    expect(BigInt(await read("paused()"))).toBe(0n);
    // Five holders with 1,000 USDC each: four buyers and the contract wallet.
    expect(BigInt(await read("totalSupply()"))).toBe(5_000_000_000n);
    const { token, seller } = bench.devnet;
    expect(BigInt(await read("isBlacklisted(address account)", [token]))).toBe(1n);
    expect(BigInt(await read("isBlacklisted(address account)", [seller.address]))).toBe(0n);
    // EIP-2612, by its selector as clients of other makers ask for it.
    expect(BigInt(await read("nonces(address owner)", [seller.address]))).toBe(0n);
    expect(selector(encodeCall("nonces(address owner)", [token]))).toBe("0x7ecebe00");
    expect(await read("TRANSFER_WITH_AUTHORIZATION_TYPEHASH()")).toBe(
      "0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267",
    );
    expect(await read("RECEIVE_WITH_AUTHORIZATION_TYPEHASH()")).toBe(
      "0xd099cc98ef71107a616c4f0f941f04c322d8e254fe26b3c6668db87aae413de8",
    );
    expect(await read("CANCEL_AUTHORIZATION_TYPEHASH()")).toBe(
      "0x158b0a9edf7a828aad02f63cd515c68ef2f50ba807396f6d12842833a1597429",
    );
  });

  test("has the selectors of the real one", () => {
    const terms = bench.terms();
    const signature = bench.signTransfer(terms);
    const selectorOf = (overload: "bytes" | "vrs") =>
      selector(encodeAuthorization("transferWithAuthorization", overload, terms, signature));
    expect(selectorOf("bytes")).toBe("0xcf092995");
    expect(selectorOf("vrs")).toBe("0xe3ee160e");
    expect(encodeCall("DOMAIN_SEPARATOR()", [])).toBe("0x3644e515");
    expect(encodeCall("paused()", [])).toBe("0x5c975abb");
    expect(selector(encodeCall("isBlacklisted(address account)", [terms.from]))).toBe("0xfe575a87");
  });

  test("a rename changes the domain separator at once", async () => {
    await bench.devnet.usdc.rename("USD Coin");
    expect(await read("DOMAIN_SEPARATOR()")).not.toBe(bench.devnet.domainSeparator);
    expect(await bench.pay("bytes")).toEqual(failed(invalidSignature));
    await bench.devnet.usdc.rename("");
    expect((await bench.pay("bytes")).reverted).toBeUndefined();
  });

  test("emits Pause and Unpause", async () => {
    expect(await bench.run(encodeCall("pause()", []))).toEqual(wentThrough("Pause"));
    expect(await bench.run(encodeCall("unpause()", []))).toEqual(wentThrough("Unpause"));
  });
});

const transfer = (to: Address, units: bigint) =>
  encodeCall("transfer(address to, uint256 value)", [to, units]);
const approve = (spender: Address, units: bigint) =>
  encodeCall("approve(address spender, uint256 value)", [spender, units]);
const transferFrom = (from: Address, to: Address, units: bigint) =>
  encodeCall("transferFrom(address from, address to, uint256 value)", [from, to, units]);

describe("plain ERC-20", () => {
  test("transfer", async () => {
    const [one, two] = [buyer(0).address, buyer(1).address];
    const run = (data: Hex) => bench.run(data, { from: one });
    expect(await run(transfer(two, 7n))).toEqual(wentThrough("Transfer"));
    expect(await bench.devnet.usdc.balanceOf(two)).toBe(1_000_000_007n);
    expect(await run(transfer(two, 1_000_000_000n))).toEqual(
      failed("ERC20: transfer amount exceeds balance"),
    );
    expect(await run(transfer(bench.devnet.token, 1n))).toEqual(failed(blacklisted));
    await bench.devnet.usdc.blacklist(one);
    expect(await run(transfer(two, 1n))).toEqual(failed(blacklisted));
    await bench.devnet.usdc.pause();
    expect(await run(transfer(two, 1n))).toEqual(failed(paused));
  });

  test("approve and transferFrom", async () => {
    const [owner, spender, payee] = [buyer(0).address, buyer(1).address, buyer(2).address];
    const spend = (units: bigint) =>
      bench.run(transferFrom(owner, payee, units), { from: spender });
    const tooMuch = failed("ERC20: transfer amount exceeds allowance");
    expect(await spend(1n)).toEqual(tooMuch);
    const approval = await bench.run(approve(spender, 5n), { from: owner });
    expect(approval).toEqual(wentThrough("Approval"));
    expect(await spend(6n)).toEqual(tooMuch);
    expect(await spend(4n)).toEqual(wentThrough("Transfer"));
    expect(await spend(2n)).toEqual(tooMuch);
    // Unlike a relayer, a spender must not be blacklisted.
    await bench.devnet.usdc.blacklist(spender);
    expect(await spend(1n)).toEqual(failed(blacklisted));
  });
});
