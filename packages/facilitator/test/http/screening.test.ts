/** Screening: the operator's list and the operator's service, at /verify and at /settle. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import {
  isObject,
  parseJson,
  parsePaymentRequest,
  toXdcAddress,
  xdc,
  type JsonObject,
  type Payment,
} from "@farthing/protocol";
import { Secret, silentLog, systemClock } from "@farthing/engine/base";
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { openStore } from "../../src/features/open-store.ts";
import { createScreening } from "../../src/payments/screening.ts";
import { createClockWithWaits } from "../support/changed-waits.testing.ts";
import {
  bodyOn,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type PaymentInput,
  type Served,
} from "../support/facilitator.testing.ts";
import { createRefunds } from "../support/refunds.testing.ts";

const code = "address_not_served";
const stack = new AsyncDisposableStack();
let devnet: Devnet;
let folder = "";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-screening-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  devnet = await startChain({ relayers: 3 });
  stack.defer(() => devnet.stop());
});
afterAll(() => stack.disposeAsync());

const buyer = (index: number) => walletAt(devnet.buyers, index);

/** Expects that a payment is refused by its addresses at both routes, and that nothing is sent. */
async function expectRefused(at: Served, input: PaymentInput): Promise<void> {
  const body = bodyOn(devnet, input);
  const verified = await at.post("/verify", body);
  expect([verified.status, verified.body]).toMatchObject([
    200,
    { isValid: false, invalidReason: code, extra: { x402Reason: code } },
  ]);
  const settled = await at.post("/settle", body);
  expect([settled.status, settled.body]).toMatchObject([
    200,
    { success: false, errorReason: code, transaction: "" },
  ]);
  expect(await usesOf(devnet, body)).toEqual([]);
}

async function expectServed(at: Served, input: PaymentInput): Promise<JsonObject> {
  const body = bodyOn(devnet, input);
  expect((await at.post("/verify", body)).body).toMatchObject({ isValid: true });
  expect((await at.post("/settle", body)).body).toMatchObject({ success: true });
  return body;
}

