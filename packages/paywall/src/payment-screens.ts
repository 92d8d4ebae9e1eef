/** The screens from the signature to the content. */
import type { LedgerRecord } from "@farthing/buyer/steps";
import {
  balanceHeaders,
  findNetwork,
  passHeaders,
  type Address,
  type SettleResponse,
} from "@farthing/protocol";
import { isOver } from "./kept-payment.ts";
import type { Explanation } from "./outcomes.ts";
import { networkOfRecord } from "./read-end.ts";
import {
  type Action,
  actions,
  announce,
  byId,
  el,
  facts,
  show,
  text,
  type Tone,
} from "./screen.ts";
import { fill, texts } from "./texts.ts";
import {
  address,
  amount,
  networkName,
  timeLeft,
  timeOfDay,
  transactionLink,
  usdc,
} from "./words.ts";

const { progress, terms, actions: labels, open, paid } = texts;

const stages = [progress.signed, progress.sent, progress.confirmed] as const;

/** Called at every step, which is then announced. */
export function showProgress(record: LedgerRecord): void {
  const done = record.state === "settled" ? 3 : record.transaction === undefined ? 1 : 2;
  const items = stages.map((stage, at) => {
    const state = at < done ? "done" : at === done ? "current" : "ahead";
    return el("li", { class: state }, stage, el("span", { class: "state" }, progress[state]));
  });
  show({
    title: done === 3 ? progress.paid : progress.paying,
    tone: done === 3 ? "good" : "busy",
    children: [el("ol", { class: "stages" }, ...items), transactionOf(record)],
  });
  announce(
    done === 3
      ? progress.loading
      : fill(progress.step, { done: stages[done - 1] ?? "", next: stages[done] ?? "" }),
  );
}

function linkOf({ network, transaction }: LedgerRecord): HTMLElement | undefined {
  const known = findNetwork(network);
  return known && transaction && transactionLink(known, transaction);
}

function termsOf({ amountUnits, payTo, wallet }: LedgerRecord) {
  return [
    [terms.amount, amount(amountUnits)],
    [terms.paidTo, address(payTo)],
    [terms.from, address(wallet)],
  ] as const;
}

function transactionOf(record: LedgerRecord): HTMLElement | undefined {
  const link = linkOf(record);
  return link && text(`${terms.transaction}: `, link);
}

export interface OpenActions {
  readonly again: () => void;
  /** After the signature has expired. */
  readonly findOut: () => void;
}

let changing: ReturnType<typeof setTimeout> | undefined;

/** A signature was sent, and whether it was used is not known. */
export function showOpen({ title, why }: Explanation, record: LedgerRecord, run: OpenActions) {
  clearTimeout(changing);
  const over = isOver(record, Date.now());
  const validBefore = record.signed?.validBefore ?? 0;
  const end = timeOfDay(validBefore);
  const rule = over ? open.expired : fill(open.valid, { end });
  const again: Action = { label: labels.again, run: run.again };
  const findOut: Action = { label: labels.findOut, run: run.findOut };
  show({
    title,
    tone: "warn",
    children: [
      text(why),
      facts(termsOf(record)),
      transactionOf(record),
      el("p", { class: "note" }, rule),
      over ? undefined : timeLeft(validBefore * 1000),
      over ? actions(findOut, again) : actions(again),
    ],
  });
  if (over) return;
  const screen = byId("flow").firstChild;
  changing = setTimeout(
    () => {
      // Unless another screen has replaced it.
      if (byId("flow").firstChild === screen) showOpen({ title, why }, record, run);
    },
    validBefore * 1000 - Date.now() + 1,
  );
}

/** Something failed before the signature. */
export function showProblem(title: string, why: string, ...list: readonly Action[]): void {
  show({ title, tone: "bad", children: [text(why), actions(...list)] });
}

/** The guide says where to get more; it is the way out, so it is unfolded. */
export function showLack(
  why: string,
  payer: Address,
  guide: HTMLElement,
  ...list: readonly Action[]
): void {
  guide.setAttribute("open", "");
  const { notEnough } = texts.wallets;
  show({
    title: notEnough,
    tone: "bad",
    children: [text(why), address(payer), guide, actions(...list)],
  });
}

/** The money has moved, and the content is not here; `tone` says whether that is a problem. */
export function showMissingContent(
  { title, why }: Explanation,
  tone: Tone,
  record: LedgerRecord,
  again: Action,
): void {
  show({
    title,
    tone,
    children: [
      text(why),
      transactionOf(record),
      el("p", { class: "note" }, paid.noSecondCharge),
      actions(again),
    ],
  });
}

/** What the payment has left for later requests, which this browser opens without another one. */
function leftOf({ headers }: Response): HTMLElement | undefined {
  const uses = headers.get(passHeaders.remaining);
  const units = headers.get(balanceHeaders.remaining);
  if (uses === null && units === null) return undefined;
  const end = new Date(headers.get(passHeaders.expires) ?? "").toLocaleString(
    document.documentElement.lang,
  );
  const left =
    units === null
      ? fill(paid.usesLeft, { uses: uses ?? "", end })
      : fill(paid.balanceLeft, { amount: usdc(BigInt(units)) });
  return el("p", { class: "note" }, left);
}

/** A pass or balance has opened the content. */
export function showOpened(response: Response, content: HTMLElement): void {
  document.body.classList.add("paid");
  show({ title: paid.content, tone: "good", children: [leftOf(response), content] });
  announce(paid.earlier);
}

export function showPaid(
  record: LedgerRecord,
  receipt: SettleResponse | undefined,
  response: Response,
  content: HTMLElement,
): void {
  document.body.classList.add("paid");
  const note = receipt ? undefined : el("p", { class: "note" }, paid.noReceipt);
  show({
    title: receipt ? fill(paid.title, { price: usdc(record.amountUnits) }) : paid.content,
    tone: receipt ? "good" : "warn",
    children: [
      note,
      leftOf(response),
      content,
      el(
        "details",
        { class: "receipt", open: true },
        el("summary", {}, paid.receipt),
        facts([
          ...termsOf(record),
          [terms.network, networkName(networkOfRecord(record))],
          [terms.transaction, linkOf(record) ?? terms.notProvided],
        ]),
      ),
    ],
  });
  announce(paid.below);
}
