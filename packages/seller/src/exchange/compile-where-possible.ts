/** Fast signatures, where a runtime compiles WebAssembly: a seller recovers a signer for each payment. */

let isAsked = false;

/** Starts to compile what recovers signers fast, once; the payments until then are recovered slowly. */
export function compileWherePossible(): void {
  if (isAsked) return;
  isAsked = true;
  // Only a runtime that compiles no WebAssembly, such as Cloudflare Workers, refuses: JavaScript goes on.
  import("@farthing/protocol/compile-signatures")
    .then(async ({ compileSignatures }) => compileSignatures())
    .catch(() => undefined);
}
