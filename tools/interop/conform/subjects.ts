/** The subjects of the conformance page: our own parts and published software of several ages. */
import type { Role } from "@farthing/conform";
import { fileURLToPath } from "node:url";

/** A subject, with the command line that starts or runs it. */
export interface ConformSubject {
  readonly name: string;
  readonly command: string;
}

/** The packages by version, with the folder that has them. */
const stock = [
  ["2.0", "stock/2.0"],
  ["2.1", "stock/2.1"],
  ["2.10", "stock/2.10"],
  ["2.23", "stock/2.23"],
  ["2.27", "stock/2.27"],
] as const;

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const node = `exec "${process.execPath}"`;
const farthing = `"${here("../../../packages/cli/bin/farthing.js")}"`;
const stockProgram = (role: Role, folder: string) =>
  `${node} "${here(`stock-${role}.mjs`)}" ${folder}`;

const serve = [
  "FARTHING_LOG_LEVEL=silent FARTHING_RATE_LIMIT=0 FARTHING_PORT=$PORT",
  "FARTHING_RPC_51=$CONFORM_RPC_URL FARTHING_RELAYER_KEYS=$CONFORM_KEYS",
  `DATABASE_URL=sqlite:$CONFORM_FOLDER/farthing.db ${node} ${farthing} serve --self-built`,
].join(" ");

const pay = [
  "HOME=$CONFORM_FOLDER FARTHING_WALLET_KEY=$CONFORM_KEY FARTHING_RPC_51=$CONFORM_RPC_URL",
  `${node} ${farthing} pay --max-time 8 --request-id conform`,
].join(" ");

/** The SDK for Python, where its lock is installed. */
const python = "x402 2.25 for Python";
const pythonProgram = (role: Role) =>
  `exec "${here("../languages/.installed/python-v2/bin/python")}" "${here(`python/${role}.py`)}"`;

/** Whether a subject needs the lock for Python. */
export const needsPython = ({ name }: ConformSubject): boolean => name === python;

/** The subjects of each role, our own first. */
export const subjects: Readonly<Record<Role, readonly ConformSubject[]>> = {
  facilitator: [
    { name: "farthing", command: serve },
    ...stock.map(([version, folder]) => ({
      name: `@x402/core ${version}`,
      command: stockProgram("facilitator", folder),
    })),
    { name: python, command: pythonProgram("facilitator") },
  ],
  seller: [
    {
      name: "@farthing/seller",
      command: `${node} --conditions=@farthing/source "${here("own-seller.ts")}"`,
    },
    // The first version has no middleware for Express.
    {
      name: "@x402/hono 2.0",
      command: `${node} "${here("stock-hono-seller.mjs")}" stock/2.0`,
    },
    ...stock.slice(1).map(([version, folder]) => ({
      name: `@x402/express ${version}`,
      command: stockProgram("seller", folder),
    })),
    { name: python, command: pythonProgram("seller") },
  ],
  buyer: [
    { name: "farthing pay", command: `${pay} {url}` },
    ...stock.map(([version, folder]) => ({
      name: `@x402/fetch ${version}`,
      command: `${stockProgram("buyer", folder)} {url}`,
    })),
    { name: python, command: `${pythonProgram("buyer")} {url}` },
  ],
};
