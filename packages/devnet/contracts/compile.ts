/**
 * Compiles this repository's Solidity into TypeScript constants, and copies viem's Multicall3. The
 * results are committed, so that no compiler is needed at run time; `generated.test.ts` compares
 * them. Run `npm run contracts` after a change to a `.sol` file.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import solc from "solc";

const repository = join(import.meta.dirname, "../../..");
const require = createRequire(import.meta.url);

/** The same input always gives the same output: no metadata hash, one exact solc in the lock. */
const settings = {
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: {
    "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object", "storageLayout"] },
  },
};

interface CompiledContract {
  evm: { bytecode: { object: string }; deployedBytecode: { object: string } };
  storageLayout: { storage: { label: string; slot: string }[] };
}

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, CompiledContract>>;
}

/** Files of the repository are imported by their path from there, others from a package. */
function readImport(name: string): { contents: string } {
  const own = join(repository, name);
  return { contents: readFileSync(existsSync(own) ? own : require.resolve(name), "utf8") };
}

/** The library that checks signatures for the token. */
const signatureCheckAddress = "0x3009000000000000000000000000000000001271";

const libraries = {
  "packages/devnet/contracts/SignatureCheck.sol": { SignatureCheck: signatureCheckAddress },
};

/** XDC has Cancun; Shanghai is enough for most contracts, and also runs on older nodes. */
type EvmVersion = "shanghai" | "cancun";

/** `path` is from the repository; the contract has the file's name. */
function compile(
  path: string,
  optimizerRuns: number,
  evmVersion: EvmVersion = "shanghai",
): CompiledContract {
  const optimizer = { enabled: true, runs: optimizerRuns };
  const input = {
    language: "Solidity",
    sources: { [path]: { content: readFileSync(join(repository, path), "utf8") } },
    settings: { ...settings, evmVersion, libraries, optimizer },
  };
  const output: CompilerOutput = JSON.parse(
    solc.compile(JSON.stringify(input), { import: readImport }),
  );
  // Warnings are errors.
  const complaints = (output.errors ?? []).map((error) => error.formattedMessage);
  if (complaints.length > 0) throw new Error(complaints.join("\n"));
  const name = path.slice(path.lastIndexOf("/") + 1, -".sol".length);
  const contract = output.contracts?.[path]?.[name];
  if (!contract) throw new Error(`${path} holds no contract ${name}`);
  return contract;
}

function slotOf(contract: CompiledContract, label: string): number {
  const entry = contract.storageLayout.storage.find((variable) => variable.label === label);
  if (!entry) throw new Error(`no state variable ${label}`);
  return Number(entry.slot);
}

/**
 * viem does not export its Multicall3, so the file beside its entry is read. It holds creation
 * code, `…600080fd5b50 61<length> 80 61<offset> 6000 39 6000 f3 fe`, and then the runtime code.
 */
async function multicall3Runtime(): Promise<string> {
  const entry = import.meta.resolve("viem");
  const module: { multicall3Bytecode: string } = await import(
    new URL("./constants/contracts.js", entry).href
  );
  const match = /^0x(.*?61([0-9a-f]{4})8061[0-9a-f]{4}6000396000f3fe)(.*)$/.exec(
    module.multicall3Bytecode,
  );
  const [, , length = "", runtime = ""] = match ?? [];
  if (runtime.length !== 2 * Number.parseInt(length, 16) || runtime === "") {
    throw new Error("viem's Multicall3 no longer has the known shape");
  }
  return runtime;
}

interface GeneratedConstant {
  name: string;
  comment: string;
  type: string;
  value: string;
}

function render(source: string, constants: GeneratedConstant[]): string {
  const body = constants.map(
    ({ name, comment, value, type }) =>
      `\n/** ${comment} */\nexport const ${name}: ${type} = ${value};\n`,
  );
  return `// Generated from ${source} by \`npm run contracts\`. Do not edit.\n${body.join("")}`;
}

