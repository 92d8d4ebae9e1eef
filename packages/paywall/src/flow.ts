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
import type { Connected } from "./connected.ts";
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
import { reviewScreen, showWaiting, showWallets, signatureTime } from "./wallet-screens.ts";
import { createWalletSteps, type WalletSteps } from "./wallet-steps.ts";
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

interface Flow extends FlowInput {
  readonly steps: WalletSteps;
  /** Leaves what is under way. */
  chooseWallet(): void;
}

/** Starts at the payment that this tab has kept, at a pass of this origin, or at the wallets. */
export function startFlow(input: FlowInput): void {
  const { request, kept, payable } = input;

  function chooseWallet(): void {
    steps.leave();
    steps.stopWatching();
    const guide = usdcGuide(payable[0].requirements.network);
    showWallets(words.choose, (wallet) => pay(flow, wallet), phoneGuide(), guide);
  }

  function startUnopened(): void {
    if (!before) return chooseWallet();
    steps.leave();
    const again = { label: labels.showAgain, run: () => send(flow, before) };
    showMissingContent(paidBefore, "good", before, again);
  }

  function usePass(): void {
    steps.run((signal) => showWithToken(request, startUnopened, signal), usePass);
  }

  const steps = createWalletSteps(chooseWallet);
  const flow: Flow = { ...input, steps, chooseWallet };
  const before = kept.current();
  if (before && before.state !== "settled") {
    open(flow, before, { title: texts.open.unfinished, why: texts.open.signedBefore });
  } else if (keptTokens().length > 0) usePass();
  else startUnopened();
}

function pay(flow: Flow, wallet: Wallet): void {
  const { steps, payable } = flow;
  const again = () => pay(flow, wallet);
  steps.run(async (signal) => {
    const payer = await steps.join(wallet, signal, again);
    await prepare(flow, payer, chooseFor(payer, payable), signal);
  }, again);
}

async function prepare(
  flow: Flow,
  payer: Connected,
  chosen: Payable,
  signal: AbortSignal,
): Promise<void> {
  const { notes, chooseWallet } = flow;
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
    const look = { label: labels.checkAgain, run: () => pay(flow, wallet) };
    const other = { label: labels.otherWallet, run: chooseWallet };
    const guide = usdcGuide(requirements.network);
    return showLack(lackOf(held, requirements), payer.address, guide, look, other);
  }
  const balance = held === undefined ? texts.terms.unknown : usdc(held);
  const next = { sign: () => sign(flow, payer, chosen), other: chooseWallet };
  show(reviewScreen(requirements, { wallet: wallet.name, address, balance }, notes, next));
}

function sign(flow: Flow, payer: Connected, chosen: Payable): void {
  const { request, kept, steps, chooseWallet } = flow;
  const { wallet } = payer;
  steps.run(
    async (signal) => {
      const review = fill(words.reviewIn, { wallet: wallet.name });
      showWaiting(words.confirm, review, chooseWallet, signatureTime(chosen.requirements));
      const record = await signOnce({ request, kept, payer, payable: chosen, signal });
      steps.stopWatching();
      send(flow, record);
    },
    () => pay(flow, wallet),
  );
}

/** Sends the existing signature; nothing here can make another one. */
function send(flow: Flow, record: LedgerRecord): void {
  const { request, kept } = flow;
  if (!record.signed) return;
  kept.onTransition = showProgress;
  showProgress(record);
  void sendSigned(request, kept, { ...record, signed: record.signed })
    .finally(() => (kept.onTransition = () => {}))
    .then((delivery) => finish(flow, delivery, kept.current() ?? record))
    .catch((error: unknown) => open(flow, record, explain(error)));
}

async function finish(flow: Flow, delivery: Delivery, record: LedgerRecord): Promise<void> {
  const { response, reading, state, receipt } = delivery;
  keepGiven(response);
  if (response?.ok === true && contentKinds.has(reading.kind)) {
    const isPaid = reading.kind === "settled";
    const own = isPaid ? (reading.receipt ?? receipt) : undefined;
    return showPaid(record, own, response, await showContent(response));
  }
  if (state !== "settled") return open(flow, record, await explainOpen(delivery));
  contentMissing(flow, record, await reasonOf(response));
}

function contentMissing(flow: Flow, record: LedgerRecord, why: string): void {
  const again = { label: labels.requestAgain, run: () => send(flow, record) };
  showMissingContent({ title: paid.missing, why }, "warn", record, again);
}

function open(flow: Flow, record: LedgerRecord, explanation: Explanation): void {
  showOpen(explanation, record, {
    again: () => send(flow, flow.kept.current() ?? record),
    findOut: () => showWallets(words.chooseToCheck, (wallet) => findOut(flow, record, wallet)),
  });
}

/** Asks the chain about a signature that has expired. */
function findOut(flow: Flow, record: LedgerRecord, wallet: Wallet): void {
  const { kept, steps, chooseWallet } = flow;
  const again = () => findOut(flow, record, wallet);
  steps.run(async (signal) => {
    const reader = await steps.join(wallet, signal, again);
    await switchNetwork(reader, networkOfRecord(record).chainId, signal);
    showWaiting(words.oneMoment, words.checkingChain);
    const end = await readEnd(record, kept, wallet.provider);
    steps.stopWatching();
    signal.throwIfAborted();
    const startAgain = { label: labels.startAgain, run: chooseWallet };
    if (end.state === "settled") contentMissing(flow, kept.current() ?? record, paid.received);
    else if (end.state === "unknown")
      open(flow, record, { title: texts.open.notFinal, why: texts.open.waitForChain });
    else showProblem(texts.open.neverUsed, texts.open.neverUsedWhy, startAgain);
  }, again);
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
