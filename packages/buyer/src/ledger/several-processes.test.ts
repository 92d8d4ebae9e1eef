/** Several processes on one ledger: the day's limit holds over all, and a crash pays once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { paymentErrorOf } from "../buyer-bench.testing.ts";
import { fileLedger } from "./file-ledger.ts";
import { runPayingProcess } from "./paying-process.testing.ts";
import { countingSigner, fakeClock, served, startSeller } from "../scripted-seller.testing.ts";
import { wrapFetch } from "../wrap-fetch.ts";

let folder = "";
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-processes-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = () => join(folder, `${++count}.jsonl`);

test("ten processes at once never pay more than the day's limit, and use all of it", async () => {
  await using seller = await startSeller();
  const path = newPath();
  // A cent each; seventeen of fifty calls fit.
  const runs = Array.from({ length: 10 }, (_, process) =>
    runPayingProcess({
      path,
      url: seller.url,
      requestIds: Array.from({ length: 5 }, (__, call) => `p${process}-${call}`),
      perDay: "0.17",
    }),
  );
  const results = (await Promise.all(runs)).flatMap((states) => states ?? ["killed"]);
  const countOf = (state: string) => results.filter((result) => result === state).length;
  expect([countOf("settled"), countOf("cumulative_cap")]).toEqual([17, 33]);
  expect(seller.paid).toHaveLength(17);
  // The next start knows it too.
  const again = { path, url: seller.url, requestIds: ["late"], perDay: "0.17" };
  expect(await runPayingProcess(again)).toEqual(["cumulative_cap"]);
  expect(await fileLedger(path).list(["settled"])).toHaveLength(17);
});

test("ten processes with one request id make one payment", async () => {
  await using seller = await startSeller();
  const orders = { path: newPath(), url: seller.url, requestIds: ["order"], perDay: "2" };
  const runs = Array.from({ length: 10 }, () => runPayingProcess(orders));
  const results = (await Promise.all(runs)).flat();
  // Who comes while another one signs is told so; everybody else gets the content.
  expect(new Set([...results, "payment_unresolved"])).toEqual(
    new Set(["settled", "payment_unresolved"]),
  );
  expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
});

const resumed = ["signed", "sent", "settled"] as const;

test.each(resumed)("killed right after %s: resume pays once", async (dieAt) => {
  await using seller = await startSeller();
  const path = newPath();
  const orders = { path, url: `${seller.url}?q=1`, requestIds: ["order"], perDay: "2", dieAt };
  expect(await runPayingProcess(orders)).toBeUndefined();
  // What is on the disk is there before it leaves.
  if (dieAt === "signed") expect(seller.paid).toHaveLength(0);
  const signer = countingSigner();
  const pay = wrapFetch(fetch, { signer, ledger: fileLedger(path) });
  const response = await pay.resume("order");
  expect([await response.text(), response.payment.state]).toEqual(["content", "settled"]);
  // The same call again, as a script that is started anew makes it.
  const repeat = await pay(orders.url, { payment: { requestId: "order" } });
  expect(repeat.payment.state).toBe("settled");
  expect(signer.count).toBe(0);
  expect(new Set(seller.paid.map(({ paymentHeader }) => paymentHeader)).size).toBe(1);
  expect(new Set(seller.paid.map(({ path: target }) => target))).toEqual(new Set(["/r?q=1"]));
});

test("killed between reserving and signing: nothing was paid, and later it can be", async () => {
  await using seller = await startSeller({ paid: [served()] });
  const path = newPath();
  const orders = { path, url: seller.url, requestIds: ["order"], perDay: "2" };
  expect(await runPayingProcess({ ...orders, dieAt: "reserved" })).toBeUndefined();
  const clock = fakeClock();
  clock.time = Date.now();
  const signer = countingSigner();
  const pay = wrapFetch(fetch, { signer, ledger: fileLedger(path), runtime: clock });
  expect((await paymentErrorOf(pay.resume("order"))).code).toBe("payment_unresolved");
  // Whoever asked a person for a signature would have it by now.
  clock.time += 600_000;
  expect((await paymentErrorOf(pay.resume("order"))).code).toBe("payment_released");
  expect(seller.paid).toHaveLength(0);
  const response = await pay(seller.url, { payment: { requestId: "order" } });
  expect(response.payment.state).toBe("settled");
  expect([signer.count, seller.paid.length]).toEqual([1, 1]);
});
