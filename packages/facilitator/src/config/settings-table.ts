/** The table of settings. */
import { buyerVariables } from "@farthing/protocol";
import { logLevels } from "@farthing/engine/base";

export interface Setting {
  /** Name in the YAML file. */
  readonly key: string;
  readonly shape: string;
  readonly example: string;
  /** The default; absent for settings that may stay unset. */
  readonly fallback?: string;
  readonly isSecret?: true;
}

export const settings = {
  FARTHING_HOST: {
    key: "host",
    shape: "address to listen on",
    example: "0.0.0.0",
    fallback: "127.0.0.1",
  },
  FARTHING_PORT: {
    key: "port",
    shape: "port, 0 for any free one",
    example: "8402",
    fallback: "8402",
  },
  FARTHING_NETWORKS: {
    key: "networks",
    shape: "networks to serve, comma-separated: eip155:50 (XDC), eip155:51 (Apothem)",
    example: "eip155:50,eip155:51",
  },
  FARTHING_RPC_50: {
    key: "rpc50",
    shape: "JSON-RPC URLs of XDC nodes, comma-separated",
    example: "https://erpc.xinfin.network",
    isSecret: true,
  },
  FARTHING_RPC_51: {
    key: "rpc51",
    shape: "JSON-RPC URLs of Apothem nodes, comma-separated",
    example: "https://erpc.apothem.network",
    isSecret: true,
  },
  FARTHING_RELAYER_KEYS: {
    key: "relayerKeys",
    shape: "private keys of the relayer wallets, comma-separated, each 0x and 64 hex digits",
    example: "0x… (keep it in a file: FARTHING_RELAYER_KEYS_FILE=/run/secrets/relayer)",
    isSecret: true,
  },
  FARTHING_RELAYER_MNEMONIC: {
    key: "relayerMnemonic",
    shape: "BIP-39 words, instead of keys",
    example: "twelve or more words (keep them in a file: FARTHING_RELAYER_MNEMONIC_FILE=…)",
    isSecret: true,
  },
  FARTHING_RELAYER_COUNT: {
    key: "relayerCount",
    shape: "number of wallets of the mnemonic, 1 to 64",
    example: "4",
    fallback: "1",
  },
  DATABASE_URL: {
    key: "databaseUrl",
    shape: "sqlite:/path/to/file, or postgres://user:password@host:5432/database",
    example: "sqlite:/var/lib/farthing/farthing.db",
    fallback: "sqlite:./farthing.db",
    isSecret: true,
  },
  FARTHING_CONFIRMATIONS: {
    key: "confirmations",
    shape: "blocks until a payment counts as confirmed, 1 to 100",
    example: "1",
    fallback: "1",
  },
  FARTHING_PUBLIC_NETWORKS: {
    key: "publicNetworks",
    shape: "networks of the public surface, comma-separated; eip155:50 when it is served, else all",
    example: "eip155:50",
  },
  FARTHING_HOSTED_AUTH: {
    key: "hostedAuth",
    shape: "who may call the hosted or self-built surface: none or api-key",
    example: "none",
    fallback: "none",
  },
  FARTHING_RATE_LIMIT: {
    key: "rateLimit",
    shape:
      "requests per caller in 10 seconds, and as many again to /settle; ten times as many with an API key; each process counts separately; 0 for no limit",
    example: "500",
    fallback: "500",
  },
  FARTHING_MIN_AMOUNT: {
    key: "minAmount",
    shape: "smallest payment in USDC that surfaces without keys settle; 0 for no limit",
    example: "0.001",
    fallback: "0.001",
  },
  FARTHING_PAYER_CAP: {
    key: "payerCap",
    shape:
      "USDC that one payer may spend in 24 hours, counted by the hour, on surfaces without keys; 0 for no cap",
    example: "1000",
    fallback: "1000",
  },
  FARTHING_PAYER_COUNT: {
    key: "payerCount",
    shape:
      "payments of one payer that are settled in 24 hours on surfaces without keys, 0 for no limit",
    example: "2000",
    fallback: "2000",
  },
  FARTHING_KEYLESS_GAS_PER_DAY: {
    key: "keylessGasPerDay",
    shape:
      "XDC of gas per day for payments on surfaces without keys, on each network; refills by the hour; 0 for no limit",
    example: "200",
    fallback: "200",
  },
  FARTHING_REVERTED_GAS_PER_DAY: {
    key: "revertedGasPerDay",
    shape:
      "XDC of gas per day that transactions of contract wallets may burn by reverting, on each network, for callers with and without a key and for purchases of credits; refills by the hour; 0 for no limit",
    example: "20",
    fallback: "20",
  },
  FARTHING_HEAD_AGE_MAX: {
    key: "headAgeMax",
    shape: "age of the newest block in seconds above which /ready fails, 0 for never",
    example: "90",
    fallback: "90",
  },
  FARTHING_SETTLE_MARGIN: {
    key: "settleMargin",
    shape: "seconds that an authorization must still be valid to be settled, 0 to 600",
    example: "6",
    fallback: "6",
  },
  FARTHING_REPEAT_AFTER_SUCCESS: {
    key: "repeatAfterSuccess",
    shape:
      "what a repeat of a confirmed settle returns: auto (success again while the payment has one exchange, otherwise once), return (success each time), once (success once), refuse (nonce_already_used)",
    example: "auto",
    fallback: "auto",
  },
  FARTHING_RETENTION_DAYS: {
    key: "retentionDays",
    shape:
      "days after which ended settlements are exported and removed, with their transactions and ledger entries, and webhook deliveries, 35 to 36500; 0 for never, and 30 days for deliveries",
    example: "400",
    fallback: "0",
  },
  FARTHING_RETENTION_DIR: {
    key: "retentionDir",
    shape: "folder for the export of removed data; required with FARTHING_RETENTION_DAYS",
    example: "/var/lib/farthing/removed",
  },
  FARTHING_PUBLIC_URL: {
    key: "publicUrl",
    shape: "address at which sellers reach the service, https; plain http on this machine only",
    example: "https://pay.example",
  },
  FARTHING_TREASURY: {
    key: "treasury",
    shape: "address that credits are paid to, 0x… or xdc…; without it no credits are sold",
    example: "0x1111111111111111111111111111111111111111",
  },
  FARTHING_CREDITS_PER_SETTLEMENT: {
    key: "creditsPerSettlement",
    shape:
      "credits that a settlement with an API key costs, 0 to 1000000; 1 with a treasury, else 0",
    example: "1",
  },
  FARTHING_PURCHASE_MIN: {
    key: "purchaseMin",
    shape: "minimum purchase of credits in USDC",
    example: "1",
    fallback: "1",
  },
  FARTHING_PURCHASE_REVIEW_ABOVE: {
    key: "purchaseReviewAbove",
    shape: "USDC above which a purchase of credits waits for the operator's review",
    example: "500",
    fallback: "500",
  },
  FARTHING_CONTACT: {
    key: "contact",
    shape: "where sellers reach you about a purchase: an e-mail address or an https URL",
    example: "support@pay.example",
  },
  FARTHING_WEBHOOK_INSECURE: {
    key: "webhookInsecure",
    shape: "whether webhooks may go to plain http and to this machine: no, or yes for a devnet",
    example: "no",
    fallback: "no",
  },
  FARTHING_LISTING_CHECK_MINUTES: {
    key: "listingCheckMinutes",
    shape: "minutes between two checks of a live listing, 1 to 1440",
    example: "60",
    fallback: "60",
  },
  FARTHING_LISTING_LOCAL: {
    key: "listingLocal",
    shape:
      "whether listed endpoints may be on this machine, on any port: no, or yes for a devnet; always over HTTPS",
    example: "no",
    fallback: "no",
  },
  FARTHING_OUTBOUND_CA: {
    key: "outboundCa",
    shape: "additional certificate authorities (PEM) for webhooks and listed endpoints",
    example: "a PEM text (keep it in a file: FARTHING_OUTBOUND_CA_FILE=/etc/farthing/ca.pem)",
    isSecret: true,
  },
  FARTHING_GAS_PRICE_MAX: {
    key: "gasPriceMax",
    shape: "highest gas price in gwei, at least 12.5",
    example: "100",
    fallback: "100",
  },
  // Batches of 20 save nearly as much gas; 50 carry a burst with fewer nonces.
  FARTHING_BATCH_MAX: {
    key: "batchMax",
    shape: "maximum settlements of one transaction, 1 to 100; 1 turns batching off",
    example: "50",
    fallback: "50",
  },
  FARTHING_BATCHER_50: {
    key: "batcher50",
    shape:
      "address of the batch contract on XDC, with which payments of contract wallets share transactions; experimental, unset for Multicall3",
    example: "0xA9ac947066F4e9Afc6505f00B7BB9679F11C36d7",
  },
  FARTHING_BATCHER_51: {
    key: "batcher51",
    shape:
      "address of the batch contract on Apothem, with which payments of contract wallets share transactions; experimental, unset for Multicall3",
    example: "0xA9ac947066F4e9Afc6505f00B7BB9679F11C36d7",
  },
  // Safe 1.4.1, and 1.3.0 at both of its addresses.
  FARTHING_WALLET_FACTORIES: {
    key: "walletFactories",
    shape:
      "factories that may deploy a paying wallet with its first payment (ERC-6492), comma-separated addresses or none; used only with a batch contract, experimental",
    example: "none",
    fallback:
      "0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67,0xa6B71E26C5e0845f74c812102Ca7114b6a896AB2,0xC22834581EbC8527d974F8a1c97E1bEA4EF910BC",
  },
  // XDC nodes refuse a nonce more than ten above what they have seen, each by its own view: eight
  // leave room for a node that lags behind.
  FARTHING_LANE_IN_FLIGHT: {
    key: "laneInFlight",
    shape:
      "maximum transactions of one wallet in flight, 1 to 10; XDC refuses nonces further ahead",
    example: "8",
    fallback: "8",
  },
  FARTHING_CONTRACT_IN_FLIGHT: {
    key: "contractInFlight",
    shape:
      "payments of one contract wallet in flight at a time, 1 to 10; each has its own transaction, unless a batch contract is configured",
    example: "1",
    fallback: "1",
  },
  FARTHING_TRUSTED_PROXIES: {
    key: "trustedProxies",
    shape:
      "addresses of proxies whose X-Forwarded-For is trusted and whose connections are not counted, comma-separated",
    example: "10.0.0.0/8",
  },
  FARTHING_CONNECTIONS_PER_ADDRESS: {
    key: "connectionsPerAddress",
    shape:
      "connections that one address may hold at once (IPv6: one /64), trusted proxies exempt; 0 for no limit",
    example: "1000",
    fallback: "1000",
  },
  FARTHING_METRICS_HOST: {
    key: "metricsHost",
    shape: "address on which Prometheus metrics are served",
    example: "127.0.0.1",
    fallback: "127.0.0.1",
  },
  FARTHING_METRICS_PORT: {
    key: "metricsPort",
    shape: "port of /metrics, 0 for any free one; without it there are no metrics",
    example: "9464",
  },
  FARTHING_LOG_LEVEL: {
    key: "logLevel",
    shape: logLevels.join(", "),
    example: "info",
    fallback: "info",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** Variables of other parts of Farthing that may be in the same environment. */
export const otherVariables: ReadonlySet<string> = new Set([
  "FARTHING_CONFIG",
  // The seller's key.
  "FARTHING_API_KEY",
  ...Object.values(buyerVariables),
]);
