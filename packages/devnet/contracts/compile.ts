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
  // XDC has Cancun; Shanghai is enough and also runs on older nodes.
  evmVersion: "shanghai",
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

/** `path` is from the repository; the contract has the file's name. */
function compile(path: string, optimizerRuns: number): CompiledContract {
  const input = {
    language: "Solidity",
    sources: { [path]: { content: readFileSync(join(repository, path), "utf8") } },
    settings: { ...settings, libraries, optimizer: { enabled: true, runs: optimizerRuns } },
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

async function compileDevnet(): Promise<Map<string, string>> {
  const devnet = "packages/devnet/contracts";
  // 200 runs is solc's usual balance.
  const token = compile(`${devnet}/StandInUsdc.sol`, 200);
  const proxy = compile(`${devnet}/StandInUsdcProxy.sol`, 200);
  const signatureCheck = compile(`${devnet}/SignatureCheck.sol`, 200);
  const wallet = compile(`${devnet}/SampleWallet.sol`, 200);
  const hostile = compile(`${devnet}/HostileWallet.sol`, 200);
  const factory = compile(`${devnet}/HostileFactory.sol`, 200);
  return new Map([
    [
      "packages/devnet/src/generated/stand-in-usdc.ts",
      render("StandInUsdc.sol, its proxy and its library", [
        code("standInUsdcProxyCode", runtime, proxy.evm.deployedBytecode.object),
        code("standInUsdcCode", runtime, token.evm.deployedBytecode.object),
        code("signatureCheckCode", runtime, signatureCheck.evm.deployedBytecode.object),
        {
          name: "signatureCheckAddress",
          comment: "Where `standInUsdcCode` looks for the library.",
          type: "`0x${string}`",
          value: `"${signatureCheckAddress}"`,
        },
        slot(
          "balanceWordsSlot",
          "Slot of the mapping from account to balance word (bit 255: blacklisted).",
          slotOf(token, "_balanceWords"),
        ),
      ]),
    ],
    [
      "packages/devnet/src/generated/sample-wallet.ts",
      render("SampleWallet.sol", [
        code("sampleWalletCode", runtime, wallet.evm.deployedBytecode.object),
        slot("ownerSlot", "Slot of the owner.", slotOf(wallet, "owner")),
      ]),
    ],
    [
      "packages/devnet/src/generated/hostile-wallet.ts",
      render("HostileWallet.sol", [
        code("hostileWalletCode", runtime, hostile.evm.deployedBytecode.object),
      ]),
    ],
    [
      "packages/devnet/src/generated/hostile-factory.ts",
      render("HostileFactory.sol", [
        code("hostileFactoryCode", runtime, factory.evm.deployedBytecode.object),
      ]),
    ],
    [
      "packages/devnet/src/generated/multicall3.ts",
      render("viem's Multicall3", [code("multicall3Code", runtime, await multicall3Runtime())]),
    ],
  ]);
}

function compileEngine(): Map<string, string> {
  const engine = "packages/engine/contracts";
  // The reader is sent with every read, so it is kept small.
  const reader = compile(`${engine}/PaymentReader.sol`, 1);
  // Deployed once and called with every batch.
  const batcher = compile(`${engine}/Batcher.sol`, 1_000_000);
  return new Map([
    [
      "packages/engine/src/chain/generated/payment-reader.ts",
      render("PaymentReader.sol", [
        code(
          "paymentReaderCode",
          "Creation code, to be followed by the encoded constructor arguments.",
          reader.evm.bytecode.object,
        ),
      ]),
    ],
    [
      "packages/engine/src/chain/generated/batcher.ts",
      render("Batcher.sol", [
        code(
          "batcherCreationCode",
          "Creation code, without constructor arguments.",
          batcher.evm.bytecode.object,
        ),
        code(
          "batcherCode",
          "The code at the contract's address.",
          batcher.evm.deployedBytecode.object,
        ),
      ]),
    ],
  ]);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [path, text] of await compileContracts()) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
    console.log(`${path}: ${text.length} characters`);
  }
}
