/** The explorer of each network: the public one, another one, or none on a devnet. */
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

const apothem = "https://testnet.xdcscan.com";

test.each([
  [{ FARTHING_RPC_51: "http://127.0.0.1:8545,http://[::1]:1" }, [undefined]],
  [{ FARTHING_RPC_51: "http://localhost:8545" }, [undefined]],
  [{ FARTHING_RPC_51: "http://127.0.0.1:1,http://node.example" }, [apothem]],
  [{ FARTHING_RPC_51: "http://127.0.0.1.node.example" }, [apothem]],
  // A node of mainnet on the same machine is usual.
  [{ FARTHING_RPC_50: "http://127.0.0.1:1" }, ["https://xdcscan.com"]],
  [{ FARTHING_RPC_51: "http://node.example", FARTHING_EXPLORER_51: "none" }, [undefined]],
  [
    { FARTHING_RPC_51: "http://127.0.0.1:1", FARTHING_EXPLORER_51: "http://127.0.0.1:4000/" },
    ["http://127.0.0.1:4000"],
  ],
])("%j has %j", (env, explorers) => {
  expect(readConfig({ env }).networks.map(({ explorerUrl }) => explorerUrl)).toEqual(explorers);
});

test("what is no address is refused", () => {
  const env = { FARTHING_RPC_51: "http://node.example", FARTHING_EXPLORER_51: "xdcscan.com" };
  expect(() => readConfig({ env })).toThrow("FARTHING_EXPLORER_51");
});
