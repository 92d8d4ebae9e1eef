/**
 * The batch contract on a real chain: whatever some of its calls do, every other one is made with
 * all of its gas, and every honest payment of a batch is made.
 */
import * as Hex from "ox/Hex";
import { decodeReason } from "@farthing/devnet/testing";
import {
  deploySafe,
  safeProxyFactory,
  safeSingletonFactory,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import { factoryTricks, hostileTricks } from "@farthing/devnet";
import { array, assert as assertProperty, asyncProperty, constantFrom } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  contractGas,
  encode,
  gasOf,
  isPaid,
  plainGas,
  startBatcherBench,
  type BatcherBench,
  type Member,
} from "./batcher-bench.testing.ts";
import { batcherCode, batcherCreationCode } from "./generated/batcher.ts";

let bench: BatcherBench;
const safes: Record<"1/1" | "2/3" | "5/5", SafeWallet[]> = { "1/1": [], "2/3": [], "5/5": [] };

/** Safes of each kind. A batch of 20 has one of each. */
const safesOfKind = 20;

beforeAll(async () => {
  bench = await startBatcherBench();
  for (let made = 0; made < safesOfKind; made++) {
    safes["1/1"].push(await bench.makeSafe(1, 1, true));
    safes["2/3"].push(await bench.makeSafe(3, 2, true));
  }
  safes["5/5"].push(await bench.makeSafe(5, 5, true));
  // The payee's first USDC costs more than the rest.
  await bench.run([bench.plain()]);
});
afterAll(() => bench?.devnet.stop());

function safeOf(kind: keyof typeof safes, index = 0): SafeWallet {
  const safe = safes[kind][index];
  if (!safe) throw new Error(`there is no Safe ${kind} number ${index}`);
  return safe;
}

const sumOf = (members: readonly Member[]): bigint =>
  members.reduce((sum, { terms }) => sum + terms.value, 0n);

test("the creation code leaves the committed code, and needs no storage", async () => {
  const { devnet } = bench;
  const from = devnet.relayers[0]?.address;
  const salt = Hex.fromNumber(0, { size: 32 });
  const call = { from, to: safeSingletonFactory, data: Hex.concat(salt, batcherCreationCode) };
  const address = await devnet.rpc<Hex.Hex>("eth_call", [call, "latest"]);
  await devnet.rpc("eth_sendTransaction", [call]);
  await devnet.mine();
  expect(await devnet.rpc("eth_getCode", [address, "latest"])).toBe(batcherCode);
  // No SSTORE, SLOAD, DELEGATECALL, CALLCODE, CREATE, CREATE2 or SELFDESTRUCT.
  expect(opcodesOf(batcherCode)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(54|55|f0|f2|f4|f5|ff)$/)]),
  );
});

/** Opcodes of a code, two digits each, without what PUSH instructions carry. */
function opcodesOf(code: Hex.Hex): string[] {
  const bytes = Hex.toBytes(code);
  const found: string[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at] ?? 0;
    found.push(opcode.toString(16).padStart(2, "0"));
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return found;
}

type Kind =
  | "plain"
  | "plain-small"
  | "safe-1/1"
  | "safe-2/3"
  | "safe-5/5"
  | "undeployed"
  | `wallet-${"burn-gas" | "revert" | "return-bomb" | "reenter"}`
  | `factory-${(typeof factoryTricks)[number]}`;

/** Kinds whose payment must be made. */
const honestKinds = [
  "plain",
  "safe-1/1",
  "safe-2/3",
  "safe-5/5",
  "undeployed",
] as const satisfies readonly Kind[];

const hostileKinds = [
  // Its call has too little gas of its own.
  "plain-small",
  "wallet-burn-gas",
  "wallet-revert",
  "wallet-return-bomb",
  "wallet-reenter",
  "factory-burn-gas",
  "factory-revert",
  "factory-return-bomb",
  "factory-reenter",
] as const satisfies readonly Kind[];

const isHonest = (kind: Kind): boolean => honestKinds.some((honest) => honest === kind);

/** A member of a kind; re-entrant ones run the members before it again. */
async function memberOf(kind: Kind, index: number, before: readonly Member[]): Promise<Member> {
  switch (kind) {
    case "plain":
      return bench.plain(index % 8);
    case "plain-small":
      return bench.plain(index % 8, 30_000n);
    case "safe-1/1":
    case "safe-2/3":
      return bench.bySafe(safeOf(kind === "safe-1/1" ? "1/1" : "2/3", index % safesOfKind));
    case "safe-5/5":
      return bench.bySafe(safeOf("5/5"));
    case "undeployed":
      return bench.byUndeployedSafe();
    case "wallet-burn-gas":
    case "wallet-revert":
    case "wallet-return-bomb":
    case "wallet-reenter":
      return bench.byHostile(trickOf(hostileTricks, kind.slice("wallet-".length)), before);
    default:
      return bench.byFactory(trickOf(factoryTricks, kind.slice("factory-".length)), before);
  }
}

