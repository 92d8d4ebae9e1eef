/**
 * Leads one person through one payment. Until the signature everything can be left; from then on
 * the payment is what the ledger says it is, and nothing but the chain makes room for another one.
 */
import {
  checkBalance,
  readOutcome,
  realSurroundings,
  sendPayment,
  signPayment,
  type Delivery,
  type LedgerRecord,
  type ReplayableRequest,
  type SignedPayment,
} from "@farthing/buyer/steps";
import { ask, switchNetwork, WalletProblem, type Wallet } from "@farthing/buyer/wallet";
import { findNetwork, isSameAddress } from "@farthing/protocol";
import { connect, watchWallet, type Connected } from "./connected.ts";
import { showContent } from "./content.ts";
import type { KeptPayment } from "./kept-payment.ts";
import { complaintAbout, type Payable } from "./offers.ts";
import { explain, messageOf } from "./outcomes.ts";
import * as screens from "./payment-screens.ts";
import { show } from "./screen.ts";
import { toWalletJson } from "./typed-data.ts";
import { walletNode, walletNodeUrl } from "./wallet-node.ts";
import { reviewScreen, showWaiting, showWallets } from "./wallet-screens.ts";

/** What the flow works with. */
export interface Stage {
  readonly request: ReplayableRequest;
  readonly kept: KeptPayment;
  readonly payable: readonly Payable[];
}

/** Longest wait for one answer: sellers hold it for a minute at most while the transfer confirms. */
const answerTimeoutMs = 70_000;

/** How long before its payment was noted a signature may have been made, see `readOutcome`. */
const signingSecondsMax = 600;

/** Starts where this tab stands: at the wallets, or at the payment that is already out. */
export function startFlow({ request, kept, payable }: Stage): void {
  let work = new AbortController();
  let stopWatching = () => {};
  const [first] = payable;

  const before = kept.current();
  if (before?.state === "settled") {
    screens.showUnserved(before, "You have paid for this page.", () => send(before));
  } else if (before) {
    openPayment("Your payment is not finished", ["You have signed a payment for this page."], before);
  } else chooseWallet(true);

  /** Runs a step that can be left; its trouble becomes a screen. */
  function run(step: (signal: AbortSignal) => Promise<void>, again: () => void): void {
    work.abort();
    const own = new AbortController();
    work = own;
    step(own.signal).catch((error: unknown) => {
      const problem: unknown = own.signal.aborted ? own.signal.reason : error;
      if (work !== own || (own.signal.aborted && !(problem instanceof WalletProblem))) return;
      const { title, why } = explain(problem);
      screens.showProblem(
        title,
        why,
        { label: "Try again", run: again },
        { label: "Use another wallet", run: chooseWallet },
      );
    });
  }

  function leave(): void {
    work.abort();
    chooseWallet();
  }

  function chooseWallet(isFirst = false): void {
    stopWatching();
    showWallets("Choose your wallet", pay, undefined, isFirst === true);
  }

  function pay(wallet: Wallet): void {
    run(
      async (signal) => {
        showWaiting("Look at your wallet", `${wallet.name} asks which account to show.`, leave);
        await prepare(await open(wallet, signal), signal);
      },
      () => pay(wallet),
    );
  }

  /** Connects, and from then on notices when the wallet moves to another account or network. */
  async function open(wallet: Wallet, signal: AbortSignal): Promise<Connected> {
    const connected = await connect(wallet, signal);
    stopWatching();
    stopWatching = watchWallet(connected, (problem) => {
      stopWatching();
      const moved = new AbortController();
      work.abort(problem);
      work = moved;
      const { title, why } = explain(problem);
      screens.showProblem(title, why, { label: "Go on", run: () => pay(wallet) });
    });
    return connected;
  }

  async function prepare(connected: Connected, signal: AbortSignal): Promise<void> {
    const { wallet, address } = connected;
    const found = payable.find(({ requirements }) => requirements.network.chainId === connected.chainId);
    const chosen = found ?? first;
    if (!chosen) return;
    const { network, amount } = chosen.requirements;
    const complaint = complaintAbout(chosen.offer, address);
    if (complaint !== undefined) throw new Error(complaint);
    showWaiting("Look at your wallet", `It has to be on ${network.name}.`, leave);
    await switchNetwork(connected, network.chainId, signal);
    showWaiting("One moment", "Looking at your balance.", leave);
    const node = walletNode(wallet.provider);
    const signer = { address, signTypedData: async () => Promise.reject(new Error("unused")) };
    const balance = await checkBalance(node, walletNodeUrl, signer, chosen.requirements);
    signal.throwIfAborted();
    void amount;
    if (balance.verdict === "fail") {
      return screens.showProblem(
        "Too little USDC",
        balance.message,
        { label: "Look again", run: () => pay(wallet) },
        { label: "Use another wallet", run: chooseWallet },
      );
    }
    review(connected, chosen, balance.verdict === "pass" ? balance.message : "not known");
  }

  function review(connected: Connected, chosen: Payable, balance: string): void {
    const { wallet, address } = connected;
    const notes = kept.isLasting
      ? []
      : ["This browser keeps nothing for this page: do not reload it after you have signed."];
    show(
      reviewScreen(chosen.requirements, { wallet: wallet.name, address, balance }, notes, {
        sign: () => sign(connected, chosen),
        other: chooseWallet,
      }),
    );
  }

  function sign(connected: Connected, chosen: Payable): void {
    run(
      async (signal) => {
        showWaiting("Confirm in your wallet", `${connected.wallet.name} shows what you sign.`, leave);
        const record = await signOnce(connected, chosen, signal);
        stopWatching();
        send(record);
      },
      () => pay(connected.wallet),
    );
  }

  async function signOnce(
    { wallet, address }: Connected,
    { offer, requirements }: Payable,
    signal: AbortSignal,
  ): Promise<LedgerRecord> {
    const requestId = `pay_${crypto.randomUUID().replaceAll("-", "")}`;
    void requestId;
    throw new Error(String([wallet, address, offer, requirements, signal]));
  }
}
