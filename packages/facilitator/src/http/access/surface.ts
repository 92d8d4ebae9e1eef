/** Surfaces of the engine. They differ in path, kinds, callers, and in whether a settle waits. */
import type { Network } from "@farthing/protocol";

export interface Surface {
  readonly name: "public" | "hosted" | "self-built";
  /** "" or "/api/facilitator". */
  readonly basePath: string;
  readonly versions: readonly (1 | 2)[];
  readonly networks: readonly Network[];
  /** Further networks, which only callers with a test key use. */
  readonly testNetworks: readonly Network[];
  /**
   * `sync` answers once the transfer is mined. `async` does so for the official messages, and
   * otherwise once the transfer is sent.
   */
  readonly settle: "async" | "sync";
  readonly auth: "api-key" | "none";
}

export function isServed(surface: Surface, version: 1 | 2, network: Network): boolean {
  return surface.versions.includes(version) && networksOf(surface).includes(network);
}

/** All networks of a surface; on those of tests, `checkPayee` demands a test key. */
export function networksOf({ networks, testNetworks }: Surface): readonly Network[] {
  return [...networks, ...testNetworks];
}

/** Returns the present minimum amount in USDC base units. Callers with a key pay for settlements. */
export function unitsMinOf(
  { limits }: { readonly limits: { unitsMin(): bigint } },
  { auth }: Pick<Surface, "auth">,
): bigint {
  return auth === "none" ? limits.unitsMin() : 0n;
}

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

export const hostedPath = "/api/facilitator";

/** Returns the public and the hosted surface, or only the self-built one. */
export function surfacesOf(options: {
  selfBuilt: boolean;
  networks: readonly Network[];
  publicNetworks: readonly Network[];
  testNetworks: readonly Network[];
  hostedAuth: Surface["auth"];
}): Surface[] {
  const { networks, publicNetworks, testNetworks, hostedAuth } = options;
  const waits = { settle: "sync", testNetworks: [], auth: hostedAuth } as const;
  const open = { versions: [1, 2], networks, ...waits } as const;
  if (options.selfBuilt) return [{ name: "self-built", basePath: "", ...open }];
  return [
    {
      name: "public",
      basePath: "",
      versions: [2],
      networks: publicNetworks,
      testNetworks,
      settle: "async",
      auth: "api-key",
    },
    { name: "hosted", basePath: hostedPath, ...open },
  ];
}
