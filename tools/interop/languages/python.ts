/** The SDK for Python in its newest version, and in the last one that speaks version 1 alone. */
import { fileURLToPath } from "node:url";
import { hasPython, installPython } from "./toolchains.ts";
import type { Language } from "./language.ts";

const program = (name: string): string => fileURLToPath(new URL(`python/${name}`, import.meta.url));

export const python: Language = {
  name: "Python",
  packages: ["x402==2.25.0", "x402==1.0.0"],
  guide: { path: "docs/guides/python.md", toolchain: "python" },
  missing: () =>
    hasPython() ? undefined : "this machine has no Python 3.10 or later with venv and pip",
  async install() {
    const [v1, v2] = await Promise.all([installPython("v1"), installPython("v2")]);
    const newest = "x402 2.25 for Python";
    const oldest = "x402 1.0 for Python";
    const clients = ["httpx", "requests"];
    return {
      buyers: [
        ...clients.map((client) => ({
          name: `${newest} (${client})`,
          command: [v2, program("v2/buyer.py")],
          settings: { client },
        })),
        ...clients.map((client) => ({
          name: `${oldest} (${client}, version 1)`,
          command: [v1, program("v1/buyer.py")],
          settings: { client },
        })),
      ],
      sellers: [
        ...["fastapi", "flask"].map((framework) => ({
          name: `${newest} (${framework})`,
          command: [v2, program("v2/seller.py")],
          settings: { framework },
          x402Version: 2 as const,
        })),
        {
          name: `${oldest} (fastapi, version 1)`,
          command: [v1, program("v1/seller.py")],
          settings: {},
          x402Version: 1 as const,
        },
      ],
    };
  },
};
