/** `farthing wallet`: the encrypted wallets of this machine, the default one, and their balances. */
import { privateKeySigner, readEveryBalance } from "@farthing/buyer";
import {
  decryptKeystore,
  encryptKey,
  KeystoreError,
  newPrivateKey,
} from "@farthing/buyer/keystore";
import { formatUsdc, parseAddress, type Address } from "@farthing/protocol";
import type { Command } from "commander";
import { readNamedFile, readSettings, writeSettings } from "../input/buyer-settings.ts";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { formatXdc } from "../output/gas-cost.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "../output/print-output.ts";
import {
  askSecret,
  isTerminal,
  readLines,
  readPassword,
  type PasswordFlags,
} from "../input/prompt.ts";
import { demandNode, rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { runCommand } from "../command/run-command.ts";
import { demandNewWallet, listWallets, readWalletFile, writeWalletFile } from "./wallet-files.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readWallet, walletInUse, type WalletFlags } from "./wallet.ts";

interface NewFlags extends PrintFlags, PasswordFlags {
  readonly keystore?: string;
}

export function register(program: Command): void {
  const wallet = program
    .command("wallet")
    .description(
      "Stores private keys in ~/.config/farthing/wallets, each encrypted with a password (Web3 Secret Storage version 3). The password comes from a prompt, --password-stdin, FARTHING_WALLET_PASSWORD or FARTHING_WALLET_PASSWORD_FILE; neither it nor a key is ever an argument.",
    );
  registerNew(wallet);
  addPrintFlags(wallet.command("list"))
    .description("list wallets and mark the default one")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
  wallet
    .command("use")
    .description("make this wallet the default")
    .argument("<name>")
    .action((name: string) => runCommand(() => use(name)));
  wallet
    .command("address")
    .description("print the address of a wallet, or of the default one")
    .argument("[name]")
    .action((name?: string) => runCommand(() => address(name)));
  addPrintFlags(wallet.command("balance"))
    .description("show the USDC and XDC of an address, or of the default wallet")
    .argument("[address]", "0x… or xdc…")
    .option("--wallet <name>", "balance of this keystore")
    .addOption(rpcOption("node to ask"))
    .action((text: string | undefined, flags: PrintFlags & WalletFlags & NodeFlags) =>
      runCommand(() => balance(text, flags)),
    );
}

function registerNew(wallet: Command): void {
  addPrintFlags(wallet.command("create"))
    .description("create a new key and encrypt it; the first wallet becomes the default")
    .argument("<name>")
    .option("--password-stdin", "read the password from standard input")
    .action((name: string, flags: NewFlags) => runCommand(() => create(name, flags)));
  addPrintFlags(wallet.command("import"))
    .description("encrypt a private key from a prompt or standard input, or import a keystore")
    .argument("<name>")
    .option("--keystore <file>", "a keystore of another program, with its password")
    .option(
      "--password-stdin",
      "read the password from the first line of standard input, the key from the second",
    )
    .action((name: string, flags: NewFlags) => runCommand(() => importKey(name, flags)));
}

async function create(name: string, flags: NewFlags): Promise<void> {
  demandNewWallet(name);
  const password = await readPassword(flags, true);
  return store(name, await encryptKey(newPrivateKey(), password), flags);
}

async function importKey(name: string, flags: NewFlags): Promise<void> {
  demandNewWallet(name);
  if (flags.keystore !== undefined) return importKeystore(name, flags.keystore, flags);
  const key = await readPrivateKey(flags);
  try {
    privateKeySigner(key);
  } catch {
    throw new ConfigurationError("Invalid private key. Use 64 hexadecimal digits.");
  }
  const password = await readPassword(flags, true);
  return store(name, await encryptKey(key, password), flags);
}

async function importKeystore(name: string, path: string, flags: NewFlags): Promise<void> {
  const text = readNamedFile(path, "--keystore", UsageError);
  const password = await readPassword(flags, false);
  try {
    // Encrypted again, so that it states its address and a guess costs what this package sets.
    return store(name, await encryptKey(await decryptKeystore(text, password), password), flags);
  } catch (error) {
    if (!(error instanceof KeystoreError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}

/** From the terminal, or from standard input, where a password precedes it. */
async function readPrivateKey({ passwordStdin }: NewFlags): Promise<string> {
  if (isTerminal() && passwordStdin !== true) return (await askSecret("Private key: ")).trim();
  return readLines()[passwordStdin === true ? 1 : 0]?.trim() ?? "";
}

function store(name: string, text: string, flags: PrintFlags): void {
  writeWalletFile(name, text);
  if (readSettings().wallet === undefined) writeSettings({ wallet: name });
  printOne(listWallets().find((wallet) => wallet.name === name) ?? { name }, flags);
}

async function list(flags: PrintFlags): Promise<void> {
  const { wallet: used } = readSettings();
  const wallets = listWallets().map((wallet) => ({ ...wallet, isInUse: wallet.name === used }));
  printList(wallets, wallets, "No wallets. Create one with: farthing wallet create <name>", flags, {
    whole: ["name", "address"],
  });
}

async function use(name: string): Promise<void> {
  readWalletFile(name);
  writeSettings({ wallet: name });
}

/** The address alone on standard output, so that a script can take it as it is. */
async function address(name: string | undefined): Promise<void> {
  const flags = name === undefined ? {} : { wallet: name };
  console.log(await ownAddress(flags));
}

async function ownAddress(flags: WalletFlags): Promise<Address> {
  const isKeystore = walletInUse(flags) !== undefined;
  // A keystore states its address; a key of the environment has to be read for it.
  const { signer } = await readWallet(flags, isKeystore);
  if (BigInt(signer.address) !== 0n) return signer.address;
  throw new ConfigurationError("The keystore does not state its address. Import it again.");
}

async function balance(
  text: string | undefined,
  flags: PrintFlags & WalletFlags & NodeFlags,
): Promise<void> {
  const rpcUrl = demandNode(flags);
  const owner = text === undefined ? await ownAddress(flags) : parseAddress(text);
  if (!owner)
    throw new UsageError(
      "An address must be 0x or xdc and 40 hexadecimal digits, with a valid checksum.",
    );
  const balances = await whileWaiting("Asking the chain for the balance", () =>
    readEveryBalance(fetch, rpcUrl, owner),
  );
  const held = balances.map((one) => ({
    address: owner,
    network: one.network.id,
    usdc: formatUsdc(one.usdcUnits),
    xdc: formatXdc(one.nativeWei),
  }));
  const [first] = held;
  // A configured node serves one network; there are public ones for each.
  if (rpcUrl !== undefined && first) printOne(first, flags);
  else printList(held, held, "", flags, { whole: ["network", "usdc", "xdc"] });
}
