/** The configuration: what is wrong stops the start and is named; secrets are in no message. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settings, type SettingName } from "../../src/config/settings-table.ts";
import { readConfig } from "../../src/config/config.ts";
import { Fault } from "@farthing/engine/base";
import { newAttestationKey, wrongAttestationKeys } from "../support/attestation-keys.testing.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-config-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let filesWritten = 0;
function file(text: string): string {
  const path = join(folder, `file-${++filesWritten}`);
  writeFileSync(path, text);
  return path;
}

/** A key that is one; worth nothing. */
const key = `0x${"a1".repeat(32)}`;
const otherKey = `0x${"b2".repeat(32)}`;
const enough = { FARTHING_RPC_51: "http://127.0.0.1:8545" };

function problemsOf(env: Readonly<Record<string, string>>): string {
  try {
    readConfig({ env });
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    expect(error).toMatchObject({ code: "configuration", retryable: false });
    return error instanceof Error ? error.message : "";
  }
  throw new Error("the configuration was taken");
}

test("one node is enough; everything else has a value", () => {
  expect(readConfig({ env: enough })).toMatchObject({
    host: "127.0.0.1",
    port: 8402,
    confirmations: 1,
    hostedAuth: "none",
    minAmount: 1_000n,
    payerCapUnits: 1_000_000_000n,
    payerCountMax: 2_000,
    keylessGas: 200_000_000_000,
    revertedGas: 20_000_000_000,
    settleMarginSeconds: 6n,
    repeatAfterSuccess: "auto",
    gasPerPaymentMaxWei: 5n * 10n ** 17n,
    batchMax: 50,
    laneInFlight: 8,
    databaseUrl: "sqlite:./farthing.db",
    wallets: undefined,
    trustedProxies: [],
    connectionsPerAddress: 1_000,
  });
});

test("nothing at all: says what is missing, with an example", () => {
  expect(problemsOf({})).toMatch(/No network is configured.*FARTHING_RPC_51=https:/);
});

