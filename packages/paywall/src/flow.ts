/**
 * Leads one person through one payment. Until the signature everything can be left; from then on
 * the payment is what the ledger says it is, and nothing but the chain makes room for another one.
 */
import {
  checkBalance,
  realSurroundings,
  sendPayment,
  type Delivery,
  type LedgerRecord,
  type ReplayableRequest,
} from "@farthing/buyer/steps";
import { switchNetwork, type Wallet } from "@farthing/buyer/wallet";
import { networkOfRecord, readEnd } from "./read-end.ts";
import { connect, watchAccount, type Connected } from "./connected.ts";
import { showContent } from "./content.ts";
import type { KeptPayment } from "./kept-payment.ts";
import { complaintAbout, type Payable } from "./offers.ts";
import { explain, explainOpen, messageOf, type Words } from "./outcomes.ts";
import { showOpen, showPaid, showProblem, showProgress, showUnserved } from "./payment-screens.ts";
import { show } from "./screen.ts";
import { signerOf, signOnce } from "./sign-once.ts";
import { walletNode, walletNodeUrl } from "./wallet-node.ts";
import { reviewScreen, showWaiting, showWallets } from "./wallet-screens.ts";

/** What the flow works with. */
export interface Stage {
  readonly request: ReplayableRequest;
  readonly kept: KeptPayment;
  readonly payable: readonly [Payable, ...Payable[]];
  /** What the person should know before he signs. */
  readonly notes: readonly string[];
}

/** Longest wait for one answer: sellers hold it for a minute at most while the transfer confirms. */
const answerTimeoutMs = 70_000;

