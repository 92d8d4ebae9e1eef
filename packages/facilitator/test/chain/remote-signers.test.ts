/**
 * Relayer wallets whose keys are in a key service. Its faults pause its wallet and lose no payment, and
 * no signature of another key is ever sent.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { createLog, Fault } from "@farthing/engine/base";
import { startRpcProxy } from "@farthing/lab/rpc-proxy";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { readConfig } from "../../src/config/config.ts";
import { examine } from "../../src/operations/doctor.ts";
import { startFacilitator } from "../../src/app.ts";
import {
  bodyOn,
  environmentOn,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import { hasPrometheus } from "../support/find-prometheus.testing.ts";
import {
  startKms,
  startWeb3Signer,
  type KeyService,
  type KeyServiceFault,
} from "../support/key-services.testing.ts";
import { startPrometheus, type Prometheus } from "../support/prometheus.testing.ts";

const keyId = "alias/relayer-1";
const credentials = "farthing:proxy-password";
const secretKey = "aws-secret-access-key";

let devnet: Devnet;
let kms: KeyService;
let web3signer: KeyService;
let served: Served;
let prometheus: Prometheus;
const lines: string[] = [];

const kmsWallet = () => walletAt(devnet.relayers, 0).address;
const web3Wallet = () => walletAt(devnet.relayers, 1).address;

function settings(): Record<string, string> {
  return {
    FARTHING_RELAYER_KEYS: "",
    FARTHING_RELAYER_KMS_KEYS: keyId,
    FARTHING_RELAYER_WEB3SIGNER_URL: web3signer.url.replace("//", `//${credentials}@`),
    FARTHING_RELAYER_WEB3SIGNER_WALLETS: web3Wallet(),
    FARTHING_METRICS_PORT: "0",
  };
}

/** The rule of deploy/ that says so when a wallet cannot sign. */
const alarm = /alert: FarthingSigningFailed\n +expr: (.*)/.exec(
  readFileSync(join(import.meta.dirname, "../../../../deploy/prometheus/alerts.yml"), "utf8"),
)?.[1];

beforeAll(async () => {
  devnet = await startChain({ relayers: 3 });
  kms = await startKms(walletAt(devnet.relayers, 0), keyId);
  web3signer = await startWeb3Signer(walletAt(devnet.relayers, 1), credentials);
  vi.stubEnv("AWS_ENDPOINT_URL_KMS", kms.url);
  vi.stubEnv("AWS_REGION", "eu-test-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDTEST");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretKey);
  served = await serveOn(devnet, {
    env: settings(),
    log: createLog("debug", { write: (line) => void lines.push(line) }),
  });
  if (hasPrometheus) prometheus = await startPrometheus(served.metricsUrl ?? "");
});
afterAll(async () => {
  await prometheus?.stop();
  await served?.stop();
  await kms?.stop();
  await web3signer?.stop();
  await devnet?.stop();
  vi.unstubAllEnvs();
});
let seen = 0;
beforeEach(() => {
  seen = lines.length;
});

const hasLine = (event: string, wallet: string) =>
  lines.slice(seen).some((line) => line.includes(`"event":"${event}"`) && line.includes(wallet));

async function untilLine(event: string, wallet: string): Promise<void> {
  await expect.poll(() => hasLine(event, wallet)).toBe(true);
}

const stateOf = async (settlement: JsonObject) =>
  (await served.get(`/settlements/${textAt(settlement, "id")}`)).body;

async function senderOf(body: JsonObject): Promise<string> {
  const uses = await usesOf(devnet, body);
  expect(uses).toHaveLength(1);
  const receipt = await devnet.rpc<{ from: string }>("eth_getTransactionReceipt", uses);
  return receipt.from;
}

test.skipIf(!hasPrometheus)("the alarm for wallets that cannot sign is quiet before", async () => {
  const counted = 'x402_relayer_sign_seconds_count{outcome="failed"} == 0';
  await expect.poll(() => prometheus.count(counted)).toBe(2);
  expect(await prometheus.count(String(alarm))).toBe(0);
});

test.each<readonly [KeyServiceFault, KeyServiceFault]>([
  ["hangs", "refuses"],
  ["signs with another key", "no signature"],
])(
  "AWS KMS %s and Web3Signer %s: the payment waits, and is settled once when one signs",
  async (kmsFault, web3Fault) => {
    kms.fault = kmsFault;
    web3signer.fault = web3Fault;
    const body = bodyOn(devnet);
    const { body: pending } = await served.post("/settle", body, { prefer: "respond-async" });
    expect(pending).toMatchObject({ status: "pending", transaction: "" });
    await untilLine("wallet_signing_failed", kmsWallet());
    await untilLine("wallet_signing_failed", web3Wallet());
    // What cannot be sent is not claimed.
    const refused = await served.post("/settle", bodyOn(devnet));
    expect(refused).toMatchObject({ status: 503, body: { retryable: true } });
    web3signer.fault = "none";
    await expect.poll(() => stateOf(pending)).toMatchObject({ state: "confirmed" });
    expect(await senderOf(body)).toBe(web3Wallet().toLowerCase());
    expect(hasLine("wallet_signing_resumed", kmsWallet())).toBe(false);
    kms.fault = "none";
    await untilLine("wallet_signing_resumed", kmsWallet());
  },
);