function trickOf<T extends string>(tricks: readonly T[], name: string): T {
  const trick = tricks.find((one) => one === name);
  if (trick === undefined) throw new Error(`${name} is no trick`);
  return trick;
}

/** Runs members of these kinds in one batch; every honest payment is made, once, and no other. */
async function expectHonestPaid(kinds: readonly Kind[]): Promise<void> {
  const members: Member[] = [];
  for (const [index, kind] of kinds.entries()) {
    // Two at most: what a re-entrant one runs again has to fit into its own gas.
    members.push(await memberOf(kind, index, members.slice(-2)));
  }
  const honest = members.filter((_, index) => isHonest(kinds[index] ?? "plain-small"));
  const gas = gasOf(members);
  const { status, gasUsed, received } = await bench.run(members, gas);
  expect(status).toBe("0x1");
  expect(gasUsed).toBeLessThanOrEqual(gas);
  expect(await Promise.all(members.map((member) => isPaid(bench, member)))).toEqual(
    kinds.map(isHonest),
  );
  expect(received).toBe(sumOf(honest));
}

test("any mix of members: every honest payment is made, and no other", async () => {
  const kind = constantFrom<Kind>(...honestKinds, ...hostileKinds);
  await assertProperty(
    asyncProperty(array(kind, { minLength: 1, maxLength: 12 }), expectHonestPaid),
    { numRuns: 40, examples: [[[...hostileKinds, ...honestKinds]], [["wallet-burn-gas"]]] },
  );
});

test("fifty in one batch", async () => {
  const kinds = [...hostileKinds, ...honestKinds, ...honestKinds];
  await expectHonestPaid([...kinds, ...kinds, ...kinds].slice(0, 50));
});

/** Simulates a batch with every gas limit, in steps; undefined where the batch reverts. */
async function simulateEvery(members: readonly Member[], step: bigint) {
  const outcomes: (Awaited<ReturnType<BatcherBench["simulate"]>> | undefined)[] = [];
  for (let gas = 30_000n; gas <= gasOf(members) + step; gas += step) {
    outcomes.push(await bench.simulate(members, gas).catch(() => undefined));
  }
  return outcomes;
}

const isMade = ({ gasUsed }: { gasUsed: bigint }): boolean => gasUsed > 0n;

test("a call is made with all of its gas or not at all, whatever the batch's own gas", async () => {
  // As little gas as the payment can do with: with less, its call fails.
  const enough = await leastGasOf((gas) => bench.plain(0, gas));
  const members = [
    bench.byHostile("burn-gas"),
    bench.plain(1, enough),
    bench.byHostile("return-bomb"),
    bench.plain(2, enough),
  ];
  const outcomes = await simulateEvery(members, 2_500n);
  const made = outcomes.flatMap((results) => (results ? [results.filter(isMade).length] : []));
  expect(new Set(made)).toEqual(new Set([0, 1, 2, 3, 4]));
  for (const results of outcomes) {
    const payments = [results?.[1], results?.[3]].filter((result) => result && isMade(result));
    expect(payments.every((result) => result?.success)).toBe(true);
  }
  expect(outcomes.at(-1)?.map(({ success }) => success)).toEqual([false, true, false, true]);
});

test("a batch ends well with any number of its calls made", async () => {
  // Of a small limit a sixty-fourth is next to nothing: the batch lives on what it keeps back.
  const members = Array.from({ length: 20 }, () => burner(1_000n));
  const outcomes = await simulateEvery(members, 500n);
  const made = outcomes.map((results) => results?.filter(isMade).length);
  const first = made.indexOf(0);
  expect(new Set(made.slice(first))).toEqual(new Set(Array.from({ length: 21 }, (_, n) => n)));
});

test("a call with a large limit gets all of it too, although 1/64 of the gas stays", async () => {
  const gasLimit = 10_000_000n;
  const outcomes = await simulateEvery([burner(gasLimit)], 25_000n);
  const used = outcomes.flatMap((results) => results?.map(({ gasUsed }) => gasUsed) ?? []);
  expect(used).toContain(0n);
  expect(used.filter((gas) => gas > 0n).every((gas) => gas >= gasLimit)).toBe(true);
  expect(used.at(-1)).toBeGreaterThan(0n);
});

/** A member that burns all of its gas, and is no payment. */
function burner(gasLimit: bigint): Member {
  const { terms, calls } = bench.byFactory("burn-gas");
  return { terms, calls: calls.slice(0, 1).map((call) => ({ ...call, gasLimit })) };
}

/** The least gas limit, to 100, with which a payment is made alone. */
async function leastGasOf(member: (gas: bigint) => Member): Promise<bigint> {
  let [fails, works] = [0n, plainGas];
  while (works - fails > 100n) {
    const middle = (fails + works) / 2n;
    const [result] = await bench.simulate([member(middle)]);
    if (result?.success) works = middle;
    else fails = middle;
  }
  return works;
}