/** The type is written out, since the literal's own would be as long. */
function code(name: string, comment: string, digits: string): GeneratedConstant {
  return { name, comment, type: "`0x${string}`", value: `\n  "0x${digits}"` };
}

function slot(name: string, comment: string, value: number): GeneratedConstant {
  return { name, comment, type: "number", value: `${value}` };
}

const runtime = "Runtime code, to be placed with `anvil_setCode`.";

/** The contents of every generated file, by its path from the repository. */
export async function compileContracts(): Promise<Map<string, string>> {
  return new Map([...(await compileDevnet()), ...compileEngine()]);
}

type GeneratedFile = readonly [path: string, text: string];

function file(path: string, source: string, constants: GeneratedConstant[]): GeneratedFile {
  return [`packages/${path}.ts`, render(source, constants)];
}

/** 200 runs is solc's usual balance. */
const compiled = (name: string, evmVersion?: EvmVersion) =>
  compile(`packages/devnet/contracts/${name}.sol`, 200, evmVersion);

const placed = (constant: string, { evm }: CompiledContract) =>
  code(constant, runtime, evm.deployedBytecode.object);

async function compileDevnet(): Promise<GeneratedFile[]> {
  const token = compiled("StandInUsdc");
  const wallet = compiled("SampleWallet");
  const words = "Slot of the mapping from account to balance word (bit 255: blacklisted).";
  return [
    file("devnet/src/generated/stand-in-usdc", "StandInUsdc.sol, its proxy and its library", [
      placed("standInUsdcProxyCode", compiled("StandInUsdcProxy")),
      placed("standInUsdcCode", token),
      placed("signatureCheckCode", compiled("SignatureCheck")),
      {
        name: "signatureCheckAddress",
        comment: "Where `standInUsdcCode` looks for the library.",
        type: "`0x${string}`",
        value: `"${signatureCheckAddress}"`,
      },
      slot("balanceWordsSlot", words, slotOf(token, "_balanceWords")),
    ]),
    file("devnet/src/generated/sample-wallet", "SampleWallet.sol", [
      placed("sampleWalletCode", wallet),
      slot("ownerSlot", "Slot of the owner.", slotOf(wallet, "owner")),
    ]),
    file("devnet/src/generated/hostile-wallet", "HostileWallet.sol", [
      placed("hostileWalletCode", compiled("HostileWallet")),
    ]),
    file("devnet/src/generated/hostile-factory", "HostileFactory.sol", [
      placed("hostileFactoryCode", compiled("HostileFactory")),
    ]),
    file("devnet/src/generated/batch-settlement", "the stand-ins of `batch-settlement`", [
      // The published contract keeps its guard in transient storage.
      placed("batchSettlementCode", compiled("StandInBatchSettlement", "cancun")),
      placed("depositCollectorCode", compiled("StandInDepositCollector")),
    ]),
    file("devnet/src/generated/multicall3", "viem's Multicall3", [
      code("multicall3Code", runtime, await multicall3Runtime()),
    ]),
  ];
}

function compileEngine(): GeneratedFile[] {
  const engine = "packages/engine/contracts";
  // The reader is sent with every read, so it is kept small.
  const reader = compile(`${engine}/PaymentReader.sol`, 1).evm.bytecode.object;
  // Deployed once and called with every batch.
  const { bytecode, deployedBytecode } = compile(`${engine}/Batcher.sol`, 1_000_000).evm;
  const creation = "Creation code, to be followed by the encoded constructor arguments.";
  const bare = "Creation code, without constructor arguments.";
  return [
    file("engine/src/chain/contracts/generated/payment-reader", "PaymentReader.sol", [
      code("paymentReaderCode", creation, reader),
    ]),
    file("engine/src/chain/contracts/generated/batcher", "Batcher.sol", [
      code("batcherCreationCode", bare, bytecode.object),
      code("batcherCode", "The code at the contract's address.", deployedBytecode.object),
    ]),
  ];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of await compileContracts()) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
    console.log(`${path}: ${text.length} characters`);
  }
}
