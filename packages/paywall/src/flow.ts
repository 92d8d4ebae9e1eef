/**
 * Leads one person through one payment. Everything before the signature can be left; afterwards
 * only the chain makes room for another payment.
 */
import {
  readBalances,
  systemRuntime,
  sendPayment,
  type Delivery,
  type LedgerRecord,
  type ReplayableRequest,
} from "@farthing/buyer/steps";
import { switchNetwork, type Wallet } from "@farthing/buyer/wallet";
import type { Requirements } from "@farthing/protocol";
import { networkOfRecord, readEnd, walletNode, walletNodeUrl } from "./read-end.ts";
import { connect, watchAccount, type Connected } from "./connected.ts";
import { showContent } from "./content.ts";
import type { KeptPayment } from "./kept-payment.ts";
import { keepGiven, keptTokens } from "./kept-tokens.ts";
import { openWithToken } from "./open-with-token.ts";
import { complaintAbout, type Payable } from "./offers.ts";
import { explain, explainOpen, messageOf, type Explanation } from "./outcomes.ts";
import {
  showOpen,
  showOpened,
  showPaid,
  showProblem,
  showProgress,
  showMissingContent,
} from "./payment-screens.ts";
import { show } from "./screen.ts";
import { signOnce } from "./sign-once.ts";
import { reviewScreen, showWaiting, showWallets } from "./wallet-screens.ts";
import { networkName, usdc } from "./words.ts";

export interface FlowInput {
  readonly request: ReplayableRequest;
  readonly kept: KeptPayment;
  readonly payable: readonly [Payable, ...Payable[]];
  /** What the person should know before signing. */
  readonly notes: readonly string[];
}

/** Sellers hold a response for a minute at most while the transfer confirms. */
const answerTimeoutMs = 70_000;

