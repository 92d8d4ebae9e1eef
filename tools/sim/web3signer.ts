/**
 * A key service that signs for the relayer wallets, as Web3Signer does, and that can be down: what a
 * wallet has reserved a nonce for is then not signed.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { isHexBytes, isObject, parseJson, type Hex } from "@farthing/protocol";
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import * as Hash from "ox/Hash";
import * as PublicKey from "ox/PublicKey";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import type { ObservedFaults } from "./observed-faults.ts";
import type { Plan } from "./plan.ts";

export interface KeyService {
  isDown: boolean;
  /** What the service has in place of the keys. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The largest batch comes to a fraction of it. */
const dataBytesMax = 1 << 20;

const signPath = "/api/v1/eth1/sign/";

/** Starts one for a plan with the fault `signer`; it ends with the stack. */
export async function openKeyService(
  { faultKinds }: Pick<Plan, "faultKinds">,
  wallets: readonly DevnetWallet[],
  observedFaults: ObservedFaults,
  stack: AsyncDisposableStack,
): Promise<KeyService | undefined> {
  if (!faultKinds.includes("signer")) return undefined;
  const service = await startKeyService(wallets, observedFaults);
  stack.defer(() => service.stop());
  return service;
}

async function startKeyService(wallets: readonly DevnetWallet[], observedFaults: ObservedFaults) {
  const keys = new Map<string, Hex>(
    wallets.map((wallet) => [publicKeyOf(wallet), wallet.privateKey]),
  );

  function reply(path: string, body: string): readonly [number, string] {
    if (path === "/api/v1/eth1/publicKeys") return [200, JSON.stringify([...keys.keys()])];
    const privateKey = keys.get(path.slice(signPath.length));
    if (!path.startsWith(signPath) || !privateKey) return [404, ""];
    if (service.isDown) {
      observedFaults.note("signer: down");
      return [503, ""];
    }
    const read = parseJson(body)?.value;
    const data = isObject(read) ? read["data"] : undefined;
    if (!isHexBytes(data, dataBytesMax)) return [400, ""];
    const payload = Hash.keccak256(data);
    return [200, Signature.toHex(Secp256k1.sign({ payload, privateKey }))];
  }

  async function respond(path: string, body: Promise<string>, response: ServerResponse) {
    const [status, content] = reply(path, await body);
    response.writeHead(status).end(content);
  }

  const server = createServer((request, response) => {
    // A facilitator that is killed cuts its connections.
    respond(request.url ?? "", text(request), response).catch(() => response.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = isObject(address) ? Number(address["port"]) : 0;
  const service: KeyService & { stop(): Promise<void> } = {
    isDown: false,
    settings: {
      FARTHING_RELAYER_WEB3SIGNER_URL: `http://127.0.0.1:${port}`,
      FARTHING_RELAYER_WEB3SIGNER_WALLETS: wallets.map((wallet) => wallet.address).join(","),
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

/** As Web3Signer names it: without the prefix of an uncompressed point. */
function publicKeyOf({ privateKey }: DevnetWallet): Hex {
  return `0x${PublicKey.toHex(Secp256k1.getPublicKey({ privateKey })).slice("0x04".length)}`;
}
