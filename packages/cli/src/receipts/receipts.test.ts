/** `farthing receipts` and what asks the chain, on a real one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { present } from "@farthing/devnet/testing";
import { apothem, encodeHeader, headerNames } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  challenge,
  oneCent,
  startSeller,
  type Answer,
  type ScriptedSeller,
} from "@farthing/buyer/testing";
import { farthing, onTerminal, type RunOptions } from "../command/farthing-bin.testing.ts";

let devnet: Devnet;
let folder = "";
let home = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-receipts-"));
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 2, relayers: 1 });
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await devnet?.stop();
});
beforeEach(() => {
  home = mkdtempSync(join(folder, "home-"));
});

function run(args: readonly string[], options: RunOptions = {}) {
  const environment = {
    XDG_CONFIG_HOME: home,
    FARTHING_WALLET_KEY: devnet.buyers[0]?.privateKey ?? "",
    FARTHING_RPC_URL: devnet.rpcUrl,
  };
  return farthing(args, { ...options, environment });
}

/** A seller on the devnet who serves content without settling. */
function startShop(paid: readonly Answer[]): Promise<ScriptedSeller> {
  const where = { network: apothem, networkName: apothem.id, asset: apothem.usdc };
  const offer = { ...oneCent, ...where, payTo: devnet.seller.address };
  return startSeller({ unpaid: challenge(offer), paid });
}

test("reconcile: 11 while a payment is open, then its receipt, verified against the chain", async () => {
  await using seller = await startShop([{ body: "content" }]);
  expect((await run(["pay", "--request-id", "order", seller.url])).code).toBe(11);
  const open = await run(["ledger", "reconcile", "--json"]);
  expect([open.code, JSON.parse(open.stdout)]).toMatchObject([11, [{ outcome: "open" }]]);
  const transaction = await present(devnet, seller.payment());
  const settled = await run(["ledger", "reconcile", "order", "--json"]);
  expect([settled.code, JSON.parse(settled.stdout)]).toMatchObject([
    0,
    [{ outcome: "settled", transaction, state: "settled" }],
  ]);
  expect((await run(["ledger", "reconcile", "--json"])).stdout).toBe("[]\n");
  const receipt = await run(["receipts", "show", "order", "--json"]);
  expect(JSON.parse(receipt.stdout)).toMatchObject({
    requestId: "order",
    method: "GET",
    url: seller.url,
    payTo: devnet.seller.address,
    amount: "10000",
    transaction,
    evidence: "chain",
    responseStatus: 200,
    responseHash: "0xed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73",
  });
  // No explorer knows the transactions of a devnet.
  expect(receipt.stdout).not.toContain("explorerUrl");
  const early = await run(["receipts", "verify", "order", "--json"]);
  expect([early.code, JSON.parse(early.stdout)]).toMatchObject([11, { verdict: "not_final" }]);
  await devnet.mine(2);
  const verified = await run(["receipts", "verify", "order", "--json"]);
  expect([verified.code, JSON.parse(verified.stdout)]).toMatchObject([0, { verdict: "valid" }]);
  // The same from a file, as somebody else would check it, and with a lie in it.
  const file = join(home, "receipt.json");
  writeFileSync(file, receipt.stdout);
  expect(JSON.parse((await run(["receipts", "verify", file, "--json"])).stdout)).toMatchObject({
    verdict: "valid",
  });
  writeFileSync(file, receipt.stdout.replace('"amount":"10000"', '"amount":"99999"'));
  expect((await run(["receipts", "verify", file])).code).toBe(1);
  const person = await run(["receipts", "list"], onTerminal);
  expect(person.stdout).toMatch(
    new RegExp(`0\\.01 .*127\\.0\\.0\\.1:\\d+\\S* .*order .* ${transaction.slice(0, 6)}…`),
  );
  // Another table than the ledger's, which says how far each payment is.
  expect(person.stdout).not.toMatch(/payTo|state/);
});

test("a receipt that lies about its transaction is found out", async () => {
  const receipt = { success: true, transaction: `0x${"cd".repeat(32)}`, network: apothem.id };
  const headers = { [headerNames.paymentResponse]: encodeHeader(receipt) };
  await using seller = await startShop([{ body: "content", headers }]);
  expect((await run(["pay", "--request-id", "order", seller.url])).code).toBe(0);
  const unknown = await run(["receipts", "verify", "order", "--json"]);
  expect([unknown.code, JSON.parse(unknown.stdout)]).toMatchObject([4, { verdict: "unknown" }]);
  const transaction = await present(devnet, seller.payment());
  const lie = await run(["receipts", "verify", "order", "--json"]);
  expect([lie.code, JSON.parse(lie.stdout)]).toMatchObject([
    1,
    { verdict: "mismatch", reason: expect.stringContaining(transaction) },
  ]);
});

test("the export is CSV for spreadsheets, which run nothing in it, or JSON", async () => {
  const transaction = `0x${"cd".repeat(32)}`;
  const receipt = { success: true, transaction, network: apothem.id };
  const headers = { [headerNames.paymentResponse]: encodeHeader(receipt) };
  await using seller = await startShop([{ body: "content", headers }]);
  await run(["pay", "--request-id", '=1+1,"x"', `${seller.url}?a=1,2`]);
  const { stdout } = await run(["receipts", "export"]);
  const [head, line, end] = stdout.split("\r\n");
  expect(head).toMatch(/^requestId,method,url,requestBodyHash,payer,payTo,network,/);
  expect(line).toMatch(/^"'=1\+1,""x""",GET,"http[^"]+\?a=1,2",0x/);
  expect([line?.includes(transaction), end]).toEqual([true, ""]);
  const json = await run(["receipts", "export", "--format", "json"]);
  expect(JSON.parse(json.stdout)).toMatchObject([{ transaction, serverReceipt: receipt }]);
});

test("the balance of a wallet, in USDC and in gas money", async () => {
  const [payer, idle] = devnet.buyers;
  const own = await run(["wallet", "balance", "--json"]);
  expect(JSON.parse(own.stdout)).toMatchObject({ address: payer?.address });
  const other = await run(["wallet", "balance", `xdc${idle?.address.slice(2)}`, "--json"]);
  expect(JSON.parse(other.stdout)).toEqual({
    address: idle?.address,
    network: apothem.id,
    usdc: "1000.000000",
    xdc: "100.000000",
  });
});

test("a payment that expired unused can be made anew under its own name", async () => {
  await using seller = await startShop([{ body: "content" }]);
  const call = ["pay", "--request-id", "order", seller.url];
  await run(call);
  const { validBefore } = seller.payment().authorization;
  await devnet.setNextBlockTimestamp(Number(validBefore));
  await devnet.mine(3);
  expect(JSON.parse((await run(["ledger", "reconcile", "--json"])).stdout)).toMatchObject([
    { outcome: "released" },
  ]);
  const resume = await run(["ledger", "resume", "order"]);
  expect([resume.code, resume.stderr]).toEqual([9, expect.stringContaining("(payment_released, ")]);
  await run(call);
  const [one, two] = [0, 1].map((at) => seller.payment(at).authorization.nonce);
  expect(two).not.toBe(one);
});
