/** The page's script. */
import type { ReplayableRequest } from "@farthing/buyer/steps";
import { lookForWallets } from "@farthing/buyer/wallet";
import { defined, isLoopback, shellCommand, shellUrl } from "@farthing/protocol";
import { addCopyButtons } from "./copy-button.ts";
import { byId } from "./screen.ts";
import { startFlow } from "./flow.ts";
import { openKeptPayment } from "./kept-payment.ts";
import { readOffers } from "./offers.ts";
import { showProblem } from "./payment-screens.ts";
import { fill, texts } from "./texts.ts";

/** A browser's own header for pages, so that the seller returns what it would show. */
const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/** SHA-256 of no bytes. */
const hashOfNoBytes = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

function ownRequest(): ReplayableRequest {
  const { origin, pathname, search } = location;
  const url = `${origin}${pathname}${search}`;
  const bodyHash = hashOfNoBytes;
  return {
    method: "GET",
    url,
    headers: new Headers(),
    bodyHash,
    fingerprint: url,
    kept: { method: "GET", url, headers: [], headersLeftOut: [], bodyHash, bodyBytes: 0 },
    signal: undefined,
    send: (fetch, { header, headers = header ? [header] : [], redirect, signal }) =>
      fetch(url, {
        headers: { Accept: accept, ...Object.fromEntries(headers) },
        cache: "no-store",
        ...defined({ redirect, signal }),
      }),
  };
}

/** More than a slow page takes to arrive; the authorization's times are this clock's. */
const clockSkewSecondsMax = 15;

/** The seller's clock is written into the page. */
function clockNote(): string {
  const skew = Math.round((Date.now() - Number(byId("challenge").dataset["now"])) / 1000);
  if (!(Math.abs(skew) > clockSkewSecondsMax)) return "";
  const { clockAhead, clockBehind } = texts.before;
  return fill(skew > 0 ? clockAhead : clockBehind, { seconds: Math.abs(skew) });
}

/** A browser would show a broken image. */
function removeBrokenIcon(): void {
  const icon = document.querySelector<HTMLImageElement>(".seller .icon");
  icon?.decode().catch(() => icon.remove());
}

/** The server reads the choice with the next request, on every page of this seller in this visit. */
function offerLanguages(): void {
  for (const button of document.querySelectorAll<HTMLElement>("#languages button")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      document.cookie = `farthing-language=${button.lang};path=/`;
      location.reload();
    });
  }
}

function start(): void {
  const { cannot: title, https, forgetful } = texts.before;
  if (location.protocol !== "https:" && !isLoopback(location.hostname)) {
    return showProblem(title, https);
  }
  removeBrokenIcon();
  offerLanguages();
  byId("host").textContent = location.host;
  // Behind a proxy the seller may not know the scheme and host that this browser sees.
  byId("copy-command").textContent = shellCommand([
    "npx",
    "farthing",
    "pay",
    shellUrl(location.href),
  ]);
  addCopyButtons();
  const { payable, complaint } = readOffers(byId("challenge").textContent);
  const [first, ...others] = payable;
  // Without a way to pay here, the command stays in view.
  if (!first) return showProblem(title, complaint ?? "");
  byId("program").removeAttribute("open");
  const request = ownRequest();
  const kept = openKeptPayment(request.url, Date.now());
  lookForWallets();
  const notes = [clockNote(), kept.isLasting ? "" : forgetful].filter((note) => note !== "");
  startFlow({ request, kept, payable: [first, ...others], notes });
}

start();
