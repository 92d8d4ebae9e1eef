/**
 * Deploys a contract of channels at its canonical address with the wallet's own gas. Where another
 * address would come out, nothing is sent.
 */
import type { NodeCall } from "@farthing/buyer";
import {
  isBytes32,
  isHexBytes,
  isObject,
  member,
  parseJson,
  toLowerHex,
  type Hex,
} from "@farthing/protocol";
import {
  create2Address,
  create2Deployer,
  create2DeployerCode,
  keccak256Of,
  publishedContracts,
  withSettlement,
  type PublishedContract,
} from "@farthing/protocol/channel-probes";
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { readNamedFile } from "../input/buyer-settings.ts";
import { demandYes } from "../input/prompt.ts";
import { formatXdc, gasCostText } from "../output/gas-cost.ts";
import { printOne, type PrintFlags } from "../output/print-output.ts";
import { whileWaiting } from "../output/waiting.ts";
import { readWallet, type WalletFlags } from "../wallet/wallet.ts";
import type { ContractNode } from "./contract-node.ts";

export interface DeployFlags extends WalletFlags {
  readonly initCode?: string;
  readonly salt?: string;
  readonly yes?: boolean;
}

/** The longest creation code that a chain takes, of EIP-3860. */
const creationBytesMax = 49_152;

/** A block comes every two seconds; a minute of full blocks is rare. */
const minedMs = 60_000;
const lookMs = 1_000;

export async function deployContract(
  flags: DeployFlags & PrintFlags,
  { network, call }: ContractNode,
): Promise<ExitCode> {
  const { published, salt, code } = chooseDeployment(flags);
  const { address } = published;
  if (await hasCode(call, address)) {
    console.error(`The contract is already deployed at ${address}. Nothing was sent.`);
    return exitCodes.success;
  }
  if ((await call("eth_getCode", [create2Deployer, "latest"])) !== create2DeployerCode) {
    throw new ConfigurationError(
      `${network.name} has no deployer at ${create2Deployer}, so no contract can get its canonical address yet. Anyone may publish the deployer by its signed transaction; see https://github.com/Arachnid/deterministic-deployment-proxy. Nothing was sent.`,
    );
  }
  const { signer, signTransaction } = await readWallet(flags, false);
  if (!signTransaction) throw new ConfigurationError("There is no key to sign with.");
  const from = signer.address;
  const request = { to: create2Deployer, data: `${salt}${code.slice(2)}` as const };
  const { gas, gasPrice, balance, nonce } = await priceOf(call, { from, ...request });
  const cost = gasCostText(gas, gasPrice);
  if (balance < gas * gasPrice) {
    console.error(
      `${from} holds ${formatXdc(balance)} XDC on ${network.id}; the deployment takes up to ${cost}. Nothing was sent.`,
    );
    return exitCodes.insufficientFunds;
  }
  const question = `Deploy the contract at ${address} on ${network.name} from ${from} for up to ${cost}?`;
  await demandYes(question, flags.yes, "Nothing was sent.");
  const { chainId } = network;
  const signed = signTransaction({ chainId, nonce, gasPrice, gas, ...request });
  await call("eth_sendRawTransaction", [signed.raw]);
  const receipt = await whileWaiting(`Waiting for the transaction ${signed.hash}`, () =>
    waitForReceipt(call, signed.hash),
  );
  if (!receipt) {
    console.error(
      `The transaction ${signed.hash} is not mined yet. Look again with: farthing channels contract --check`,
    );
    return exitCodes.paymentOpen;
  }
  if (!(await hasCode(call, address))) {
    throw new Error(`The transaction ${signed.hash} was mined and created nothing.`);
  }
  const gasUsed = BigInt(String(receipt["gasUsed"]));
  const facts = { network: network.id, address, transaction: signed.hash };
  printOne({ ...facts, gasUsed: Number(gasUsed), xdc: formatXdc(gasUsed * gasPrice) }, flags);
  return exitCodes.success;
}

interface Deployment {
  readonly published: PublishedContract;
  readonly salt: Hex;
  readonly code: Hex;
}

/** Which contract a file creates shows by the address that comes out; throws a UsageError for none. */
function chooseDeployment({ initCode, salt: text }: DeployFlags): Deployment {
  if (initCode === undefined) {
    throw new UsageError(
      "--deploy needs --init-code: a file with the contract's creation code, such as `forge inspect x402BatchSettlement bytecode` prints.",
    );
  }
  if (text !== undefined && !isBytes32(text)) {
    throw new UsageError("--salt must be 0x and 64 hexadecimal digits.");
  }
  const own = readCreationCode(initCode);
  const salts = text === undefined ? undefined : [text];
  for (const published of publishedContracts) {
    for (const salt of salts ?? [published.salt]) {
      const codes = published.name === "collector" ? [own, withSettlement(own)] : [own];
      const code = codes.find((one) => create2Address(salt, one) === published.address);
      if (code !== undefined) return { published, salt, code };
    }
  }
  const wanted = publishedContracts.map(({ name, address, creationHash }) => {
    return `${name} at ${address} has the hash ${creationHash}`;
  });
  const salt = salts?.[0] ?? publishedContracts[0]?.salt ?? "0x";
  throw new UsageError(
    `With this creation code (keccak256 ${keccak256Of(own)}) the contract would stand at ${create2Address(salt, own)}, which is no canonical address. The creation code of ${wanted.join("; that of ")}. Nothing was sent.`,
  );
}

/** Hex digits with or without 0x, or the artifact of a compiler. Throws a UsageError. */
function readCreationCode(path: string): Hex {
  const text = readNamedFile(path, "--init-code", UsageError).trim();
  const artifact = text.startsWith("{") ? parseJson(text)?.value : undefined;
  const bytecode = isObject(artifact) ? member(artifact, "bytecode") : text;
  const digits = isObject(bytecode) ? member(bytecode, "object") : bytecode;
  const code = typeof digits === "string" ? `0x${digits.replace(/^0x/, "")}` : "";
  if (code.length > 2 && isHexBytes(code, creationBytesMax)) return toLowerHex(code);
  throw new UsageError(
    `${path} has no creation code: it must be at most ${creationBytesMax} bytes as hexadecimal digits, or an artifact with bytecode.object.`,
  );
}

async function hasCode(call: NodeCall, address: string): Promise<boolean> {
  return (await call("eth_getCode", [address, "latest"])) !== "0x";
}

const toNumber = (value: unknown) => BigInt(String(value));

/** A tenth more gas than estimated, since the estimate is of an earlier block. */
async function priceOf(
  call: NodeCall,
  request: { readonly from: string; readonly to: string; readonly data: string },
) {
  const { from } = request;
  const [gasPrice, balance, nonce, estimate] = await Promise.all([
    call("eth_gasPrice", []),
    call("eth_getBalance", [from, "latest"]),
    call("eth_getTransactionCount", [from, "pending"]),
    // Without a price: a wallet that cannot pay for it gets a figure all the same.
    call("eth_estimateGas", [request]),
  ]);
  return {
    gas: (toNumber(estimate) * 11n) / 10n,
    gasPrice: toNumber(gasPrice),
    balance: toNumber(balance),
    nonce: toNumber(nonce),
  };
}

async function waitForReceipt(call: NodeCall, hash: Hex) {
  const endMs = Date.now() + minedMs;
  while (Date.now() < endMs) {
    // A node has no receipt of a transaction that is not mined: null.
    const receipt = await call("eth_getTransactionReceipt", [hash]);
    if (isObject(receipt)) return receipt;
    await sleep(lookMs);
  }
  return undefined;
}