/** Starts where this tab stands: at the wallets, or at the payment that is already out. */
export function startFlow({ request, kept, payable, notes }: Stage): void {
  let work = new AbortController();
  let stopWatching: () => void = nothing;

  const before = kept.current();
  if (before?.state === "settled") {
    showUnserved(paidBefore, before, { label: "Show it again", run: () => send(before) });
  } else if (before) open(before, { title: "Your payment is not finished", why: signedBefore });
  else chooseWallet();

  /** Runs a step that can be left; its trouble becomes a screen. */
  function run(step: (signal: AbortSignal) => Promise<void>, again: () => void): void {
    work.abort();
    const own = new AbortController();
    work = own;
    step(own.signal).catch((error: unknown) => {
      // Whoever left or stopped it has shown something else.
      if (own.signal.aborted) return;
      const { title, why } = explain(error);
      const other = { label: "Use another wallet", run: chooseWallet };
      showProblem(title, why, { label: "Try again", run: again }, other);
    });
  }

  function chooseWallet(): void {
    work.abort();
    stopWatching();
    showWallets("Choose your wallet", pay);
  }

  function pay(wallet: Wallet): void {
    const again = () => pay(wallet);
    run(async (signal) => {
      const payer = await join(wallet, signal, again);
      const chosen =
        payable.find(({ requirements }) => requirements.network.chainId === payer.chainId) ??
        payable[0];
      await prepare(payer, chosen, signal);
    }, again);
  }

  /** Connects, and from then on notices when the wallet moves to another account. */
  async function join(wallet: Wallet, signal: AbortSignal, again: () => void): Promise<Connected> {
    showWaiting("Look at your wallet", `${wallet.name} asks which account to show.`, chooseWallet);
    const connected = await connect(wallet, signal);
    stopWatching();
    stopWatching = watchAccount(connected, (problem) => {
      work.abort();
      const { title, why } = explain(problem);
      showProblem(title, why, { label: "Go on", run: again });
    });
    return connected;
  }

  async function prepare(payer: Connected, chosen: Payable, signal: AbortSignal): Promise<void> {
    const { wallet, address } = payer;
    const { requirements, offer } = chosen;
    const complaint = complaintAbout(offer, address);
    if (complaint !== undefined) throw new Error(complaint);
    await moveTo(payer, chosen, signal);
    showWaiting("One moment", "Reading your balance.", chooseWallet);
    const node = walletNode(wallet.provider);
    const { verdict, message } = await checkBalance(
      node,
      walletNodeUrl,
      signerOf(payer, signal),
      requirements,
    );
    signal.throwIfAborted();
    if (verdict === "fail") {
      const look = { label: "Look again", run: () => pay(wallet) };
      const other = { label: "Use another wallet", run: chooseWallet };
      return showProblem("Too little USDC", message, look, other);
    }
    const balance = verdict === "pass" ? message : "not known";
    const steps = { sign: () => sign(payer, chosen), other: chooseWallet };
    show(reviewScreen(requirements, { wallet: wallet.name, address, balance }, notes, steps));
  }

  async function moveTo(payer: Connected, { requirements }: Payable, signal: AbortSignal) {
    const { chainId, name } = requirements.network;
    if (payer.chainId === chainId) return;
    showWaiting("Look at your wallet", `It is asked to change to ${name}.`, chooseWallet);
    await switchNetwork(payer, chainId, signal);
  }

  function sign(payer: Connected, chosen: Payable): void {
    const { wallet } = payer;
    run(
      async (signal) => {
        showWaiting("Confirm in your wallet", `${wallet.name} shows what you sign.`, chooseWallet);
        const record = await signOnce({ request, kept, payer, payable: chosen, signal });
        stopWatching();
        send(record);
      },
      () => pay(wallet),
    );
  }

  /** Sends the signature that is there; nothing here can make another one. */
  function send(record: LedgerRecord): void {
    const { signed, wallet: payer, amountUnits } = record;
    if (!signed) return;
    const order = {
      request,
      record,
      signed,
      expected: { payer, network: networkOfRecord(record), amountUnits },
    };
    const tools = {
      fetch: (input: string | URL, init?: RequestInit) => fetch(input, init),
      ledger: kept,
      surroundings: realSurroundings,
      answerTimeoutMs,
    };
    kept.onMove = showProgress;
    showProgress(record);
    void sendPayment(tools, order)
      .finally(() => (kept.onMove = () => {}))
      .then((delivery) => finish(delivery, kept.current() ?? record))
      .catch((error: unknown) => open(record, explain(error)));
  }

  async function finish(delivery: Delivery, record: LedgerRecord): Promise<void> {
    const { response, reading, state, receipt } = delivery;
    if (response?.ok === true && contentKinds.has(reading.kind)) {
      const isPaid = reading.kind === "settled";
      const own = isPaid ? (reading.receipt ?? receipt) : undefined;
      return showPaid(record, own, await showContent(response));
    }
    if (state !== "settled") return open(record, await explainOpen(delivery));
    const said = await messageOf(response);
    unserved(record, said ?? `The seller answered ${response?.status ?? "nothing"}.`);
  }

  function unserved(record: LedgerRecord, why: string): void {
    const title = "Paid, but there is no content yet";
    showUnserved({ title, why }, record, { label: "Ask again", run: () => send(record) });
  }

  function open(record: LedgerRecord, words: Words): void {
    showOpen(words, record, {
      again: () => send(kept.current() ?? record),
      findOut: () => showWallets("Through which wallet?", (wallet) => findOut(record, wallet)),
    });
  }

  /** Asks the chain what became of a signature that has ended. */
  function findOut(record: LedgerRecord, wallet: Wallet): void {
    const again = () => findOut(record, wallet);
    run(async (signal) => {
      const reader = await join(wallet, signal, again);
      await switchNetwork(reader, networkOfRecord(record).chainId, signal);
      showWaiting("One moment", "Asking the chain.");
      const end = await readEnd(record, kept, wallet.provider);
      stopWatching();
      signal.throwIfAborted();
      if (end.state === "settled")
        unserved(kept.current() ?? record, "The seller took the payment.");
      else if (end.state === "unknown") open(record, { title: "Not decided yet", why: end.reason });
      else showProblem(neverUsed.title, neverUsed.why, { label: "Start again", run: chooseWallet });
    }, again);
  }
}

const nothing = () => {};

const signedBefore = "You signed a payment for this page, and it has not been answered.";

const paidBefore: Words = {
  title: "You have paid for this page",
  why: "The seller keeps its content for you for some minutes.",
};

const neverUsed: Words = {
  title: "Nothing was paid",
  why: "Your signature has ended without being used, and nobody can use it any more.",
};

/** Answers whose body is what was bought. */
const contentKinds: ReadonlySet<string> = new Set([
  "settled",
  "lying_receipt",
  "served_without_receipt",
]);
