/** The table of settings. */
import { logLevels } from "@farthing/engine/base";
import { gasSettings } from "./gas-settings.ts";
import { channelSettings } from "./channel-settings.ts";
import { recoverySettings } from "./recovery-settings.ts";

interface SettingRow {
  readonly shape: string;
  /** The default, if left out. */
  readonly example?: string;
  /** The default; absent for settings that may stay unset. */
  readonly fallback?: string;
  readonly isSecret?: true;
}

export interface Setting extends SettingRow {
  /** Name in the YAML file, derived from the variable: `rpc50` is FARTHING_RPC_50. */
  readonly key: string;
  readonly example: string;
}

function complete<Name extends string>(
  rows: Readonly<Record<Name, SettingRow>>,
): Readonly<Record<Name, Setting>>;
function complete(rows: Readonly<Record<string, SettingRow>>): Readonly<Record<string, Setting>> {
  const entries = Object.entries(rows).map(([name, row]) => {
    const words = name.replace("FARTHING_", "").toLowerCase();
    const key = words.replaceAll(/_(.)/g, (_, first: string) => first.toUpperCase());
    return [name, { key, example: row.fallback ?? "", ...row }];
  });
  return Object.fromEntries(entries);
}

/** OpenTelemetry's names of the ways to choose what is traced. */
export const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export const databaseUrlDefault = "sqlite:./farthing.db";

