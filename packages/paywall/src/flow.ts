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
import { phoneGuide, usdcGuide } from "./get-ready.ts";
import { openWithToken } from "./open-with-token.ts";
import { complaintAbout, type Payable } from "./offers.ts";
import { explain, explainOpen, messageOf, type Explanation } from "./outcomes.ts";
import {
  showOpen,
  showOpened,
  showPaid,
  showLack,
  showProblem,
  showProgress,
  showMissingContent,
} from "./payment-screens.ts";
import { show } from "./screen.ts";
import { signOnce } from "./sign-once.ts";
import { reviewScreen, showWaiting, showWallets } from "./wallet-screens.ts";
import { fill, texts } from "./texts.ts";
import { networkName, usdc } from "./words.ts";

const { wallets: words, actions: labels, paid } = texts;

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
  const startAgain = { label: labels.startAgain, run: chooseWallet };
  const otherWallet = { label: labels.otherWallet, run: chooseWallet };

  const before = kept.current();
  if (before && before.state !== "settled") {
    open(before, { title: texts.open.unfinished, why: texts.open.signedBefore });
  } else if (keptTokens().length > 0) usePass();
  else startUnopened();

  function startUnopened(): void {
    if (!before) return chooseWallet();
    work.abort();
    const again = { label: labels.showAgain, run: () => send(before) };
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
      showProblem(title, why, { label: labels.tryAgain, run: again }, otherWallet);
    });
  }

  function chooseWallet(): void {
    work.abort();
    stopWatching?.();
    showWallets(words.choose, pay, phoneGuide(), usdcGuide(payable[0].requirements.network));
  }

  function pay(wallet: Wallet): void {
    const again = () => pay(wallet);
    run(async (signal) => {
      const payer = await join(wallet, signal, again);
      await prepare(payer, chooseFor(payer, payable), signal);
    }, again);
  }

  /** Connects, and watches for a switch to another account. */
  async function join(wallet: Wallet, signal: AbortSignal, again: () => void): Promise<Connected> {
    showWaiting(words.open, fill(words.account, { wallet: wallet.name }), chooseWallet);
    const connected = await connect(wallet, signal);
    stopWatching?.();
    stopWatching = watchAccount(connected, (problem) => {
      work.abort();
      const { title, why } = explain(problem);
      showProblem(title, why, { label: labels.continue, run: again });
    });
    return connected;
  }

  async function prepare(payer: Connected, chosen: Payable, signal: AbortSignal): Promise<void> {
    const { wallet, address } = payer;
    const { requirements, offer } = chosen;
    const complaint = complaintAbout(offer, address);
    if (complaint !== undefined)
      throw new Error(fill(texts.before.notPayable, { reason: complaint }));
    await moveTo(payer, chosen, signal, chooseWallet);
    showWaiting(words.oneMoment, words.checkingBalance, chooseWallet);
    const held = await readBalance(payer, requirements);
    signal.throwIfAborted();
    if (held !== undefined && held < requirements.amount) {
      const look = { label: labels.checkAgain, run: () => pay(wallet) };
      const guide = usdcGuide(requirements.network);
      return showLack(lackOf(held, requirements), payer.address, guide, look, otherWallet);
    }
    const balance = held === undefined ? texts.terms.unknown : usdc(held);
    const steps = { sign: () => sign(payer, chosen), other: chooseWallet };
    show(reviewScreen(requirements, { wallet: wallet.name, address, balance }, notes, steps));
  }

  function sign(payer: Connected, chosen: Payable): void {
    const { wallet } = payer;
    run(
      async (signal) => {
        showWaiting(words.confirm, fill(words.reviewIn, { wallet: wallet.name }), chooseWallet);
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
    const title = paid.missing;
    const again = { label: labels.requestAgain, run: () => send(record) };
    showMissingContent({ title, why }, "warn", record, again);
  }

  function open(record: LedgerRecord, explanation: Explanation): void {
    showOpen(explanation, record, {
      again: () => send(kept.current() ?? record),
      findOut: () => showWallets(words.chooseToCheck, (wallet) => findOut(record, wallet)),
    });
  }

  /** Asks the chain about a signature that has expired. */
  function findOut(record: LedgerRecord, wallet: Wallet): void {
    const again = () => findOut(record, wallet);
    run(async (signal) => {
      const reader = await join(wallet, signal, again);
      await switchNetwork(reader, networkOfRecord(record).chainId, signal);
      showWaiting(words.oneMoment, words.checkingChain);
      const end = await readEnd(record, kept, wallet.provider);
      stopWatching?.();
      signal.throwIfAborted();
      if (end.state === "settled") contentMissing(kept.current() ?? record, paid.received);
      else if (end.state === "unknown")
        open(record, { title: texts.open.notFinal, why: texts.open.waitForChain });
      else showProblem(texts.open.neverUsed, texts.open.neverUsedWhy, startAgain);
    }, again);
  }
}

/** The offer on the network that the wallet is on, or the best one. */
function chooseFor({ chainId }: Connected, payable: FlowInput["payable"]): Payable {
  const isHere = ({ requirements }: Payable) => requirements.network.chainId === chainId;
  return payable.find(isHere) ?? payable[0];
}

async function moveTo(
  payer: Connected,
  { requirements }: Payable,
  signal: AbortSignal,
  leave: () => void,
): Promise<void> {
  const { chainId } = requirements.network;
  if (payer.chainId === chainId) return;
  const network = networkName(requirements.network);
  showWaiting(words.open, fill(words.approveSwitch, { network }), leave);
  await switchNetwork(payer, chainId, signal);
}

async function showWithToken(request: ReplayableRequest, pay: () => void, signal: AbortSignal) {
  showWaiting(words.oneMoment, words.tryingTokens, pay);
  const response = await openWithToken(request, signal);
  signal.throwIfAborted();
  if (!response) return pay();
  if (!response.ok) throw new Error(await reasonOf(response));
  showOpened(response, await showContent(response));
}

async function reasonOf(response: Response | undefined): Promise<string> {
  const status = response && fill(paid.status, { status: response.status });
  return (await messageOf(response)) ?? status ?? paid.silent;
}

/** Undefined where the wallet does not say; then the facilitator checks. */
async function readBalance({ wallet, address }: Connected, { network }: Requirements) {
  const read = readBalances(walletNode(wallet.provider), walletNodeUrl, address);
  const balances = await read.catch(() => undefined);
  return balances?.network === network ? balances.usdcUnits : undefined;
}

function lackOf(held: bigint, { amount, network }: Requirements): string {
  const [balance, price] = [usdc(held), usdc(amount)];
  return fill(words.lack, { balance, price, network: networkName(network) });
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

const paidBefore: Explanation = { title: paid.before, why: paid.beforeWhy };

/** The body of these responses is what was bought. */
const contentKinds: ReadonlySet<string> = new Set([
  "settled",
  "lying_receipt",
  "served_without_receipt",
]);