test("an unknown variable is named, with the one that was meant", () => {
  const message = problemsOf({ ...enough, FARTHING_PROT: "8402" });
  expect(message).toMatch(/^FARTHING_PROT is no setting\. Did you mean FARTHING_PORT\? docs\//);
});

test("variables of other programs are ignored", () => {
  // Every variable that the buyer's command line reads, as its README names them.
  const readme = readFileSync(new URL("../../../cli/README.md", import.meta.url), "utf8");
  const named = readme.match(/FARTHING_(WALLET|LIMIT|ALLOW|LEDGER|RPC_URL|FACILITATOR)[A-Z_]*\b/g);
  const others = ["FARTHING_API_KEY_FILE", "FARTHING_API_KEY_2", ...(named ?? [])]
    .filter((name) => !name.endsWith("_"))
    .map((name): [string, string] => [name, "x"]);
  expect(new Set(others.map(([name]) => name)).size).toBeGreaterThan(10);
  const env = { ...enough, PATH: "/bin", HTTP_PORT: "x", ...Object.fromEntries(others) };
  expect(readConfig({ env }).port).toBe(8402);
});

/** Values that each setting must refuse. */
const bad: Readonly<Partial<Record<SettingName, readonly string[]>>> = {
  FARTHING_HOST: [" "],
  FARTHING_PORT: ["http", "-1", "65536", "8402.5", "1e3", "0x10"],
  FARTHING_NETWORKS: ["eip155:1", "base", "eip155:51,base", ","],
  FARTHING_RPC_51: ["localhost:8545", "ftp://node", "ws://node", "http://", "http://a,b"],
  FARTHING_RELAYER_KEYS: ["secret", "0x12", `${key}00`, `${key},secret`, key.slice(2)],
  FARTHING_RELAYER_MNEMONIC: ["secret", "eleven words ".repeat(5)],
  FARTHING_RELAYER_COUNT: ["0", "65", "many"],
  DATABASE_URL: ["secret", "mysql://user:secret@host/db", "sqlite:"],
  FARTHING_CONFIRMATIONS: ["0", "101", "one"],
  FARTHING_PUBLIC_NETWORKS: ["eip155:50", "nowhere"],
  FARTHING_HOSTED_AUTH: ["yes", "None", "api_key"],
  FARTHING_RATE_LIMIT: ["-1", "unlimited", "1000001"],
  FARTHING_PAYER_CAP: ["-1", "1.0000001", "1,000", "lots"],
  FARTHING_PAYER_COUNT: ["-1", "1000001", "many"],
  FARTHING_KEYLESS_GAS_PER_DAY: ["-1", "0.0000000001", "1,000", "1000000", "12.5:x", "9:200"],
  FARTHING_HEAD_AGE_MAX: ["-1", "86401", "1m"],
  FARTHING_SETTLE_MARGIN: ["-1", "601", "6s"],
  FARTHING_REPEAT_AFTER_SUCCESS: ["true", "Return"],
  FARTHING_RETENTION_DAYS: ["-1", "34", "36501", "a year"],
  FARTHING_PUBLIC_URL: [
    "pay.example",
    "http://pay.example",
    "https://pay.example/shop",
    "https://user@pay.example",
    "ftp://pay.example",
  ],
  FARTHING_TREASURY: ["0x12", "treasury", `0x${"11".repeat(19)}`],
  FARTHING_CREDITS_PER_SETTLEMENT: ["-1", "0.5", "1000001", "free", "12.5:1,12.5:2", "1:1"],
  FARTHING_PURCHASE_MIN: ["0", "-1", "0.0005", "1,000"],
  FARTHING_PURCHASE_REVIEW_ABOVE: ["-1", "1.0000001", "never"],
  FARTHING_WEBHOOK_INSECURE: ["true", "1", "YES"],
  FARTHING_LISTING_CHECK_MINUTES: ["0", "1441", "hourly"],
  FARTHING_LISTING_LOCAL: ["true", "1", "YES"],
  FARTHING_OUTBOUND_CA: ["/etc/ca.pem", "-----BEGIN CERTIFICATE-----AAAA-----END CERTIFICATE-----"],
  FARTHING_ATTESTATION_KEYS: wrongAttestationKeys,
  FARTHING_SETTLE_ATTESTATION: ["true", "never"],
  FARTHING_GAS_PRICE_MAX: ["12.4", "0", "1e9", "fast"],
  FARTHING_BATCH_MAX: ["0", "101", "all"],
  FARTHING_BATCHER_51: ["yes", "0x12", `0x${"11".repeat(19)}`],
  FARTHING_WALLET_FACTORIES: ["all", "0x12", ","],
  FARTHING_LANE_IN_FLIGHT: ["0", "11", "all"],
  FARTHING_TRUSTED_PROXIES: [",", "proxy.example", "10.0.0.0/33", "10.0.0.0/", "300.1.1.1"],
  FARTHING_LOG_LEVEL: ["verbose", "INFO", "trace"],
};

test("what is removed needs a place for its export", () => {
  const days = { ...enough, FARTHING_RETENTION_DAYS: "400" };
  expect(problemsOf(days)).toMatch(/^FARTHING_RETENTION_DIR is missing/);
  const { retention } = readConfig({ env: { ...days, FARTHING_RETENTION_DIR: "/var/removed" } });
  expect(retention).toEqual({ days: 400, folder: "/var/removed" });
  expect(readConfig({ env: enough }).retention).toBeUndefined();
});

describe("a bad value is named with its shape and an example", () => {
  const badOf = new Map<string, readonly string[]>(Object.entries(bad));
  const rows = Object.entries(settings).flatMap(([name, setting]) =>
    (badOf.get(name) ?? []).map((value) => ({ name, value, setting })),
  );

  test.each(rows)("$name=$value", ({ name, value, setting }) => {
    const message = problemsOf({ ...enough, [name]: value });
    expect(message.split("\n")).toHaveLength(1);
    expect(message.startsWith(name)).toBe(true);
    expect(message).toContain(setting.shape);
    expect(message).toContain(`Example: ${name}=${setting.example}`);
    if ("isSecret" in setting) expect(message).not.toContain(`"${value}"`);
    else expect(message).toContain(`"${value}"`);
  });

  test("all of them at once, one line each", () => {
    const message = problemsOf({
      ...enough,
      FARTHING_PORT: "x",
      FARTHING_CONFIRMATIONS: "x",
      FARTHING_NONSENSE: "x",
    });
    expect(message.split("\n")).toHaveLength(3);
  });

  test("examples are values that are taken", () => {
    const examples = Object.entries(settings)
      .filter(([name]) => !/^FARTHING_(RELAYER_|OUTBOUND_CA|ATTESTATION_KEYS)/.test(name))
      .map(([name, { example }]) => [name, example]);
    expect(() => readConfig({ env: Object.fromEntries(examples) })).not.toThrow();
  });
});

/** The configuration of one node, and these settings. */
const readWith = (more: object) => readConfig({ env: { ...enough, ...more } });

describe("credits", () => {
  const treasury = `0x${"11".repeat(20)}`;

  test("cost nothing without a treasury, and one with it, unless the price is set", () => {
    expect(readWith({})).toMatchObject({ creditsPerSettlement: 0, treasury: undefined });
    const sold = { FARTHING_TREASURY: treasury };
    expect(readWith(sold)).toMatchObject({ creditsPerSettlement: 1, treasury });
    expect(readWith({ FARTHING_TREASURY: `xdc${treasury.slice(2)}` })).toMatchObject({ treasury });
    expect(readWith({ ...sold, FARTHING_CREDITS_PER_SETTLEMENT: "0" })).toMatchObject({
      creditsPerSettlement: 0,
    });
    expect(readWith({ FARTHING_CREDITS_PER_SETTLEMENT: "3" })).toMatchObject({
      creditsPerSettlement: 3,
    });
  });

  test("are bought in whole ones", () => {
    expect(readConfig({ env: { ...enough, FARTHING_PURCHASE_MIN: "0.001" } })).toMatchObject({
      purchaseMinUnits: 1_000n,
      purchaseReviewAboveUnits: 500_000_000n,
    });
  });
});

const urlOf = (url: string) => readWith({ FARTHING_PUBLIC_URL: url }).publicUrl;

describe("an address for sellers", () => {
  test("is an origin; plain http stays on this machine", () => {
    expect(urlOf("https://pay.example/")).toBe("https://pay.example");
    expect(urlOf("https://pay.example:8443")).toBe("https://pay.example:8443");
    expect(urlOf("http://127.0.0.1:8402")).toBe("http://127.0.0.1:8402");
    expect(readConfig({ env: enough }).publicUrl).toBeUndefined();
  });

  test("webhooks in the clear are for devnets", () => {
    const insecure = { FARTHING_WEBHOOK_INSECURE: "yes" };
    expect(readConfig({ env: { ...enough, ...insecure } }).webhookInsecure).toBe(true);
    const mainnet = { FARTHING_RPC_50: "http://127.0.0.1:8550" };
    expect(problemsOf({ ...enough, ...mainnet, ...insecure })).toMatch(
      /^FARTHING_WEBHOOK_INSECURE=yes is for devnets/,
    );
    expect(readConfig({ env: { ...enough, ...mainnet } }).webhookInsecure).toBe(false);
  });

  test("listed endpoints on this machine are for devnets", () => {
    const local = { FARTHING_LISTING_LOCAL: "yes" };
    expect(readWith(local)).toMatchObject({ listingLocal: true, listingCheckMinutes: 60 });
    const mainnet = { FARTHING_RPC_50: "http://127.0.0.1:8550" };
    expect(problemsOf({ ...enough, ...mainnet, ...local })).toMatch(
      /^FARTHING_LISTING_LOCAL=yes is for devnets/,
    );
  });
});

describe("wallets", () => {
  test("keys and a mnemonic together", () => {
    const message = problemsOf({
      ...enough,
      FARTHING_RELAYER_KEYS: key,
      FARTHING_RELAYER_MNEMONIC: "word ".repeat(12),
    });
    expect(message).toBe("Set FARTHING_RELAYER_KEYS or FARTHING_RELAYER_MNEMONIC, not both.");
  });

  test("the same key twice, in whatever case: one wallet has one writer", () => {
    const twice = `${key},${otherKey},0x${key.slice(2).toUpperCase()}`;
    const message = problemsOf({ ...enough, FARTHING_RELAYER_KEYS: twice });
    expect(message).toMatch(/^FARTHING_RELAYER_KEYS: key 3 is key 1 again; .*\.$/);
    expect(message).not.toContain(key);
  });
});

const testOf = (env: Record<string, string>) =>
  readConfig({ env }).testNetworks.map(({ id }) => id);

const publicOf = (env: Record<string, string>) =>
  readConfig({ env }).publicNetworks.map(({ id }) => id);

describe("networks", () => {
  test("named twice, by both of its names, is served once", () => {
    const env = { ...enough, FARTHING_NETWORKS: "eip155:51,xdc-apothem" };
    expect(readConfig({ env }).networks.map(({ network }) => network.id)).toEqual(["eip155:51"]);
  });

  test("named without a node", () => {
    expect(problemsOf({ ...enough, FARTHING_NETWORKS: "eip155:50" })).toMatch(
      /^FARTHING_RPC_50 is missing: .*Example: FARTHING_RPC_50=https:/,
    );
  });

  test("the public face serves mainnet alone when it is served, else all", () => {
    const both = { ...enough, FARTHING_RPC_50: "http://127.0.0.1:8546" };
    expect(publicOf(both)).toEqual(["eip155:50"]);
    expect(publicOf(enough)).toEqual(["eip155:51"]);
    expect(publicOf({ ...both, FARTHING_PUBLIC_NETWORKS: "eip155:51" })).toEqual(["eip155:51"]);
  });

  test("beside mainnet, Apothem is for test keys unless the public networks are named", () => {
    const both = { ...enough, FARTHING_RPC_50: "http://127.0.0.1:8546" };
    expect(testOf(both)).toEqual(["eip155:51"]);
    expect(testOf(enough)).toEqual([]);
    expect(testOf({ ...both, FARTHING_PUBLIC_NETWORKS: "eip155:50" })).toEqual([]);
  });
});

describe("values from files", () => {
  test("NAME_FILE gives the value, without its line end", () => {
    const env = {
      ...enough,
      FARTHING_RELAYER_KEYS_FILE: file(`${key}\n`),
      FARTHING_PORT_FILE: file(" 1234 \r\n"),
    };
    const { wallets: { local } = {}, port } = readConfig({ env });
    expect(port).toBe(1234);
    expect(local && "keys" in local && local.keys.map((one) => one.expose())).toEqual([key]);
  });

  test("a file that is not there", () => {
    const path = join(folder, "nowhere");
    expect(problemsOf({ ...enough, FARTHING_RELAYER_KEYS_FILE: path })).toContain(
      `FARTHING_RELAYER_KEYS_FILE: the file ${path} cannot be read; check the path and its rights.`,
    );
  });

  test("the variable and its file", () => {
    const env = { ...enough, FARTHING_RPC_51_FILE: file("http://127.0.0.1:1") };
    expect(problemsOf(env)).toBe("Set FARTHING_RPC_51 or FARTHING_RPC_51_FILE, not both.");
  });

  test("YAML gives settings by their short names; the environment wins", () => {
    const path = file(
      "port: 1111\nconfirmations: 3\nrpc51:\n  - http://127.0.0.1:1\n  - http://127.0.0.1:2\npayerCap: 0.5\n",
    );
    const config = readConfig({ env: { FARTHING_CONFIG: path, FARTHING_PORT: "2222" } });
    expect(config).toMatchObject({ port: 2222, confirmations: 3, payerCapUnits: 500_000n });
    expect(config.networks[0]?.rpcUrls.map((url) => url.expose())).toEqual([
      "http://127.0.0.1:1",
      "http://127.0.0.1:2",
    ]);
  });

  test("a key in YAML is text and never a rounded number", () => {
    const path = file(`rpc51: http://127.0.0.1:1\nrelayerKeys: ${key}\n`);
    const { wallets: { local } = {} } = readConfig({ env: { FARTHING_CONFIG: path } });
    expect(local && "keys" in local && local.keys[0]?.expose()).toBe(key);
  });

  test.each([
    ["an unknown name", "prot: 1", /"prot" is no setting\. Did you mean port\? docs/],
    ["a map", "port:\n  a: 1", /"port" must be a value or a list of values/],
    ["a list at the top", "- port", /must hold settings as "name: value" lines/],
    ["nothing", "", /must hold settings as "name: value" lines/],
    [
      "a bad value",
      "port: http",
      /^\S+file-\d+: "port" is "http", but must be: port.* Example: port: 8402$/,
    ],
    ["no YAML", 'port: "1', /FARTHING_CONFIG: .* cannot be read/],
  ])("%s in the YAML file is named", (_, text, says) => {
    expect(problemsOf({ ...enough, FARTHING_CONFIG: file(text) })).toMatch(says);
  });

  test("a bad value is the file's only where no variable wins over it", () => {
    const path = file("port: http\nrpc51: nowhere");
    const env = { FARTHING_CONFIG: path, FARTHING_PORT: "x" };
    const [port, rpc, ...others] = problemsOf(env).split("\n").toSorted();
    expect([port, rpc]).toEqual([
      expect.stringMatching(/^\S+file-\d+: "rpc51" must be: JSON-RPC URLs/),
      expect.stringMatching(/^FARTHING_PORT is "x", but must be: port/),
    ]);
    expect(others).toEqual([]);
  });

  test("a YAML file that is not there", () => {
    const path = join(folder, "nowhere.yaml");
    expect(problemsOf({ ...enough, FARTHING_CONFIG: path })).toMatch(
      /nowhere\.yaml cannot be read/,
    );
  });
});

/** JSON has no bigint. */
const toJson = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value);

