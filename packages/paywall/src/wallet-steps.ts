/** The steps that a person can leave, of which one runs at a time, and the wallet that is watched. */
import type { Wallet } from "@farthing/buyer/wallet";
import { connect, watchAccount, type Connected } from "./connected.ts";
import { explain } from "./outcomes.ts";
import { showProblem } from "./payment-screens.ts";
import { fill, texts } from "./texts.ts";
import { showWaiting } from "./wallet-screens.ts";

const { wallets: words, actions: labels } = texts;

export type WalletSteps = ReturnType<typeof createWalletSteps>;

export function createWalletSteps(chooseWallet: () => void) {
  let work = new AbortController();
  let stopWatching: (() => void) | undefined;

  return {
    /** Runs a step that can be left; its error becomes a screen. */
    run(step: (signal: AbortSignal) => Promise<void>, again: () => void): void {
      work.abort();
      const own = new AbortController();
      work = own;
      step(own.signal).catch((error: unknown) => {
        // The screen has changed already.
        if (own.signal.aborted) return;
        const { title, why } = explain(error);
        const otherWallet = { label: labels.otherWallet, run: chooseWallet };
        showProblem(title, why, { label: labels.tryAgain, run: again }, otherWallet);
      });
    },
    /** Connects, and watches for a switch to another account. */
    async join(wallet: Wallet, signal: AbortSignal, again: () => void): Promise<Connected> {
      showWaiting(words.open, fill(words.account, { wallet: wallet.name }), chooseWallet);
      const connected = await connect(wallet, signal);
      stopWatching?.();
      stopWatching = watchAccount(connected, (problem) => {
        work.abort();
        const { title, why } = explain(problem);
        showProblem(title, why, { label: labels.continue, run: again });
      });
      return connected;
    },
    leave: () => work.abort(),
    stopWatching: () => stopWatching?.(),
  };
}
