/** A devnet's life: what stands on it, how it ends, and that nothing of it is left behind. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test, vi } from "vitest";
import { authorizationDigest, networkOfChain, parseAddress, type Hex } from "@farthing/protocol";
import { encodeAuthorization, encodeCall, sign } from "./authorizations.testing.ts";
import { startDevnet, type Devnet, type DevnetOptions } from "./devnet.ts";
import type { describeDevnet } from "./run-devnet.ts";

/** Ends what a failed test left behind. */
const leftovers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of leftovers.splice(0)) await stop();
});

async function start(options: DevnetOptions = {}): Promise<Devnet> {
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1, ...options });
  leftovers.push(() => devnet.stop());
  return devnet;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * A payment made with `@x402/evm` for Hardhat account #1, which is buyer 0: 1000 units, valid from
 * 0 to 4102444800, nonce 0x01 repeated.
 */
const published = {
  50: {
    digest: "0xfd240939eb24cc933fcf3ce17360e2b09b8de49e947b4d76d79a1f5f010ec584",
    signature:
      "0xeda9e857b3afe154dd6866cdd22350ab1e420475c1d31fc300fab183c8d45cc711c1b9cfaef59504e133cc89d30d9ce23627fef4ff9fb4a0020fc27638a512081c",
    separator: "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
    token: "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1",
    multicall3: "0x0B1795ccA8E4eC4df02346a082df54D437F8D9aF",
  },
  51: {
    digest: "0x7f5447f078437ccb8f32f26a74244ccac50cec380d3a5537b498e6ba1c90c779",
    signature:
      "0x12613e224d616c066c2388a0335b2af9ac5aba9b04379b8d88b731d0cf2a3e0a45326b9f578b1d93f8b290422897ae5ecc117c8b6498772a557e2ef30b505c0c1c",
    separator: "0x3835afe643ce123f3bc71a8e3123e24651d2d4309bbf3ba58329a1db60b9b2c3",
    token: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    multicall3: "0xcA11bde05977b3631167028862bE2a173976CA11",
  },
} as const;

const publishedTerms = {
  from: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  value: 1000n,
  validAfter: 0n,
  validBefore: 4_102_444_800n,
  nonce: `0x${"01".repeat(32)}`,
} as const;

test("two devnets at once, one of each chain, each take the published payment", async () => {
  const both = await Promise.all([start({ chainId: 50 }), start({ chainId: 51 })]);
  for (const devnet of both) {
    const { digest, signature, separator, token, multicall3 } = published[devnet.chainId];
    expect(devnet).toMatchObject({ token, multicall3, domainSeparator: separator });
    expect(await devnet.rpc("eth_chainId")).toBe(`0x${devnet.chainId.toString(16)}`);
    const read = { to: token, data: encodeCall("DOMAIN_SEPARATOR()", []) };
    expect(await devnet.rpc("eth_call", [read, "latest"])).toBe(separator);
    expect(authorizationDigest(networkOfChain(devnet.chainId), publishedTerms)).toBe(digest);
    const [buyer] = devnet.buyers;
    if (!buyer) throw new Error("no buyer");
    expect(buyer.address).toBe(publishedTerms.from);
    const type = "TransferWithAuthorization";
    expect(sign(devnet.chainId, type, publishedTerms, buyer.privateKey)).toBe(signature);

    const overload = devnet.chainId === 50 ? "vrs" : "bytes";
    const name = "transferWithAuthorization";
    const data = encodeAuthorization(name, overload, publishedTerms, signature);
    await devnet.rpc("eth_sendTransaction", [{ to: token, data }]);
    await devnet.mine();
    expect(await devnet.usdc.balanceOf(publishedTerms.to)).toBe(1000n);
  }
});

test("wallets have what they are said to have", async () => {
  const devnet = await start({ buyers: 3, relayers: 2 });
  const { buyers, relayers, seller, treasury, smartWallet, usdc } = devnet;
  expect([buyers.length, relayers.length]).toEqual([3, 2]);
  const everyone = [...buyers, ...relayers, seller, treasury, smartWallet.owner];
  expect(new Set(everyone.map(({ address }) => address)).size).toBe(everyone.length);
  for (const { address } of everyone) {
    expect(parseAddress(address)).toBe(address);
    const wei = BigInt(await devnet.rpc<Hex>("eth_getBalance", [address, "latest"]));
    expect(wei).toBe(100n * 10n ** 18n);
  }
  for (const { address } of [...buyers, smartWallet]) {
    expect(await usdc.balanceOf(address)).toBe(1_000_000_000n);
  }
  expect(await usdc.balanceOf(seller.address)).toBe(0n);
});