describe("the list", () => {
  // Reads of the file that come every five seconds come at once.
  const clock = createClockWithWaits((ms) => (ms === 5_000 ? 50 : ms));
  /** What was logged about the list, in order. */
  const events: object[] = [];
  const note = (fields: object) => {
    if ("event" in fields && String(fields.event).startsWith("deny_list")) events.push(fields);
  };
  let served: Served;
  let path = "";

  /** Replaces the file as an editor does, and waits until the service has read it. */
  async function replace(text: string): Promise<object> {
    const known = events.length;
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
    await expect.poll(() => events.length).toBe(known + 1);
    return events[known] ?? {};
  }

  beforeAll(async () => {
    path = join(folder, "deny-list.txt");
    const xdc = toXdcAddress(buyer(2).address).toUpperCase().replace(/^XDC/, "xdc");
    writeFileSync(path, `# not served\n\n${buyer(1).address.toLowerCase()} # a payer\r\n${xdc}\n`);
    const env = { FARTHING_DENY_LIST_FILE: path };
    const log = { ...silentLog, info: note, error: note };
    served = await serveOn(devnet, { env, clock, log });
    stack.defer(() => served.stop());
  });

  test("refuses its addresses as payer and as payee, in every spelling, and serves all others", async () => {
    await expectRefused(served, { payer: buyer(1) });
    await expectRefused(served, { payer: buyer(2) });
    await expectRefused(served, { authorization: { to: buyer(1).address } });
    await expectServed(served, { payer: buyer(0) });
  });

  test("is reread when it changes; a payment that was settled before keeps its outcome", async () => {
    const settled = await expectServed(served, { payer: buyer(3) });
    const added = await replace(`${buyer(3).address}\n`);
    expect(added).toEqual({ event: "deny_list_loaded", addresses: 1 });
    await expectRefused(served, { payer: buyer(3) });
    await expectServed(served, { payer: buyer(1) });
    expect((await served.post("/settle", settled)).body).toMatchObject({ success: true });
  });

  test("with a wrong line is named and leaves the previous one in force, also when it is gone", async () => {
    await replace(`${buyer(1).address}\n`);
    const wrong = await replace(`${buyer(0).address}\n0x12\n`);
    expect(wrong).toMatchObject({
      event: "deny_list_rejected",
      problem: expect.stringMatching(/deny-list\.txt, line 2: 0x12 is not an address/),
    });
    await expectRefused(served, { payer: buyer(1) });
    await expectServed(served, { payer: buyer(0) });
    const known = events.length;
    rmSync(path);
    await expect.poll(() => events.length).toBe(known + 1);
    await expectRefused(served, { payer: buyer(1) });
  });

  test("refuses a refund to a payer who was listed after the payment", async () => {
    const list = join(folder, "payers.txt");
    writeFileSync(list, "# none yet\n");
    const loaded = events.length;
    const databaseUrl = newDatabaseUrl();
    const store = await openStore(databaseUrl);
    stack.defer(() => store.close());
    const account = devnet.seller.address;
    const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
    const key = { authorization: `Bearer ${made.text}`, prefer: "wait=20" };
    const refunding = await serveOn(devnet, {
      selfBuilt: false,
      databaseUrl,
      wallets: [2],
      env: { FARTHING_DENY_LIST_FILE: list },
      clock,
      log: { ...silentLog, info: note },
    });
    stack.defer(() => refunding.stop());
    const body = bodyOn(devnet);
    const settled = await refunding.post("/settle", body, key);
    const id = textAt(settled.body, "id");
    const finalizedAt = async () => {
      await devnet.mine();
      return (await refunding.get(`/settlements/${id}`, key)).body["finalizedAt"];
    };
    await expect.poll(finalizedAt).not.toBeNull();
    writeFileSync(`${list}.new`, `${payerAndNonceOf(body).payer}\n`);
    renameSync(`${list}.new`, list);
    await expect.poll(() => events.length).toBe(loaded + 1);
    const { payer } = payerAndNonceOf(body);
    const paid = { id, payer, payTo: account, amount: 10_000n, body };
    const { refundBody } = createRefunds(() => devnet);
    const refund = await refunding.post("/v1/refunds", refundBody(paid, 0), key);
    expect(refund.body).toMatchObject({ success: false, errorReason: code, transaction: "" });
    await refunding.stop();
  });

  test("stops the start when it cannot be read", async () => {
    const wrong = join(folder, "wrong.txt");
    writeFileSync(wrong, "0x12\n");
    const huge = join(folder, "huge.txt");
    writeFileSync(huge, `#${"-".repeat(8 * 1024 * 1024)}`);
    for (const [file, says] of [
      [wrong, /FARTHING_DENY_LIST_FILE: .*wrong\.txt, line 1: 0x12 is not an address/],
      [huge, /FARTHING_DENY_LIST_FILE: .*huge\.txt is larger than 8388608 bytes/],
      [join(folder, "nowhere.txt"), /FARTHING_DENY_LIST_FILE: .*nowhere\.txt/],
    ] as const) {
      const start = serveOn(devnet, { wallets: [1], env: { FARTHING_DENY_LIST_FILE: file } });
      await expect(start).rejects.toThrow(says);
    }
  });
});

/** Responds to the screening's question with a body. */
const say =
  (body: string, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status).end(body);
  };

/** Sends its caller elsewhere, where everything is allowed. */
function redirect(response: ServerResponse): void {
  if (response.req.url === "/") say('{"allowed":true}')(response);
  else response.writeHead(307, { location: "/" }).end();
}