/** Starts at the payment that this tab has kept, at a pass of this origin, or at the wallets. */
export function startFlow({ request, kept, payable, notes }: FlowInput): void {
  let work = new AbortController();
  let stopWatching: (() => void) | undefined;
  const otherWallet = { label: "Use a different wallet", run: chooseWallet };

  const before = kept.current();
  if (before && before.state !== "settled") {
    open(before, { title: "Your payment is not finished", why: signedBefore });
  } else if (keptTokens().length > 0) usePass();
  else startUnopened();

  function startUnopened(): void {
    if (!before) return chooseWallet();
    work.abort();
    const again = { label: "Show content again", run: () => send(before) };
    showMissingContent(paidBefore, "good", before, again);
  }

  function usePass(): void {
    run((signal) => showWithToken(request, startUnopened, signal), usePass);
  }

  /** Runs a step that can be left; its error becomes a screen. */
  function run(step: (signal: AbortSignal) => Promise<void>, again: () => void): void {
    work.abort();
    const own = new AbortController();
    work = own;
    step(own.signal).catch((error: unknown) => {
      // The screen has changed already.
      if (own.signal.aborted) return;
      const { title, why } = explain(error);
      showProblem(title, why, { label: "Try again", run: again }, otherWallet);
    });
  }

  function chooseWallet(): void {
    work.abort();
    stopWatching?.();
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

  /** Connects, and watches for a switch to another account. */
  async function join(wallet: Wallet, signal: AbortSignal, again: () => void): Promise<Connected> {
    showWaiting("Open your wallet", `Choose an account in ${wallet.name}.`, chooseWallet);
    const connected = await connect(wallet, signal);
    stopWatching?.();
    stopWatching = watchAccount(connected, (problem) => {
      work.abort();
      const { title, why } = explain(problem);
      showProblem(title, why, { label: "Continue", run: again });
    });
    return connected;
  }

  async function prepare(payer: Connected, chosen: Payable, signal: AbortSignal): Promise<void> {
    const { wallet, address } = payer;
    const { requirements, offer } = chosen;
    const complaint = complaintAbout(offer, address);
    if (complaint !== undefined) throw new Error(complaint);
    await moveTo(payer, chosen, signal, chooseWallet);
    showWaiting("One moment", "Checking your balance.", chooseWallet);
    const held = await readBalance(payer, requirements);
    signal.throwIfAborted();
    if (held !== undefined && held < requirements.amount) {
      const look = { label: "Check again", run: () => pay(wallet) };
      return showProblem("Not enough USDC", lackOf(held, payer, requirements), look, otherWallet);
    }
    const balance = held === undefined ? "unknown" : usdc(held);
    const steps = { sign: () => sign(payer, chosen), other: chooseWallet };
    show(reviewScreen(requirements, { wallet: wallet.name, address, balance }, notes, steps));
  }

  function sign(payer: Connected, chosen: Payable): void {
    const { wallet } = payer;
    run(
      async (signal) => {
        showWaiting("Confirm in your wallet", `Review and sign in ${wallet.name}.`, chooseWallet);
        const record = await signOnce({ request, kept, payer, payable: chosen, signal });
        stopWatching?.();
        send(record);
      },
      () => pay(wallet),
    );
  }

  /** Sends the existing signature; nothing here can make another one. */
  function send(record: LedgerRecord): void {
    if (!record.signed) return;
    kept.onTransition = showProgress;
    showProgress(record);
    void sendSigned(request, kept, { ...record, signed: record.signed })
      .finally(() => (kept.onTransition = () => {}))
      .then((delivery) => finish(delivery, kept.current() ?? record))
      .catch((error: unknown) => open(record, explain(error)));
  }

  async function finish(delivery: Delivery, record: LedgerRecord): Promise<void> {
    const { response, reading, state, receipt } = delivery;
    keepGiven(response);
    if (response?.ok === true && contentKinds.has(reading.kind)) {
      const isPaid = reading.kind === "settled";
      const own = isPaid ? (reading.receipt ?? receipt) : undefined;
      return showPaid(record, own, response, await showContent(response));
    }
    if (state !== "settled") return open(record, await explainOpen(delivery));
    contentMissing(record, await reasonOf(response));
  }

  function contentMissing(record: LedgerRecord, why: string): void {
    const title = "Paid, but the content is not available yet";
    const again = { label: "Request content again", run: () => send(record) };
    showMissingContent({ title, why }, "warn", record, again);
  }

  function open(record: LedgerRecord, words: Explanation): void {
    showOpen(words, record, {
      again: () => send(kept.current() ?? record),
      findOut: () =>
        showWallets("Choose a wallet to check with", (wallet) => findOut(record, wallet)),
    });
  }

  /** Asks the chain about a signature that has expired. */
  function findOut(record: LedgerRecord, wallet: Wallet): void {
    const again = () => findOut(record, wallet);
    run(async (signal) => {
      const reader = await join(wallet, signal, again);
      await switchNetwork(reader, networkOfRecord(record).chainId, signal);
      showWaiting("One moment", "Checking the blockchain.");
      const end = await readEnd(record, kept, wallet.provider);
      stopWatching?.();
      signal.throwIfAborted();
      if (end.state === "settled")
        contentMissing(kept.current() ?? record, "The seller received your payment.");
      else if (end.state === "unknown") open(record, { title: "Not final yet", why: end.reason });
      else showProblem(neverUsed.title, neverUsed.why, { label: "Start again", run: chooseWallet });
    }, again);
  }
}

async function moveTo(
  payer: Connected,
  { requirements }: Payable,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const { chainId } = requirements.network;
  if (payer.chainId === chainId) return;
  showWaiting(
    "Open your wallet",
    `Approve the switch to ${networkName(requirements.network)}.`,
    leave,
  );
  await switchNetwork(payer, chainId, signal);
}

async function showWithToken(request: ReplayableRequest, pay: () => void, signal: AbortSignal) {
  showWaiting("One moment", "Trying what you have paid for here.", pay);
  const response = await openWithToken(request, signal);
  signal.throwIfAborted();
  if (!response) return pay();
  if (!response.ok) throw new Error(await reasonOf(response));
  showOpened(response, await showContent(response));
}

async function reasonOf(response: Response | undefined): Promise<string> {
  const status = response && `The seller responded with status ${response.status}.`;
  return (await messageOf(response)) ?? status ?? "The seller did not respond.";
}

/** Undefined where the wallet does not say; then the facilitator checks. */
async function readBalance({ wallet, address }: Connected, { network }: Requirements) {
  const read = readBalances(walletNode(wallet.provider), walletNodeUrl, address);
  const balances = await read.catch(() => undefined);
  return balances?.network === network ? balances.usdcUnits : undefined;
}

function lackOf(held: bigint, { address }: Connected, { amount, network }: Requirements): string {
  return `The balance is ${usdc(held)}, the price ${usdc(amount)}. Send USDC on ${networkName(network)} to ${address}.`;
}

function sendSigned(
  request: ReplayableRequest,
  ledger: KeptPayment,
  record: LedgerRecord & { readonly signed: NonNullable<LedgerRecord["signed"]> },
): Promise<Delivery> {
  const { signed, wallet: payer, amountUnits } = record;
  const expected = { payer, network: networkOfRecord(record), amountUnits };
  const tools = {
    fetch: (input: string | URL, init?: RequestInit) => fetch(input, init),
    ledger,
    runtime: systemRuntime,
    answerTimeoutMs,
  };
  return sendPayment(tools, { request, record, signed, expected });
}

const signedBefore = "You signed a payment for this page and have not received a response yet.";

const paidBefore: Explanation = {
  title: "You have already paid for this page",
  why: "The seller keeps the content available to you for a few minutes.",
};

const neverUsed: Explanation = {
  title: "You have not been charged",
  why: "Your signature expired unused and can no longer be used.",
};

/** The body of these responses is what was bought. */
const contentKinds: ReadonlySet<string> = new Set([
  "settled",
  "lying_receipt",
  "served_without_receipt",
]);