test("controls take effect at once, also long before the next block", async () => {
  const devnet = await start({ blockTimeSeconds: 600 });
  const { usdc, seller } = devnet;
  await Promise.all([usdc.mint(seller.address, 3n), usdc.mint(seller.address, 4n)]);
  expect(await usdc.balanceOf(seller.address)).toBe(7n);
  await usdc.blacklist(seller.address);
  await usdc.setBalance(seller.address, 9n);
  expect(await usdc.balanceOf(seller.address)).toBe(9n);
  await expect(usdc.mint(seller.address, 1n)).rejects.toThrow("Account is blacklisted");
  await usdc.unBlacklist(seller.address);
  await usdc.mint(seller.address, 1n);
  expect(await usdc.balanceOf(seller.address)).toBe(10n);
});

test("finalized is two blocks behind the head", async () => {
  const devnet = await start();
  await devnet.mine(10);
  const head = BigInt(await devnet.rpc<Hex>("eth_blockNumber"));
  const block = await devnet.rpc<{ number: Hex }>("eth_getBlockByNumber", ["finalized", false]);
  expect(BigInt(block.number)).toBe(head - 2n);
});

test("stop leaves no process, and may be called twice", async () => {
  const devnet = await start();
  expect(isAlive(devnet.pid)).toBe(true);
  await Promise.all([devnet.stop(), devnet.stop()]);
  expect(isAlive(devnet.pid)).toBe(false);
  await devnet.ended;
});

test("ended tells when the chain dies by itself", async () => {
  const devnet = await start();
  process.kill(devnet.pid, "SIGKILL");
  await devnet.ended;
});

test("a taken port is refused by its number", async () => {
  const { rpcUrl } = await start();
  const port = Number(new URL(rpcUrl).port);
  await expect(start({ port })).rejects.toThrow(`port ${port} is taken`);
});

test.each([
  [{ blockTimeSeconds: -1 }, "blockTimeSeconds"],
  [{ blockTimeSeconds: Number.NaN }, "blockTimeSeconds"],
  [{ buyers: 1.5 }, "buyers"],
  [{ relayers: 10_000 }, "relayers"],
])("refuses %o", async (options, named) => {
  await expect(start(options)).rejects.toThrow(named);
});

/** A devnet run as a program, with its own folder for temporary files. */
async function runProgram(): Promise<{
  program: ChildProcess;
  facts: ReturnType<typeof describeDevnet>;
  /** Resolves when the chain's process has ended. */
  chainEnded: Promise<void>;
  temporary: string;
}> {
  const temporary = mkdtempSync(join(tmpdir(), "devnet-test-"));
  const source = `import { runDevnet } from ${JSON.stringify(import.meta.resolve("./run-devnet.ts"))};
    await runDevnet({ json: true });`;
  const program = spawn(
    process.execPath,
    ["--conditions=@farthing/source", "--input-type=module", "--eval", source],
    { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, TMPDIR: temporary } },
  );
  leftovers.push(async () => {
    program.kill("SIGKILL");
    rmSync(temporary, { recursive: true, force: true });
  });
  const [line] = await once(createInterface({ input: program.stdout }), "line");
  const facts: ReturnType<typeof describeDevnet> = JSON.parse(String(line));
  // The system closes this connection in the moment the chain's process ends.
  const chain = connect(Number(new URL(facts.rpcUrl).port), "127.0.0.1");
  await once(chain, "connect");
  chain.on("error", () => {});
  const chainEnded = new Promise<void>((resolve) => chain.once("close", () => resolve()));
  return { program, facts, chainEnded, temporary };
}

/** A killed parent's grandchild must be gone after so long. It takes about 10 ms. */
const goneWithin = { timeout: 60_000, interval: 5 };

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "%s of the program leaves no process and no file",
  async (signal) => {
    const { program, facts, chainEnded, temporary } = await runProgram();
    expect(readdirSync(temporary)).toHaveLength(1);
    const exited = once(program, "exit");

    program.kill(signal);

    expect(await exited).toEqual(signal === "SIGKILL" ? [null, signal] : [0, null]);
    await chainEnded;
    await vi.waitFor(() => expect(isAlive(facts.pid)).toBe(false), goneWithin);
    await vi.waitFor(() => expect(readdirSync(temporary)).toEqual([]), goneWithin);
  },
);