test.skipIf(!hasPrometheus)("and true after", async () => {
  await expect.poll(() => prometheus.count(String(alarm))).toBe(2);
});

test("payments are settled with keys of AWS KMS and of Web3Signer, also after their faults", async () => {
  for (const [other, wallet] of [
    [web3signer, kmsWallet()],
    [kms, web3Wallet()],
  ] as const) {
    other.fault = "refuses";
    const body = bodyOn(devnet);
    expect(await served.post("/settle", body)).toMatchObject({ body: { success: true } });
    expect(await senderOf(body)).toBe(wallet.toLowerCase());
    other.fault = "none";
    if (hasLine("wallet_signing_failed", wallet)) await untilLine("wallet_signing_resumed", wallet);
  }
});

test("a wallet signs again also when the node did not respond while the key service returned", async () => {
  const relayer = walletAt(devnet.relayers, 2);
  const service = await startWeb3Signer(relayer, credentials);
  onTestFinished(() => service.stop());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const env = {
    FARTHING_RELAYER_KEYS: "",
    FARTHING_RELAYER_WEB3SIGNER_URL: service.url.replace("//", `//${credentials}@`),
    FARTHING_RELAYER_WEB3SIGNER_WALLETS: relayer.address,
  };
  const log = createLog("debug", { write: (line) => void lines.push(line) });
  const single = await serveOn(devnet, { env, log, rpcUrl: proxy.url });
  onTestFinished(() => single.stop());

  service.fault = "refuses";
  const options = { prefer: "respond-async" };
  const { body: pending } = await single.post("/settle", bodyOn(devnet), options);
  await untilLine("wallet_signing_failed", relayer.address);
  // What the wallet has left behind is loaded, but where its gaps begin cannot be read.
  proxy.react = ({ method }) => (method === "eth_getTransactionCount" ? "down" : undefined);
  await untilLine("wallet_lease_failed", relayer.address);
  proxy.react = () => undefined;
  service.fault = "none";

  await untilLine("wallet_signing_resumed", relayer.address);
  const state = () => single.get(`/settlements/${textAt(pending, "id")}`);
  await expect.poll(state).toMatchObject({ body: { state: "confirmed" } });
});

test("no log line holds a credential or the signer's address", () => {
  const all = lines.join("");
  for (const secret of ["proxy-password", secretKey, web3signer.url, btoa(credentials)]) {
    expect(all).not.toContain(secret);
  }
});

test("the doctor has each key service sign", async () => {
  const env = environmentOn(devnet, { env: settings() });
  web3signer.fault = "signs with another key";
  const found: string[] = [];
  for await (const { title, lines: checked } of examine({ env }, { rateSeconds: 0 })) {
    if (title !== "configuration") break;
    found.push(...checked.map(({ status, text }) => `${status}: ${text}`));
  }
  web3signer.fault = "none";
  expect(found).toContain(`ok: AWS KMS signs for ${kmsWallet()}`);
  expect(found).toContain(
    `fail: ${web3Wallet()}: Web3Signer: the signature is not that of ${web3Wallet()}`,
  );
});

test.each([
  ["a key that AWS KMS does not have", { FARTHING_RELAYER_KMS_KEYS: "alias/none" }, "alias/none"],
  ["a wrong password", { FARTHING_RELAYER_WEB3SIGNER_AUTHORIZATION: "Basic bm8=" }, "HTTP 401"],
  [
    "a wallet that Web3Signer does not have",
    { FARTHING_RELAYER_WEB3SIGNER_WALLETS: `0x${"11".repeat(20)}` },
    "Web3Signer has no key of",
  ],
])("%s stops the start with what to correct", async (_, changed, expected) => {
  const env = environmentOn(devnet, { env: { ...settings(), ...changed } });
  const start = startFacilitator({ config: readConfig({ env }), selfBuilt: true });
  const error: unknown = await start.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Fault);
  expect(error).toMatchObject({
    code: "configuration",
    message: expect.stringContaining(expected),
  });
  expect(String(error)).not.toContain("proxy-password");
});

test("the configuration keeps credentials secret, and wants Web3Signer whole", () => {
  const { wallets } = readConfig({ env: environmentOn(devnet, { env: settings() }) });
  expect(wallets).toMatchObject({ kmsKeys: [keyId], web3signer: { wallets: [web3Wallet()] } });
  expect(JSON.stringify(wallets)).not.toContain("proxy-password");
  const env = environmentOn(devnet, {
    env: { ...settings(), FARTHING_RELAYER_WEB3SIGNER_WALLETS: "" },
  });
  expect(() => readConfig({ env })).toThrow("belong together; set both");
});
