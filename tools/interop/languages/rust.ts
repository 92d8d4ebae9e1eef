/** The crates of x402-rs for Rust: Axum in front of a route, and reqwest that pays. */
import { join } from "node:path";
import { buildRust, hasRust } from "./toolchains.ts";
import type { Language } from "./language.ts";

const crates = "x402-rs 2.0 for Rust";

export const rust: Language = {
  name: "Rust",
  packages: ["x402-axum@2.0.2", "x402-reqwest@2.0.2", "x402-chain-eip155@2.0.2"],
  missing: () => (hasRust() ? undefined : "this machine has no cargo with Rust 1.93 or later"),
  async install() {
    const folder = await buildRust();
    return {
      buyers: [{ name: `${crates} (reqwest)`, command: [join(folder, "buyer")], settings: {} }],
      sellers: [
        {
          name: `${crates} (axum)`,
          command: [join(folder, "seller")],
          settings: {},
          x402Version: 2,
        },
      ],
    };
  },
};