describe("the service", () => {
  const questions: JsonObject[] = [];
  /** Responds to the next questions. */
  let respond: (response: ServerResponse, question: JsonObject) => void;
  let url = "";

  beforeAll(async () => {
    const server = createServer((request, response) => {
      request.setEncoding("utf8");
      let text = "";
      request.on("data", (part: string) => (text += part));
      request.on("end", () => {
        const value = parseJson(text)?.value;
        const question = isObject(value) ? value : {};
        questions.push(question);
        respond(response, question);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stack.defer(() => void server.close());
    const address = server.address();
    url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/secret-path`;
  });

  /** The time limit of 2.5 seconds comes at once where a test says so, and else never. */
  let isLate = false;
  const clock = createClockWithWaits((ms) => (ms === 2_500 ? (isLate ? 50 : 600_000) : ms));

  async function start(wallet: number, env: Readonly<Record<string, string>> = {}) {
    const lines: object[] = [];
    const served = await serveOn(devnet, {
      wallets: [wallet],
      clock,
      env: { FARTHING_SCREENING_URL: url, ...env },
      log: { ...silentLog, warn: (fields) => lines.push(fields) },
    });
    stack.defer(() => served.stop());
    return { served, lines };
  }

  test("decides by payer and payee of valid payments, and is asked once for verify and settle", async () => {
    const { served } = await start(1);
    respond = (response, { payer, payTo }) =>
      say(`{"allowed":${payer !== buyer(1).address && payTo !== buyer(2).address}}`)(response);
    const forged = bodyOn(devnet, { alter: () => `0x${"11".repeat(65)}` });
    await served.post("/verify", forged);
    expect(questions).toEqual([]);
    await expectServed(served, { payer: buyer(0) });
    expect(questions).toEqual([
      {
        payer: buyer(0).address,
        payTo: devnet.seller.address,
        network: "eip155:51",
        asset: devnet.token,
        amount: "10000",
      },
    ]);
    await expectRefused(served, { payer: buyer(1) });
    // Whom the same payer may pay says nothing of another payee.
    await expectRefused(served, { payer: buyer(0), authorization: { to: buyer(2).address } });
    expect(questions).toHaveLength(3);
    await served.stop();
  });

  test("is asked again after a minute, and for the same addresses on another network", async () => {
    let nowMs = 0;
    const asksAt = createScreening({
      denyList: undefined,
      screeningUrl: new Secret(url),
      screeningFailure: "refuse",
      clock: { ...clock, nowMs: () => nowMs },
      log: silentLog,
    });
    const parsed = parsePaymentRequest(bodyOn(devnet));
    assert(asksAt && parsed.ok, "a service is asked about a readable payment");
    const { payment } = parsed.value;
    const codeOf = async (asked: Payment) => (await asksAt(asked))?.code;
    respond = say('{"allowed":true}');
    expect(await codeOf(payment)).toBeUndefined();
    respond = say('{"allowed":false}');
    expect(await codeOf({ ...payment, network: xdc })).toBe(code);
    nowMs = 59_999;
    expect(await codeOf(payment)).toBeUndefined();
    nowMs = 60_000;
    expect(await codeOf(payment)).toBe(code);
  });

  test.each([
    ["fails, whatever it says", say('{"allowed":true}', 500)],
    ["redirects to an address that allows everything", redirect],
    ["says nothing that is understood", say('{"allowed":"yes"}')],
    ["says too much", say(`{"allowed":true,"why":"${"x".repeat(5_000)}"}`)],
    ["never responds", () => undefined],
  ])(
    "while it %s, payments get 503, or are served if the operator says so",
    async (name, failing) => {
      respond = failing;
      isLate = name === "never responds";
      const { served: strict, lines } = await start(1);
      const body = bodyOn(devnet);
      for (const path of ["/verify", "/settle"]) {
        const { status, body: answer } = await strict.post(path, body);
        expect([status, answer["error"]]).toEqual([503, "service_unavailable"]);
        expect(textAt(answer, "message")).toMatch(/cannot screen payments/);
      }
      expect(await usesOf(devnet, body)).toEqual([]);
      expect(lines).toContainEqual(
        expect.objectContaining({ event: "screening_failed", payments: "refuse" }),
      );
      expect(JSON.stringify(lines)).not.toContain("secret-path");
      await strict.stop();
      const { served: open } = await start(1, { FARTHING_SCREENING_FAILURE: "serve" });
      await expectServed(open, {});
      await open.stop();
    },
  );
});
