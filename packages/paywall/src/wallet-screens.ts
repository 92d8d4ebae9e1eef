import { validitySecondsMax } from "@farthing/buyer/steps";
import { findWalletsInTime, watchWallets, type Wallet } from "@farthing/buyer/wallet";
import type { Address, Requirements } from "@farthing/protocol";
import { noWallet } from "./get-ready.ts";
import { actions, el, facts, type Screen, show, text } from "./screen.ts";
import { fill, parts, texts } from "./texts.ts";
import { address, amount, duration, networkName, shortAddress, timeLeft, usdc } from "./words.ts";

let stopLooking = () => {};

/** Shows the wallets of this browser as they announce themselves. */
export function showWallets(
  title: string,
  choose: (wallet: Wallet) => void,
  ...guides: readonly (Node | undefined)[]
): void {
  stopLooking();
  const list = el("div", { class: "wallets" });
  const fill = () => list.replaceChildren(...walletChoices(findWalletsInTime(), pick));
  const pick = (wallet: Wallet) => {
    stopLooking();
    choose(wallet);
  };
  stopLooking = watchWallets(fill);
  fill();
  show({ title, children: [list, ...guides] });
}

function walletChoices(wallets: readonly Wallet[] | undefined, pick: (wallet: Wallet) => void) {
  if (!wallets) return [text(texts.wallets.looking)];
  if (wallets.length === 0) return [noWallet()];
  return wallets.map((wallet) =>
    el(
      "button",
      { type: "button", class: "wallet", click: () => pick(wallet) },
      wallet.icon === ""
        ? el("span", { class: "icon", "aria-hidden": "true" }, wallet.name.slice(0, 1))
        : el("img", { class: "icon", src: wallet.icon, alt: "" }),
      el("span", {}, wallet.name),
    ),
  );
}

export function showWaiting(
  title: string,
  what: string,
  leave?: () => void,
  more?: HTMLElement,
): void {
  const way = leave ? actions(undefined, { label: texts.actions.cancel, run: leave }) : undefined;
  show({ title, tone: "busy", children: [text(what), more, way] });
}

/** For how long the signature that the wallet was asked for can be used; its time runs already. */
export function signatureTime({ maxTimeoutSeconds }: Requirements): HTMLElement {
  const seconds = Math.min(maxTimeoutSeconds, validitySecondsMax);
  return timeLeft(Date.now() + seconds * 1000);
}

/** The terms of the signature, and the button that requests it. */
export function reviewScreen(
  requirements: Requirements,
  payer: { readonly wallet: string; readonly address: Address; readonly balance: string },
  notes: readonly string[],
  run: { readonly sign: () => void; readonly other: () => void },
): Screen {
  const { payTo, network, maxTimeoutSeconds } = requirements;
  const price = usdc(requirements.amount);
  const { review, terms, actions: labels } = texts;
  const validity = duration(Math.min(maxTimeoutSeconds, validitySecondsMax));
  return {
    title: review.title,
    children: [
      text(
        ...parts<typeof review.what, Node | string>(review.what, {
          price,
          payee: el("code", {}, shortAddress(payTo)),
          time: validity,
        }),
      ),
      facts([
        [terms.amount, amount(requirements.amount)],
        [terms.paidTo, address(payTo)],
        [terms.for, location.host],
        [terms.network, networkName(network)],
        [
          terms.from,
          el("span", {}, `${payer.wallet}, `, el("code", {}, shortAddress(payer.address))),
        ],
        [terms.balance, payer.balance],
      ]),
      ...notes.map((note) => el("p", { class: "note" }, note)),
      actions(
        { label: fill(labels.sign, { price }), run: run.sign },
        { label: labels.otherWallet, run: run.other },
      ),
    ],
  };
}
