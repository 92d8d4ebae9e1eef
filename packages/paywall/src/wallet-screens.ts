import { validitySecondsMax } from "@farthing/buyer/steps";
import { findWalletsInTime, watchWallets, type Wallet } from "@farthing/buyer/wallet";
import type { Address, Requirements } from "@farthing/protocol";
import { actions, el, facts, type Screen, show, text } from "./screen.ts";
import { address, amount, duration, networkName, shortAddress, usdc } from "./words.ts";

let stopLooking = () => {};

/** Shows the wallets of this browser as they announce themselves. */
export function showWallets(title: string, choose: (wallet: Wallet) => void): void {
  stopLooking();
  const list = el("div", { class: "wallets" });
  const fill = () => list.replaceChildren(...walletChoices(findWalletsInTime(), pick));
  const pick = (wallet: Wallet) => {
    stopLooking();
    choose(wallet);
  };
  stopLooking = watchWallets(fill);
  fill();
  show({ title, children: [list] });
}

function walletChoices(wallets: readonly Wallet[] | undefined, pick: (wallet: Wallet) => void) {
  if (!wallets) return [text("Looking for wallets…")];
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

function noWallet(): HTMLElement {
  return el(
    "div",
    { class: "note" },
    text(el("strong", {}, "No wallet found in this browser.")),
    text(
      "Install a browser wallet that supports XDC and holds USDC, then reload this page. On a phone, open this page in your wallet's browser.",
    ),
    actions({ label: "Reload", run: () => location.reload() }),
  );
}

export function showWaiting(title: string, what: string, leave?: () => void): void {
  const way = leave ? actions(undefined, { label: "Cancel", run: leave }) : undefined;
  show({ title, tone: "busy", children: [text(what), way] });
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
  const validity = duration(Math.min(maxTimeoutSeconds, validitySecondsMax));
  return {
    title: "Review and sign",
    children: [
      text(
        `This signature pays ${price} to `,
        el("code", {}, shortAddress(payTo)),
        `. It is valid for ${validity} and costs no network fee.`,
      ),
      facts([
        ["Amount", amount(requirements.amount)],
        ["Paid to", address(payTo)],
        ["For", location.host],
        ["Network", networkName(network)],
        ["From", el("span", {}, `${payer.wallet}, `, el("code", {}, shortAddress(payer.address)))],
        ["Your balance", payer.balance],
      ]),
      ...notes.map((note) => el("p", { class: "note" }, note)),
      actions(
        { label: `Sign and pay ${price}`, run: run.sign },
        { label: "Use a different wallet", run: run.other },
      ),
    ],
  };
}
