/** `farthing wallet`: encrypted wallets of this machine, the one to pay from, and what they hold. */
import { readFileSync } from "node:fs";
import { privateKeySigner, readEveryBalance } from "@farthing/buyer";
import {
  decryptKeystore,
  encryptKey,
  KeystoreError,
  newPrivateKey,
} from "@farthing/buyer/keystore";
import { formatUsdc, parseAddress, type Address } from "@farthing/protocol";
import type { Command } from "commander";
import { askSecret, isTerminal, readLines, readPassword } from "./prompt.ts";
import { readSettings, writeSettings } from "./buyer-settings.ts";
import { ConfigurationError } from "./command-errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { UsageError } from "./pay-request.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "./print-output.ts";
import { demandNode, rpcOption, type NodeFlags } from "./rpc-node.ts";
import { runCommand } from "./run-command.ts";
import { demandNewWallet, listWallets, readWalletFile, writeWalletFile } from "./wallet-files.ts";
import { readWallet, walletInUse, type WalletFlags } from "./wallet.ts";

interface NewFlags extends PrintFlags {
  readonly passwordStdin?: boolean;
  readonly keystore?: string;
}

export function register(program: Command): void {
  const wallet = program
    .command("wallet")
    .description(
      "Keeps private keys in ~/.config/farthing/wallets, each encrypted by a password (Web3 Secret Storage version 3). The password comes from a prompt, --password-stdin, FARTHING_WALLET_PASSWORD or FARTHING_WALLET_PASSWORD_FILE; neither it nor a key is ever an argument.",
    );
  registerNew(wallet);
  addPrintFlags(
    wallet.command("list").description("list wallets; the one in use is marked"),
  ).action((flags: PrintFlags) => runCommand(() => list(flags)));
  wallet
    .command("use")
    .description("pay from this wallet from now on")
    .argument("<name>")
    .action((name: string) => runCommand(() => use(name)));
  wallet
    .command("address")
    .description("print the address of a wallet, or of the one in use")
    .argument("[name]")
    .action((name?: string) => runCommand(() => address(name)));
  addPrintFlags(
    wallet
      .command("balance")
      .description("show the USDC and the XDC of an address, or of the wallet in use")
      .argument("[address]", "0x… or xdc…")
      .option("--wallet <name>", "of this keystore")
      .addOption(rpcOption("node to ask")),
  ).action((text: string | undefined, flags: PrintFlags & WalletFlags & NodeFlags) =>
    runCommand(() => balance(text, flags)),
  );
}

function registerNew(wallet: Command): void {
  addPrintFlags(
    wallet
      .command("create")
      .description("make a new key and encrypt it; the first wallet is the one in use")
      .argument("<name>")
      .option("--password-stdin", "read the password from standard input"),
  ).action((name: string, flags: NewFlags) => runCommand(() => create(name, flags)));
  addPrintFlags(
    wallet
      .command("import")
      .description("encrypt a private key from a prompt or standard input, or take a keystore over")
      .argument("<name>")
      .option("--keystore <file>", "a keystore of another program, with its own password")
      .option(
        "--password-stdin",
        "read the password from the first line of standard input, the key from the second",
      ),
  ).action((name: string, flags: NewFlags) => runCommand(() => importKey(name, flags)));
}

async function create(name: string, flags: NewFlags): Promise<ExitCode> {
  demandNewWallet(process.env, name);
  const password = await readPassword(passwordSource(flags), true);
  return keep(name, await encryptKey(newPrivateKey(), password), flags);
}

async function importKey(name: string, flags: NewFlags): Promise<ExitCode> {
  demandNewWallet(process.env, name);
  if (flags.keystore !== undefined) return importKeystore(name, flags.keystore, flags);
  const key = await readPrivateKey(flags);
  try {
    privateKeySigner(key);
  } catch {
    throw new ConfigurationError("That is no private key; it is 64 hexadecimal digits.");
  }
  const password = await readPassword(passwordSource(flags), true);
  return keep(name, await encryptKey(key, password), flags);
}

async function importKeystore(name: string, path: string, flags: NewFlags): Promise<ExitCode> {
  const text = readKeystoreFile(path);
  const password = await readPassword(passwordSource(flags), false);
  try {
    // Encrypted anew: so its address is in it, and the work for a guess is ours.
    return keep(name, await encryptKey(await decryptKeystore(text, password), password), flags);
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}

function readKeystoreFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new UsageError(`--keystore names a file that cannot be read: ${path}`);
  }
}

/** From the terminal, or from standard input: after the password when that is there too. */
async function readPrivateKey({ passwordStdin }: NewFlags): Promise<string> {
  if (isTerminal() && passwordStdin !== true) return (await askSecret("Private key: ")).trim();
  return readLines()[passwordStdin === true ? 1 : 0]?.trim() ?? "";
}

function passwordSource({ passwordStdin }: NewFlags) {
  return { environment: process.env, isOnStdin: passwordStdin === true };
}

function keep(name: string, text: string, flags: PrintFlags): ExitCode {
  writeWalletFile(process.env, name, text);
  if (readSettings(process.env).wallet === undefined) writeSettings(process.env, { wallet: name });
  printOne(listWallets(process.env).find((wallet) => wallet.name === name) ?? { name }, flags);
  return exitCodes.success;
}

async function list(flags: PrintFlags): Promise<ExitCode> {
  const { wallet: used } = readSettings(process.env);
  const wallets = listWallets(process.env).map((wallet) => ({
    ...wallet,
    isInUse: wallet.name === used,
  }));
  printList(wallets, wallets, "There are no wallets; see: farthing wallet create", flags);
  return exitCodes.success;
}

async function use(name: string): Promise<ExitCode> {
  readWalletFile(process.env, name);
  writeSettings(process.env, { wallet: name });
  return exitCodes.success;
}

/** The address alone on standard output, so that a script can take it as it is. */
async function address(name: string | undefined): Promise<ExitCode> {
  const flags = name === undefined ? {} : { wallet: name };
  console.log(await ownAddress(flags));
  return exitCodes.success;
}

async function ownAddress(flags: WalletFlags): Promise<Address> {
  const isKeystore = walletInUse(process.env, flags) !== undefined;
  // A keystore names its address; a key of the environment has to be read for it.
  const { signer } = await readWallet(process.env, flags, isKeystore);
  if (BigInt(signer.address) !== 0n) return signer.address;
  throw new ConfigurationError("The keystore does not name its address; import it anew.");
}

async function balance(
  text: string | undefined,
  flags: PrintFlags & WalletFlags & NodeFlags,
): Promise<ExitCode> {
  const rpcUrl = demandNode(flags);
  const owner = text === undefined ? await ownAddress(flags) : parseAddress(text);
  if (!owner) throw new UsageError("An address is 0x or xdc and 40 digits, with a right checksum.");
  const held = (await readEveryBalance(fetch, rpcUrl, owner)).map((one) => ({
    address: owner,
    network: one.network.id,
    usdc: formatUsdc(one.usdcUnits),
    xdc: formatXdc(one.nativeWei),
  }));
  const [first] = held;
  // A node of one's own serves one network; public ones serve each.
  if (rpcUrl !== undefined && first) printOne(first, flags);
  else printList(held, held, "", flags);
  return exitCodes.success;
}

/** XDC has 18 decimals; six say enough about gas money. */
function formatXdc(wei: bigint): string {
  return formatUsdc(wei / 10n ** 12n);
}
