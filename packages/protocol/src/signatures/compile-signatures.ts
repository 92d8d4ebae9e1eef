/** A module of its own: the code in WebAssembly has 150 kB, which browsers need not load. */
import * as Engine from "ox/Engine";
import { engine as compileHash } from "ox/wasm/Hash";
import { engine as compileSecp256k1 } from "ox/wasm/Secp256k1";

/**
 * Compiles the WebAssembly that hashes, signs and recovers signers. Until it is compiled, JavaScript
 * does, with the same results in fifteen times the time. Rejects where a runtime compiles none, such
 * as Cloudflare Workers. What the program has installed in `ox` itself stays.
 */
export async function compileSignatures(): Promise<void> {
  const { Hash, Secp256k1 } = Engine.get();
  const [hash, secp256k1] = await Promise.all([
    Hash ?? compileHash(),
    Secp256k1 ?? compileSecp256k1(),
  ]);
  await Engine.install({ Hash: hash, Secp256k1: secp256k1 });
}
