/** `farthing relayer`: shows, empties and replaces the relayer wallets. */
import type { Command } from "commander";
import type { Address } from "@farthing/protocol";
import { readRelayerReport, sweepRelayer, type WalletStatus } from "@farthing/facilitator";
import { Fault } from "@farthing/facilitator/operator";
import {
  addPrintFlags,
  demandYes,
  exitCodes,
  type PrintFlags,
  printList,
  whileWaiting,
} from "farthing/program";
import { readAccount, readNetworkId, reportFaults } from "./database.ts";
import { nextMoveStep } from "./move-wallet.ts";
import { advanceRotation, type Lacking } from "./rotation.ts";

interface ConfirmFlags {
  readonly yes: boolean;
}

interface RotateFlags extends ConfirmFlags {
  readonly to?: Address;
}

interface SweepFlags extends ConfirmFlags {
  readonly to: Address;
  readonly network?: string;
}

export function register(program: Command): void {
  const relayer = program
    .command("relayer")
    .description(
      "Shows the relayer wallets of the facilitator's configuration, sends their gas money elsewhere, and replaces them. It reads the same settings as `farthing serve`.",
    );
  addPrintFlags(relayer.command("status"))
    .description("show each wallet: its gas, the payments that it lasts for, and its transactions")
    .action((flags: PrintFlags) => reportFaults("relayer", () => status(flags)));
  relayer
    .command("sweep")
    .description(
      "finish a wallet's transactions and send its coins to an address; no running facilitator may work the wallet",
    )
    .argument("<wallet>", "a relayer wallet, 0x… or xdc…", readAccount)
    .requiredOption("--to <address>", "where the coins go", readAccount)
    .option("--network <id>", "only eip155:50 (XDC) or eip155:51 (Apothem)", readNetworkId)
    .option("--yes", "do not ask", false)
    .action((wallet: Address, flags: SweepFlags) =>
      reportFaults("relayer", () => sweep({ wallet, ...flags })),
    );
  relayer
    .command("rotate")
    .description(
      "replace a wallet of FARTHING_RELAYER_KEYS_FILE by a new one, or any wallet by the one that --to names: run it again after each step that it names, until the old wallet is empty. It continues where it was interrupted.",
    )
    .argument("<wallet>", "the wallet to replace, 0x… or xdc…", readAccount)
    .option("--to <wallet>", "a wallet of AWS KMS or Web3Signer that replaces it", readAccount)
    .option("--yes", "do not ask before the old wallet is emptied", false)
    .action((wallet: Address, { to, yes }: RotateFlags) =>
      reportFaults("relayer", () => (to ? move(wallet, to, yes) : rotate(wallet, yes))),
    );
}

async function status(flags: PrintFlags): Promise<void> {
  const { wallets, problems } = await whileWaiting("Reading the wallets", () =>
    readRelayerReport(),
  );
  printList(wallets, wallets.map(rowOf), "No wallet could be read.", flags, {
    wide: ["workedBy", "nonce"],
    whole: ["address"],
  });
  for (const { network, text } of problems) console.error(`${network}: ${text}`);
  if (problems.length > 0) process.exitCode = exitCodes.network;
}

function rowOf(wallet: WalletStatus) {
  const { network, index, address, xdc, payments, isLow, nonce, unmined, holder } = wallet;
  return {
    network,
    wallet: index ?? "no key",
    address,
    xdc,
    payments: `${payments.toLocaleString("en")}${isLow ? ", low" : ""}`,
    unmined,
    nonce,
    workedBy: holder ?? "none",
  };
}

interface SweepOrder extends SweepFlags {
  readonly wallet: Address;
  readonly keys?: readonly string[];
}

async function sweep({ wallet, to, network, yes, keys = [] }: SweepOrder): Promise<void> {
  await demandYes(`Send all coins of ${wallet} to ${to}?`, yes, "Nothing was sent.");
  const swept = sweepRelayer({ wallet, to, network, keys });
  for (;;) {
    const { value, done } = await whileWaiting(`Emptying ${wallet}`, () => swept.next());
    if (done === true) return;
    const { network: id, xdc, transaction } = value;
    if (transaction === null) console.log(`${id}: nothing to send`);
    else console.log(`${id}: ${xdc} XDC sent in ${transaction}`);
  }
}

const remoteKeys = "FARTHING_RELAYER_KMS_KEYS or FARTHING_RELAYER_WEB3SIGNER_WALLETS";

/** Says what the wallet holds, so that a transfer that was too small is not taken for a lost one. */
function needsGas(lacking: readonly Lacking[]): string {
  const each = lacking.map(
    ({ network, xdc }) =>
      `The new wallet needs gas on ${network}: it holds ${xdc} XDC, less than one payment costs.`,
  );
  return each.join(" ");
}

/** Replaces a wallet by one whose key this command did not make. */
async function move(wallet: Address, to: Address, yes: boolean): Promise<void> {
  const step = await whileWaiting("Reading the wallets", () => nextMoveStep(wallet, to));
  switch (step.kind) {
    case "configure":
      return console.error(
        `These settings have no key of ${to}. Make it at the key service, name it in ${remoteKeys} beside the key of ${wallet}, then run this command again.`,
      );
    case "fund":
      console.log(to);
      return console.error(
        `${needsGas(step.lacking)} Send XDC to this address, then run this command again.`,
      );
    case "release":
      return console.error(
        `${to} is ready, and the process ${step.holder} works ${wallet}. In the settings of every facilitator, put the key of ${to} in place of that of ${wallet}, and restart it. Then run this command again, with both keys in its own settings, to empty the old wallet.`,
      );
    case "sweep":
      await sweep({ wallet, to, yes });
      return console.error(
        `The rotation is complete. Take the key of ${wallet} out of all settings, and disable it at its service once no coins arrive at the old wallet any more.`,
      );
  }
}

async function rotate(wallet: Address, yes: boolean): Promise<void> {
  const { FARTHING_RELAYER_KEYS_FILE: keysFile, ...settings } = process.env;
  if (keysFile === undefined || keysFile === "") {
    throw new Fault(
      "configuration",
      "Wallets are rotated in a file of keys: set FARTHING_RELAYER_KEYS_FILE to that of the facilitator. For a wallet of AWS KMS or Web3Signer, name its replacement with --to. With a mnemonic, raise FARTHING_RELAYER_COUNT, or move to such a file.",
    );
  }
  const step = await advanceRotation(keysFile, wallet, settings);
  switch (step.kind) {
    case "fund":
      console.log(step.to);
      return console.error(
        `${needsGas(step.lacking)} Send XDC to this address, then run this command again. Its key is in ${keysFile}.next.`,
      );
    case "restart":
      console.log(step.to);
      return console.error(
        `${keysFile} has the new wallet in place of ${wallet}. Restart every facilitator that uses the file, then run this command again to empty the old wallet. Its key is in ${keysFile}.retired.`,
      );
    case "sweep":
      await sweep({ wallet, to: step.to, yes, keys: [step.key] });
      return console.error(
        `The rotation is complete. The key of ${wallet} stays in ${keysFile}.retired: keep it for as long as coins may still arrive at the old wallet.`,
      );
  }
}
