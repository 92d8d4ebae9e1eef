/** The paying fetch of a command: its wallet, ledger and limits from flags, environment, settings. */
import {
  parseLimits,
  wrapFetch,
  type BuyerOptions,
  type ChannelsInput,
  type Ledger,
  type LimitsInput,
  type PayingFetch,
} from "@farthing/buyer";
import {
  defined,
  findNetwork,
  isSameAddress,
  parseAddress,
  shortUsdc,
  writeTo,
} from "@farthing/protocol";
import { Option, type Command } from "commander";
import { agentFetch, agentKeyOption, type AgentFlags } from "./agent-key.ts";
import { openLedger, readLimits, readSettings } from "../input/buyer-settings.ts";
import { readChannelSettings } from "../input/channel-settings.ts";
import { CanceledError, UsageError } from "../command/command-errors.ts";
import { unboundWarning, whyResent, type PaymentProgress } from "../output/payment-report.ts";
import { askYesNo } from "../input/prompt.ts";
import { nodeUrl, rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { keylessSigner, readWallet, type WalletFlags } from "../wallet/wallet.ts";

/** The payer, the maximum, and the payee. */
export interface PayerFlags extends WalletFlags, NodeFlags, AgentFlags {
  readonly maxAmount?: string;
  readonly network?: string;
  readonly prefer?: "v1" | "v2";
  readonly acceptPayee?: string;
  readonly confirm?: boolean;
  readonly channels?: NonNullable<ChannelsInput["use"]>;
}

/** When a payment opens a channel; an open one is used in any case but `never`. */
export function channelsOption(): Option {
  return new Option(
    "--channels <when>",
    "pay over a payment channel: auto (after three payments to a seller in an hour, or where it takes nothing else), always or never; see `farthing ledger limits`",
  ).choices(["auto", "always", "never"]);
}

/** Adds the flags by which offers are checked; `inspect` has only these. */
export function addTermsFlags(command: Command): Command {
  return command
    .option("--max-amount <USDC>", "maximum that this run may pay (default: the limit per call)")
    .option(
      "--network <name>",
      "pay on this network only: xdc (eip155:50) or xdc-apothem (eip155:51)",
    )
    .option("--wallet <name>", "pay from this keystore; see `farthing wallet`")
    .option("--wallet-contract <address>", "pay from this ERC-1271 wallet; the key is its owner's")
    .addOption(rpcOption("node to ask for the balance and for the outcome of open payments"))
    .addOption(agentKeyOption())
    .addOption(
      new Option("--prefer <version>", "version of x402 to pay with").choices(["v2", "v1"]),
    );
}

/**
 * Builds the paying fetch. When `isReadOnly` it can quote but not sign, and needs no password.
 * `progress` records that something was signed. Throws a UsageError or a ConfigurationError.
 */
export async function createPayer(
  flags: PayerFlags,
  isReadOnly: boolean,
  progress?: PaymentProgress,
): Promise<PayingFetch> {
  return wrapFetch(agentFetch(flags), await payerOptions(flags, isReadOnly, progress), fetch);
}

/** A paying fetch for payments that exist, without a wallet or a password. */
export function createResumer(flags: NodeFlags): PayingFetch {
  const rpcUrl = nodeUrl(flags);
  const options = { signer: keylessSigner(), ledger: openLedger(), ...defined({ rpcUrl }) };
  return wrapFetch(fetch, options);
}

export async function payerOptions(
  flags: PayerFlags,
  isReadOnly: boolean,
  progress?: PaymentProgress,
): Promise<BuyerOptions & { readonly ledger: Ledger }> {
  const { network, prefer } = flags;
  const rpcUrl = nodeUrl(flags);
  if (network !== undefined && !findNetwork(network)) {
    throw new UsageError("--network must be xdc, xdc-apothem, eip155:50 or eip155:51.");
  }
  // --max-amount lowers or raises the limit per call, but never the day's.
  const limits = withLimit(readLimits(), "perCall", "--max-amount", flags.maxAmount);
  const { allow } = readSettings();
  const approval = approvalOf(flags, progress);
  const { signer, nonceSecret } = await readWallet(flags, isReadOnly);
  let step = "Sending the payment again";
  let expiresAtMs: number | undefined;
  return {
    signer,
    ledger: openLedger(),
    limits: { ...limits, ...approval.limits },
    onEvent: (event) => {
      const { type } = event;
      if (type === "quote") {
        const { amountUnits, payTo } = event.quote;
        step = `Paying ${shortUsdc(amountUnits)} USDC to ${payTo}`;
      }
      if (type === "signed") expiresAtMs = event.validBefore * 1000;
      // After the payment has left, the seller's confirmation is waited for.
      if (type === "sent") progress?.waiting?.now(step);
      if (type === "resending") {
        progress?.waiting?.still(whyResent(event), event.waitSeconds, expiresAtMs);
      }
      // An earlier payment that is sent again was signed before this run.
      if ((type === "signed" || type === "sent") && progress) progress.isSigned = true;
      // A seller that does not ask for bound payments has nothing to fix.
      if (type === "unbound" && event.isDeclared) {
        progress?.waiting?.end();
        writeTo(process.stderr, unboundWarning(event));
      }
    },
    allow: { ...allow, ...(network === undefined ? {} : { networks: [network] }) },
    ...defined({ approve: approval.approve, nonceSecret, rpcUrl, prefer }),
    channels: { ...readChannelSettings(), ...defined({ use: flags.channels }) },
  };
}

/** The limits with one replaced by a flag; throws a UsageError when it is not an amount. */
export function withLimit(
  current: LimitsInput,
  limit: "perCall" | "askAbove",
  flag: string,
  text: string | undefined,
): LimitsInput {
  if (text === undefined) return current;
  const limits = { ...current, [limit]: text };
  try {
    parseLimits(limits);
  } catch {
    throw new UsageError(`${flag} must be an amount in USDC, such as 0.05.`);
  }
  return limits;
}

/** Approvals: the person at the terminal with --confirm, and the payee of --accept-payee. */
function approvalOf(
  { acceptPayee, confirm, maxAmount }: PayerFlags,
  progress: PaymentProgress | undefined,
): Pick<BuyerOptions, "approve" | "limits"> {
  const payee = acceptPayee === undefined ? undefined : parseAddress(acceptPayee);
  if (acceptPayee !== undefined && payee === undefined) {
    throw new UsageError("--accept-payee must be 0x or xdc and 40 hexadecimal digits.");
  }
  if (payee === undefined && confirm !== true) return {};
  return {
    // With --confirm every price needs approval, otherwise only a change of the payee.
    limits: { askAbove: confirm === true ? "0" : (maxAmount ?? everything) },
    approve: async (quote) => {
      const { payTo, amountUnits, network } = quote;
      const isMoved = quote.checks.some(({ name, verdict }) => name === "pin" && verdict === "ask");
      if (isMoved && (payee === undefined || !isSameAddress(payee, payTo))) return false;
      if (confirm !== true) return true;
      progress?.waiting?.end();
      if (await askYesNo(`Pay ${shortUsdc(amountUnits)} USDC to ${payTo} on ${network.id}?`))
        return true;
      throw new CanceledError("Canceled. Nothing was paid.");
    },
  };
}

/** More USDC than there is. */
const everything = "1000000000000";
