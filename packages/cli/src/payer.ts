/** The paying fetch of a command: its wallet, ledger and limits from flags, environment, settings. */
import {
  parseLimits,
  wrapFetch,
  type BuyerOptions,
  type Ledger,
  type LimitsInput,
  type PayingFetch,
} from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { findNetwork, isSameAddress, parseAddress, writeTo } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { askYesNo, CanceledError } from "./prompt.ts";
import { ledgerPath, limitsInForce, readSettings } from "./buyer-settings.ts";
import { unboundText, warningLine, type Seen } from "./payment-report.ts";
import { UsageError } from "./pay-request.ts";
import { nodeUrl, rpcOption, type NodeFlags } from "./rpc-node.ts";
import { keylessSigner, readWallet, type WalletFlags } from "./wallet.ts";

/** Flags that say who pays, how much at most, and whom. */
export interface PayerFlags extends WalletFlags, NodeFlags {
  readonly maxAmount?: string;
  readonly network?: string;
  readonly prefer?: "v1" | "v2";
  readonly acceptPayee?: string;
  readonly confirm?: boolean;
}

/** Adds the flags that judge a price; `inspect` has these alone. */
export function addTermsFlags(command: Command): Command {
  return command
    .option("--max-amount <USDC>", "most that this run may pay; the limit per call unless set")
    .option("--network <name>", "pay on this network only: xdc, xdc-apothem or eip155:50")
    .option("--wallet <name>", "pay from this keystore; see `farthing wallet`")
    .option("--wallet-contract <address>", "pay from this ERC-1271 wallet; the key is its owner's")
    .addOption(rpcOption("node to ask for the balance and for the outcome of open payments"))
    .addOption(new Option("--prefer <version>", "version to pay").choices(["v2", "v1"]));
}

/**
 * Builds the paying fetch. When `isReadOnly` it can quote and never sign, and needs no password.
 * `seen` is told when something was signed. Throws a UsageError or a ConfigurationError.
 */
export async function createPayer(
  flags: PayerFlags,
  isReadOnly: boolean,
  seen?: Seen,
): Promise<PayingFetch> {
  return wrapFetch(fetch, await payerOptions(process.env, flags, isReadOnly, seen));
}

/** A paying fetch that only deals with payments that exist: no wallet, no password. */
export function createResumer(flags: NodeFlags): PayingFetch {
  const rpcUrl = nodeUrl(flags);
  return wrapFetch(fetch, {
    signer: keylessSigner(),
    ledger: fileLedger(ledgerPath(process.env)),
    ...(rpcUrl === undefined ? {} : { rpcUrl }),
  });
}

/** The options of {@link createPayer}, for who adds to them. */
export async function payerOptions(
  environment: NodeJS.ProcessEnv,
  flags: PayerFlags,
  isReadOnly: boolean,
  seen?: Seen,
): Promise<BuyerOptions & { readonly ledger: Ledger }> {
  const { network, prefer } = flags;
  const rpcUrl = nodeUrl(flags);
  if (network !== undefined && !findNetwork(network)) {
    throw new UsageError("--network is xdc, xdc-apothem, eip155:50 or eip155:51.");
  }
  // A person who names an amount means it, so it also raises the limit per call; never the day's.
  const limits = withLimit(limitsInForce(environment), "perCall", "--max-amount", flags.maxAmount);
  const { allow } = readSettings(environment);
  const approval = approvalOf(flags);
  const { signer, nonceSecret } = await readWallet(environment, flags, isReadOnly);
  return {
    signer,
    ledger: fileLedger(ledgerPath(environment)),
    limits: { ...limits, ...approval.limits },
    onEvent: (event) => {
      const { type } = event;
      // An earlier payment that is sent again was signed before this run.
      if ((type === "signed" || type === "sent") && seen) seen.isSigned = true;
      // Where the seller does not ask for bound payments, nobody can mend it.
      if (type === "unbound" && event.isDeclared) {
        const { stderr } = process;
        writeTo(stderr, warningLine("unbound", unboundText(event), stderr.isTTY));
      }
    },
    ...(approval.approve === undefined ? {} : { approve: approval.approve }),
    ...(nonceSecret === undefined ? {} : { nonceSecret }),
    allow: { ...allow, ...(network === undefined ? {} : { networks: [network] }) },
    ...(rpcUrl === undefined ? {} : { rpcUrl }),
    ...(prefer === undefined ? {} : { prefer }),
  };
}

/** The limits with one that a flag has set; throws a UsageError when it is no amount. */
export function withLimit(
  inForce: LimitsInput,
  limit: "perCall" | "askAbove",
  flag: string,
  text: string | undefined,
): LimitsInput {
  if (text === undefined) return inForce;
  const limits = { ...inForce, [limit]: text };
  try {
    parseLimits(limits);
  } catch {
    throw new UsageError(`${flag} is an amount in USDC, such as 0.05.`);
  }
  return limits;
}

/** Who is asked: the person at the terminal with --confirm, and the payee that --accept-payee names. */
function approvalOf({
  acceptPayee,
  confirm,
  maxAmount,
}: PayerFlags): Pick<BuyerOptions, "approve" | "limits"> {
  const payee = acceptPayee === undefined ? undefined : parseAddress(acceptPayee);
  if (acceptPayee !== undefined && payee === undefined) {
    throw new UsageError("--accept-payee is no address: 0x or xdc and 40 digits.");
  }
  if (payee === undefined && confirm !== true) return {};
  return {
    // With --confirm every price is asked about, without it only the change of the payee.
    limits: { askAbove: confirm === true ? "0" : (maxAmount ?? everything) },
    approve: async (quote) => {
      const { payTo, amountUsdc, network } = quote;
      const isMoved = quote.checks.some(({ name, verdict }) => name === "pin" && verdict === "ask");
      if (isMoved && (payee === undefined || !isSameAddress(payee, payTo))) return false;
      if (confirm !== true) return true;
      if (await askYesNo(`Pay ${amountUsdc} USDC to ${payTo} on ${network.id}?`)) return true;
      throw new CanceledError("Not paid.");
    },
  };
}

/** More USDC than there is. */
const everything = "1000000000000";
