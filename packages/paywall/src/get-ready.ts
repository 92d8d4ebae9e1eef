/** What people need before they can pay: a wallet, here or on a phone, and USDC in it. */
import { isLoopback } from "@farthing/protocol";
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
    openInWallet(),
    text(...parts(wallets.install, { link: install })),
    actions({ label: labels.reload, run: () => location.reload() }),
  );
}

/** Whether another device, or another program of this one, reaches the page. */
const isPublic = !isLoopback(location.hostname);
const isPhone = matchMedia("(pointer: coarse)").matches;

/** Opens this page in a wallet's browser, because a payment is a signature and not a transfer. */
function openInWallet(): HTMLElement | undefined {
  if (!isPublic || !isPhone) return undefined;
  const { host, pathname, search } = location;
  // Not encoded: MetaMask takes what follows as the address.
  return text(link(`https://link.metamask.io/dapp/${host}${pathname}${search}`, wallets.openIn));
}

/** A code that opens this page in the wallet of a phone. */
export function phoneGuide(): HTMLElement | undefined {
  if (!isPublic || isPhone) return undefined;
  const code = qrCode(location.href, wallets.scanPicture);
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