export const settings = complete({
  FARTHING_HOST: {
    shape: "address to listen on",
    example: "0.0.0.0",
    fallback: "127.0.0.1",
  },
  FARTHING_PORT: {
    shape: "port, 0 for any free one",
    fallback: "8402",
  },
  FARTHING_WORKERS: {
    shape:
      "processes that read requests and check signatures, 1 to 16; 1 does all in one process. More are for machines with several free cores; the rate limit and everything sent to nodes and the database stay those of one process",
    fallback: "1",
  },
  FARTHING_NETWORKS: {
    shape: "networks to serve, comma-separated: eip155:50 (XDC), eip155:51 (Apothem)",
    example: "eip155:50,eip155:51",
  },
  FARTHING_RPC_50: {
    shape: "JSON-RPC URLs of XDC nodes, comma-separated",
    example: "https://erpc.xinfin.network",
    isSecret: true,
  },
  FARTHING_RPC_51: {
    shape: "JSON-RPC URLs of Apothem nodes, comma-separated",
    example: "https://erpc.apothem.network",
    isSecret: true,
  },
  FARTHING_EXPLORER_50: {
    shape: "address of the block explorer that links of XDC lead to, or none",
    example: "https://xdcscan.com",
  },
  FARTHING_EXPLORER_51: {
    shape:
      "address of the block explorer that links of Apothem lead to, or none; when left out, none where every node is on this machine, as a devnet is",
    example: "https://testnet.xdcscan.com",
  },
  FARTHING_RELAYER_KEYS: {
    shape: "private keys of the relayer wallets, comma-separated, each 0x and 64 hex digits",
    example: "0x… (keep it in a file: FARTHING_RELAYER_KEYS_FILE=/run/secrets/relayer)",
    isSecret: true,
  },
  FARTHING_RELAYER_MNEMONIC: {
    shape: "BIP-39 words, instead of keys",
    example: "twelve or more words (keep them in a file: FARTHING_RELAYER_MNEMONIC_FILE=…)",
    isSecret: true,
  },
  FARTHING_RELAYER_COUNT: {
    shape: "number of wallets of the mnemonic, 1 to 64",
    example: "4",
    fallback: "1",
  },
  FARTHING_RELAYER_KMS_KEYS: {
    shape:
      "keys of relayer wallets in AWS KMS (spec ECC_SECG_P256K1), comma-separated ids, ARNs or aliases; region and credentials as in every program with the AWS SDK",
    example: "alias/farthing-relayer-1,alias/farthing-relayer-2",
  },
  FARTHING_RELAYER_WEB3SIGNER_URL: {
    shape: "http or https URL of a Web3Signer in its eth1 mode, which signs for relayer wallets",
    example: "https://signer.internal:9000",
    isSecret: true,
  },
  FARTHING_RELAYER_WEB3SIGNER_WALLETS: {
    shape: "addresses of the relayer wallets whose keys are in that Web3Signer, comma-separated",
    example: "0x1111111111111111111111111111111111111111",
  },
  FARTHING_RELAYER_WEB3SIGNER_AUTHORIZATION: {
    shape: "value of the Authorization header for a proxy in front of that Web3Signer",
    example:
      "Bearer … (keep it in a file: FARTHING_RELAYER_WEB3SIGNER_AUTHORIZATION_FILE=/run/secrets/signer)",
    isSecret: true,
  },
  DATABASE_URL: {
    shape:
      "sqlite:/path/to/file, or postgres://user:password@host:5432/database, where several hosts are separated by commas",
    example: "sqlite:/var/lib/farthing/farthing.db",
    fallback: databaseUrlDefault,
    isSecret: true,
  },
  DATABASE_READ_URL: {
    shape:
      "postgres://user:password@host:5432/database of a standby, from which lists of the dashboard, CSV files and the discovery of listings are read while it is less than ten seconds behind; without it they are read from DATABASE_URL",
    example: "postgres://farthing:password@standby.internal:5432/farthing",
    isSecret: true,
  },
  FARTHING_CONFIRMATIONS: {
    shape: "blocks until a payment counts as confirmed, 1 to 100",
    fallback: "1",
  },
  FARTHING_PUBLIC_NETWORKS: {
    shape:
      "networks of the public surface, comma-separated; when left out, eip155:50 where it is served, with the other networks for test keys, and otherwise all",
    example: "eip155:50",
  },
  FARTHING_HOSTED_AUTH: {
    shape: "who may call the hosted or self-built surface: none or api-key",
    fallback: "none",
  },
  FARTHING_RATE_LIMIT: {
    shape:
      "requests per caller in 10 seconds, and as many again to /settle; ten times as many with an API key; each process counts separately; 0 for no limit",
    fallback: "500",
  },
  FARTHING_MIN_AMOUNT: {
    shape:
      "smallest payment in USDC that surfaces without keys settle; 0 for no limit. Or a table of gas prices in gwei with the amount up to each, such as 12.5:0.001,625:0.06; or auto, what a single payment costs at FARTHING_XDC_PRICE and FARTHING_FEE_MARGIN percent, at least 0.001",
    fallback: "0.001",
  },
  FARTHING_PAYER_CAP: {
    shape:
      "USDC that one payer may spend in 24 hours, counted by the hour, on surfaces without keys; 0 for no cap",
    fallback: "1000",
  },
  FARTHING_PAYER_COUNT: {
    shape:
      "payments of one payer that are settled in 24 hours on surfaces without keys, 0 for no limit",
    fallback: "2000",
  },
  FARTHING_KEYLESS_GAS_PER_DAY: {
    shape:
      "XDC of gas per day for payments on surfaces without keys, on each network; refills by the hour; 0 for no limit. Or a table of gas prices in gwei with the XDC up to each, such as 12.5:200,625:2000",
    fallback: "200",
  },
  FARTHING_REVERTED_GAS_PER_DAY: {
    shape:
      "XDC of gas per day that transactions of contract wallets may burn by reverting, on each network, for callers with and without a key and for purchases of credits; refills by the hour; 0 for no limit. Or a table of gas prices in gwei with the XDC up to each, such as 12.5:20,625:500",
    fallback: "20",
  },
  FARTHING_HEAD_AGE_MAX: {
    shape: "age of the newest block in seconds above which /ready fails, 0 for never",
    fallback: "90",
  },
  FARTHING_SETTLE_MARGIN: {
    shape: "seconds that an authorization must still be valid to be settled, 0 to 600",
    fallback: "6",
  },
  FARTHING_REPEAT_AFTER_SUCCESS: {
    shape:
      "what a repeat of a confirmed settle returns: auto (success again while the payment has one exchange, otherwise once), return (success each time), once (success once), refuse (nonce_already_used)",
    fallback: "auto",
  },
  FARTHING_RETENTION_DAYS: {
    shape:
      "days after which ended settlements are exported and removed, with their transactions and ledger entries, and webhook deliveries, 35 to 36500; 0 for never, and 30 days for deliveries",
    example: "400",
    fallback: "0",
  },
  FARTHING_RETENTION_DIR: {
    shape: "folder for the export of removed data; required with FARTHING_RETENTION_DAYS",
    example: "/var/lib/farthing/removed",
  },
  FARTHING_PUBLIC_URL: {
    shape: "address at which sellers reach the service, https; plain http on this machine only",
    example: "https://pay.example",
  },
  FARTHING_DOCS_URL: {
    shape:
      "address of the guides, https, that the service's pages link to; without it they link to none",
    example: "https://docs.pay.example",
  },
  FARTHING_TREASURY: {
    shape: "address that credits are paid to, 0x… or xdc…; without it no credits are sold",
    example: "0x1111111111111111111111111111111111111111",
  },
  FARTHING_CREDITS_PER_SETTLEMENT: {
    shape:
      "credits that a settlement with an API key costs, 0 to 1000000; 1 with a treasury, else 0. Or a table of gas prices in gwei with the credits up to each, such as 12.5:1,100:8,625:60; or auto, by what a single payment costs at FARTHING_XDC_PRICE",
    example: "1",
  },
  FARTHING_FEE_MARGIN: {
    shape: "percent that the fee auto adds to what a single payment costs, 0 to 1000",
    fallback: "20",
  },
  FARTHING_FREE_CREDITS: {
    shape:
      "credits that each account gets with its first settlement of a calendar month (UTC), 0 to 1000000; anyone who signs in has an account",
    example: "1000",
    fallback: "0",
  },
  FARTHING_PURCHASE_MIN: {
    shape: "minimum purchase of credits in USDC",
    fallback: "1",
  },
  FARTHING_PURCHASE_REVIEW_ABOVE: {
    shape: "USDC above which a purchase of credits waits for the operator's review",
    fallback: "500",
  },
  FARTHING_CONTACT: {
    shape: "where sellers reach you about a purchase: an e-mail address or an https URL",
    example: "support@pay.example",
  },
  FARTHING_SMTP_URL: {
    shape:
      "mail server for e-mail notices: smtp://user:password@host:587 (with STARTTLS, except on this machine), or smtps://user:password@host:465; special characters of user and password are percent-encoded",
    example: "smtps://notices:password@mail.example",
    isSecret: true,
  },
  FARTHING_MAIL_FROM: {
    shape: "sender of e-mail notices, an address or a name and an address",
    example: "Farthing <notices@pay.example>",
  },
  FARTHING_WEBHOOK_INSECURE: {
    shape: "whether webhooks may go to plain http and to this machine: no, or yes for a devnet",
    fallback: "no",
  },
  FARTHING_LISTING_CHECK_MINUTES: {
    shape: "minutes between two checks of a live listing, 1 to 1440",
    fallback: "60",
  },
  FARTHING_LISTING_LOCAL: {
    shape:
      "whether listed endpoints may be on this machine, on any port and over plain http: no, or yes for a devnet",
    fallback: "no",
  },
  FARTHING_OUTBOUND_CA: {
    shape:
      "additional certificate authorities (PEM) for webhooks, listed endpoints and the mail server",
    example: "a PEM text (keep it in a file: FARTHING_OUTBOUND_CA_FILE=/etc/farthing/ca.pem)",
    isSecret: true,
  },
  FARTHING_DENY_LIST_FILE: {
    shape:
      "file of addresses that are not served as payer or payee, one a line, # begins a comment; reread when it changes",
    example: "/etc/farthing/deny-list.txt",
  },
  FARTHING_SCREENING_URL: {
    shape:
      "http or https URL of a screening service, which is asked about the payer and the payee of each valid payment",
    example: "https://screening.example/check",
    isSecret: true,
  },
  FARTHING_SCREENING_FAILURE: {
    shape:
      "what happens to payments while the screening service does not respond: refuse (503, nothing is evaluated), or serve",
    fallback: "refuse",
  },
  FARTHING_ATTESTATION_KEYS: {
    shape:
      "Ed25519 keys (PEM): the first, a private key, signs attestations of settlements; up to seven more, private or public, stay published; without it there are no attestations",
    example:
      "a PEM text (keep it in a file: FARTHING_ATTESTATION_KEYS_FILE=/etc/farthing/attestation.pem)",
    isSecret: true,
  },
  FARTHING_SETTLE_ATTESTATION: {
    shape:
      "whether answers of /settle and /settlements/{id} that report success carry an attestation, if there is a key for it: yes, or no",
    fallback: "yes",
  },
  ...gasSettings,
  ...recoverySettings,
  ...channelSettings,
  // Batches of 20 save nearly as much gas; 50 carry a burst with fewer nonces.
  FARTHING_BATCH_MAX: {
    shape: "maximum settlements of one transaction, 1 to 100; 1 turns batching off",
    fallback: "50",
  },
  FARTHING_BATCHER_50: {
    shape:
      "address of the batch contract on XDC, with which payments of contract wallets share transactions; experimental, unset for Multicall3",
    example: "0xA9ac947066F4e9Afc6505f00B7BB9679F11C36d7",
  },
  FARTHING_BATCHER_51: {
    shape:
      "address of the batch contract on Apothem, with which payments of contract wallets share transactions; experimental, unset for Multicall3",
    example: "0xA9ac947066F4e9Afc6505f00B7BB9679F11C36d7",
  },
  // Safe 1.4.1, and 1.3.0 at both of its addresses.
  FARTHING_WALLET_FACTORIES: {
    shape:
      "factories that may deploy a paying wallet with its first payment (ERC-6492), comma-separated addresses or none; used only with a batch contract, experimental",
    example: "none",
    fallback:
      "0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67,0xa6B71E26C5e0845f74c812102Ca7114b6a896AB2,0xC22834581EbC8527d974F8a1c97E1bEA4EF910BC",
  },
  // XDC nodes refuse a nonce more than ten above what they have seen, each by its own view: eight
  // leave room for a node that lags behind.
  FARTHING_LANE_IN_FLIGHT: {
    shape:
      "maximum transactions of one wallet in flight, 1 to 10; XDC refuses nonces further ahead",
    fallback: "8",
  },
  FARTHING_CONTRACT_IN_FLIGHT: {
    shape:
      "payments of one contract wallet in flight at a time, 1 to 10; each has its own transaction, unless a batch contract is configured",
    fallback: "1",
  },
  FARTHING_TRUSTED_PROXIES: {
    shape:
      "addresses of proxies whose X-Forwarded-For is trusted and whose connections are not counted, comma-separated",
    example: "10.0.0.0/8",
  },
  FARTHING_CONNECTIONS_PER_ADDRESS: {
    shape:
      "connections that one address may hold at once (IPv6: one /64), trusted proxies exempt; 0 for no limit",
    fallback: "1000",
  },
  FARTHING_METRICS_HOST: {
    shape: "address on which Prometheus metrics are served",
    fallback: "127.0.0.1",
  },
  FARTHING_METRICS_PORT: {
    shape: "port of /metrics, 0 for any free one; without it there are no metrics",
    example: "9464",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    shape:
      "http or https URL of an OpenTelemetry collector, without a name and password; traces go to /v1/traces below it, as OTLP over HTTP in JSON; without it nothing is traced",
    example: "http://127.0.0.1:4318",
    isSecret: true,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    shape: "headers for the collector, comma-separated name=value, values percent-encoded",
    example: "Authorization=Bearer%20key",
    isSecret: true,
  },
  OTEL_SERVICE_NAME: {
    shape: "name of the service in its traces, at most 100 characters",
    fallback: "farthing",
  },
  OTEL_TRACES_SAMPLER: {
    shape: `which requests are traced: ${samplers.join(", ")}; with parentbased_… the caller's traceparent decides where there is one`,
    fallback: "parentbased_always_on",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    shape: "share of the traces that …traceidratio keeps, 0 to 1",
    example: "0.1",
    fallback: "1",
  },
  FARTHING_LOG_LEVEL: {
    shape: logLevels.join(", "),
    fallback: "info",
  },
});

export type SettingName = keyof typeof settings;

/** Reads a setting; undefined where its text is refused, which is noted, or where it is not set. */
export type ReadSetting = <T>(
  name: SettingName,
  parse: (text: string) => T | undefined,
) => T | undefined;
