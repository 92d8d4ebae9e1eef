/**
 * The environment variables of a buyer on this machine. The command line reads them, and the
 * facilitator, which refuses unknown variables, lets them pass.
 */
export const buyerVariables = {
  wallet: "FARTHING_WALLET",
  walletKey: "FARTHING_WALLET_KEY",
  walletKeyFile: "FARTHING_WALLET_KEY_FILE",
  walletPassword: "FARTHING_WALLET_PASSWORD",
  walletPasswordFile: "FARTHING_WALLET_PASSWORD_FILE",
  ledger: "FARTHING_LEDGER",
  limitPerCall: "FARTHING_LIMIT_PER_CALL",
  limitPerDay: "FARTHING_LIMIT_PER_DAY",
  limitOpenPayments: "FARTHING_LIMIT_OPEN_PAYMENTS",
  limitOpenPerHost: "FARTHING_LIMIT_OPEN_PER_HOST",
  channelsUse: "FARTHING_CHANNELS",
  channelsAfter: "FARTHING_CHANNELS_AFTER",
  depositPerSeller: "FARTHING_DEPOSIT_PER_SELLER",
  depositTotal: "FARTHING_DEPOSIT_TOTAL",
  allowHosts: "FARTHING_ALLOW_HOSTS",
  allowPayees: "FARTHING_ALLOW_PAYEES",
  rpcUrl: "FARTHING_RPC_URL",
  agentKey: "FARTHING_AGENT_KEY",
  facilitatorUrl: "FARTHING_FACILITATOR_URL",
} as const;
