/**
 * Surfaces: the faces of the one engine. What differs is where they stand, which kinds they serve,
 * whether a settle waits for the outcome, and who may call.
 */
import type { Network } from "@farthing/protocol";

/** One face. */
export interface Surface {
  readonly name: "public" | "hosted" | "self-built";
  /** "" or "/api/facilitator". */
  readonly basePath: string;
  readonly versions: readonly (1 | 2)[];
  readonly networks: readonly Network[];
  /** `async` answers once the transfer is sent, `sync` once it is mined. */
  readonly settle: "async" | "sync";
  readonly auth: "api-key" | "none";
}

/** Tells whether a surface serves a version on a network. */
export function isServed(surface: Surface, version: 1 | 2, network: Network): boolean {
  return surface.versions.includes(version) && surface.networks.includes(network);
}

/** The least that a surface settles, in USDC base units: whoever shows a key pays for it. */
export function unitsMinOf(
  { limits }: { readonly limits: { readonly unitsMin: bigint } },
  { auth }: Pick<Surface, "auth">,
): bigint {
  return auth === "none" ? limits.unitsMin : 0n;
}

/** What every surface has, below its base path. */
export const surfacePaths = [
  "/supported",
  "/accepts",
  "/verify",
  "/settle",
  "/settlements/{id}",
  "/health",
  "/ready",
  "/v1/status",
];

/** Path of the hosted face. */
export const hostedPath = "/api/facilitator";

/** The faces of a service: public and hosted, or the self-built one alone. */
export function surfacesOf(options: {
  selfBuilt: boolean;
  networks: readonly Network[];
  publicNetworks: readonly Network[];
  hostedAuth: Surface["auth"];
}): Surface[] {
  const { networks, publicNetworks, hostedAuth } = options;
  const open = { versions: [1, 2], networks, settle: "sync", auth: hostedAuth } as const;
  if (options.selfBuilt) return [{ name: "self-built", basePath: "", ...open }];
  return [
    {
      name: "public",
      basePath: "",
      versions: [2],
      networks: publicNetworks,
      settle: "async",
      auth: "api-key",
    },
    { name: "hosted", basePath: hostedPath, ...open },
  ];
}
