/** What people need before they can pay: a wallet, here or on a phone, and USDC in it. */
import { isLoopback } from "@farthing/buyer/steps";
import type { Network } from "@farthing/protocol";
import { qrCode } from "./qr-code.ts";
import { actions, el, text } from "./screen.ts";
import { fill, parts, texts } from "./texts.ts";
import { address, networkName } from "./words.ts";

const { wallets, getUsdc, actions: labels } = texts;

const link = (href: string, label: string) =>
  el("a", { href, target: "_blank", rel: "noreferrer" }, label);

export function noWallet(): HTMLElement {
  const install = link("https://metamask.io/download", "MetaMask");
  return el(
    "div",
    { class: "note" },
    text(el("strong", {}, wallets.none)),
    text(...parts(wallets.install, { link: install })),
    actions({ label: labels.reload, run: () => location.reload() }),
  );
}

/**
 * A code to scan with a phone, and on a phone a link. Both open this page in a wallet's browser,
 * because a payment is a signature and not a transfer. No phone reaches a page of this machine.
 */
export function phoneGuide(): HTMLElement | undefined {
  const { hostname, host, pathname, search, href } = location;
  if (isLoopback(hostname)) return undefined;
  if (matchMedia("(pointer: coarse)").matches) {
    // Not encoded: MetaMask takes what follows as the address.
    return text(link(`https://link.metamask.io/dapp/${host}${pathname}${search}`, wallets.openIn));
  }
  const code = qrCode(href, wallets.scanPicture);
  return el("details", {}, el("summary", {}, wallets.phone), text(wallets.scan), code);
}

export function usdcGuide(network: Network): HTMLElement {
  const { chainId, usdc } = network;
  const title = fill(getUsdc.title, { network: networkName(network) });
  const faucet = link("https://faucet.circle.com", getUsdc.faucet);
  const ways =
    chainId === 50
      ? [text(getUsdc.exchange), text(getUsdc.bridge), text(getUsdc.native)]
      : [text(...parts(getUsdc.test, { link: faucet }))];
  return el(
    "details",
    { class: "guide" },
    el("summary", {}, title),
    ...ways,
    address(usdc),
    text(getUsdc.noCoins),
  );
}