describe("no secret is in a message or in the printed configuration", () => {
  const word = "hunter2";
  const secretNames = Object.entries(settings).flatMap(([name, setting]) =>
    "isSecret" in setting ? [name] : [],
  );

  test.each(secretNames)("%s", (name) => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
    // A line end inside belongs to no setting's value.
    for (const value of [word, `${word} ${word}`, `0x${word}`, `ftp://user:${word}@host`]) {
      const own: Record<string, string> = { ...enough, ...collector, [name]: value };
      expect(problemsOf(own)).not.toContain(word);
      const { [name]: _, ...rest } = own;
      expect(problemsOf({ ...rest, [`${name}_FILE`]: file(value) })).not.toContain(word);
    }
  });

  test("in YAML that cannot be parsed", () => {
    const path = file(`relayerKeys: "${word}\nport: [`);
    expect(problemsOf({ ...enough, FARTHING_CONFIG: path })).not.toContain(word);
  });

  test("in a name that is mistyped", () => {
    expect(problemsOf({ ...enough, FARTHING_RELAYER_KEY: word })).not.toContain(word);
  });

  test("in the configuration itself", () => {
    const pem = newAttestationKey().signing;
    const config = readConfig({
      env: {
        FARTHING_RPC_51: `http://node/${word}`,
        FARTHING_RELAYER_KEYS: key,
        FARTHING_ATTESTATION_KEYS: pem,
      },
    });
    const printed = [inspect(config, { depth: 9 }), JSON.stringify(config, toJson)].join();
    expect(printed).not.toMatch(new RegExp(`${word}|${key}`));
    expect(printed).not.toContain(pem.split("\n")[1]);
  });
});