test("a call never uses more than its limit and the price of a call", async () => {
  const members = [
    ...hostileTricks.map((trick) => bench.byHostile(trick)),
    ...factoryTricks.map((trick) => bench.byFactory(trick)),
  ];
  const calls = members.flatMap((member) => member.calls);
  const results = await bench.simulate(members);
  for (const [index, { gasUsed, returnData }] of results.entries()) {
    expect(gasUsed).toBeGreaterThan(0n);
    expect(gasUsed).toBeLessThanOrEqual((calls[index]?.gasLimit ?? 0n) + 3_500n);
    expect(Hex.size(returnData)).toBeLessThanOrEqual(256);
  }
});

test("the steps between the calls cost less gas than is kept back for them", async () => {
  for (const kinds of [["plain"], ["wallet-revert"], ["factory-return-bomb"]] as const) {
    const members = await Promise.all(
      Array.from({ length: 20 }, (_, index) => memberOf(kinds[0], index, [])),
    );
    const results = await bench.simulate(members);
    const { gasUsed } = await bench.run(members);
    const called = results.reduce((sum, result) => sum + result.gasUsed, 0n);
    const own = gasUsed - called - intrinsicGasOf(members);
    expect(own / BigInt(results.length)).toBeLessThan(2_500n);
  }
});

/** What the transaction costs before anything runs: 21,000 and the price of its calldata. */
function intrinsicGasOf(members: readonly Member[]): bigint {
  const bytes = Hex.toBytes(encode(members));
  return bytes.reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n);
}

test("says what the token says of a payment that fails", async () => {
  const twice = bench.plain();
  const members = [twice, twice, bench.byHostile("revert"), bench.bySafe(safeOf("2/3"))];
  const results = await bench.simulate(members);
  expect(results.map(({ success }) => success)).toEqual([true, false, false, true]);
  expect(results.map(({ returnData }) => decodeReason(returnData))).toEqual([
    "0x",
    "FiatTokenV2: authorization is used or canceled",
    "FiatTokenV2: invalid signature",
    "0x",
  ]);
});

test("a payment that a factory makes first is made once", async () => {
  const [taken, next] = [bench.plain(3), bench.plain(4)];
  const { received } = await bench.run([bench.byFactory("reenter", [taken]), taken, next]);
  expect(received).toBe(sumOf([taken, next]));
});

test("an undeployed wallet pays, also when somebody else has deployed it meanwhile", async () => {
  const member = await bench.byUndeployedSafe();
  const safe = await bench.makeSafe(2, 2, false);
  const [deployment] = member.calls;
  if (!deployment) throw new Error("an undeployed wallet is deployed first");
  const late = bench.bySafe(safe);
  const factoryCall = { to: safeProxyFactory, gasLimit: contractGas, data: safe.factoryCall };
  await deploySafe(bench.devnet, safe);
  const members = [member, { ...late, calls: [factoryCall, ...late.calls] }];
  const { received } = await bench.run(members);
  expect(received).toBe(sumOf(members));
});

test("a plain payer whose account gets code hurts nobody", async () => {
  const { devnet } = bench;
  const members = [bench.plain(5), bench.plain(6), bench.bySafe(safeOf("1/1"))];
  // As a delegation of EIP-7702 would: INVALID takes all gas of the signature's check.
  const [payer] = members;
  await devnet.rpc("anvil_setCode", [payer?.terms.from, "0xfe"]);
  const { status, received } = await bench.run(members);
  await devnet.rpc("anvil_setCode", [payer?.terms.from, "0x"]);
  expect(status).toBe("0x1");
  expect(received).toBe(sumOf(members.slice(1)));
});

test.each(["1/1", "2/3"] as const)(
  "a Safe's payment (%s) takes at most 0.8 of its gas in a batch of 20",
  async (kind) => {
    const [direct] = bench.bySafe(safeOf(kind)).calls;
    const alone = await gasAlone(direct?.data ?? "0x");
    const members = safes[kind].map((safe) => bench.bySafe(safe));
    const { gasUsed, received } = await bench.run(members);
    expect(received).toBe(sumOf(members));
    expect(Number(gasUsed / 20n) / Number(alone)).toBeLessThan(0.8);
  },
);

/** Gas of a call of the token that is a transaction of its own. */
async function gasAlone(data: Hex.Hex): Promise<bigint> {
  const { devnet } = bench;
  const call = { from: devnet.relayers[0]?.address, to: devnet.token, data, gas: "0x7a120" };
  const hash = await devnet.rpc<Hex.Hex>("eth_sendTransaction", [call]);
  await devnet.mine();
  const receipt = await devnet.rpc<{ status: string; gasUsed: Hex.Hex }>(
    "eth_getTransactionReceipt",
    [hash],
  );
  expect(receipt.status).toBe("0x1");
  return BigInt(receipt.gasUsed);
}
