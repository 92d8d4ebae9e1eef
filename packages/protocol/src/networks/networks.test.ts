import { expect, test } from "vitest";
import { parseWireAddress } from "./address.ts";
import {
  apothem,
  explorerLink,
  type Network,
  findNetwork,
  findNetworkOf,
  lookalikeName,
  networkOfChain,
  networks,
  usdcDecimals,
  xdc,
} from "./networks.ts";

test("the constants are those of the service", () => {
  expect(networks.map(({ chainId, id, label, usdc }) => [chainId, id, label, usdc])).toEqual([
    [50, "eip155:50", "xdc", "0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1"],
    [51, "eip155:51", "xdc-apothem", "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4"],
  ]);
  expect(networks.map(({ domainSeparator }) => domainSeparator)).toEqual([
    "0xe3bb44ae105af7e23bb39b117e22bbcbf435066554f45b3a9bbcba42c80fe56d",
    "0x3835afe643ce123f3bc71a8e3123e24651d2d4309bbf3ba58329a1db60b9b2c3",
  ]);
  for (const { domain } of networks) expect(domain).toEqual({ name: "USDC", version: "2" });
  expect(usdcDecimals).toBe(6);
});

test.each(networks)("every address of $name carries a right checksum", (network) => {
  const { usdc, multicall3, lookalikes } = network;
  for (const address of [usdc, ...multicall3, ...lookalikes.keys()]) {
    expect(parseWireAddress(address)).toBe(address);
  }
});

test.each([
  ["xdc", xdc],
  ["xdc-apothem", apothem],
  ["xdc-testnet", apothem],
  ["eip155:50", undefined],
  ["eip155:51", undefined],
])("version 1 calls %s", (name, network) => {
  expect(findNetworkOf(1, name)).toBe(network);
});

test.each([
  ["eip155:50", xdc],
  ["eip155:51", apothem],
  ["xdc", undefined],
  ["xdc-testnet", undefined],
  ["eip155:*", undefined],
])("version 2 calls %s", (name, network) => {
  expect(findNetworkOf(2, name)).toBe(network);
});

test.each([50, "eip155:50", "xdc"])("%s is mainnet", (name) => {
  expect(findNetwork(name)).toBe(xdc);
});

test.each([51, "eip155:51", "xdc-apothem", "xdc-testnet"])("%s is Apothem", (name) => {
  expect(findNetwork(name)).toBe(apothem);
});

test.each([
  "",
  "XDC",
  "EIP155:50",
  "eip155:050",
  "eip155:1",
  "base",
  "50",
  1,
  50n,
  null,
  { id: 50 },
])("%o is no network", (name) => {
  expect(findNetwork(name)).toBeUndefined();
  expect(findNetworkOf(1, name)).toBeUndefined();
  expect(findNetworkOf(2, name)).toBeUndefined();
});

test.each(["__proto__", "constructor", "toString"])("%s finds nothing", (name) => {
  expect(findNetwork(name)).toBeUndefined();
});

test("the network of a chain id", () => {
  expect(networkOfChain(50)).toBe(xdc);
  expect(networkOfChain(51)).toBe(apothem);
});

test("bridged USDC.e is known by name, in any case", () => {
  const bridged = "0x2A8E898b6242355c290E1f4Fc966b8788729A4D4";
  const lower = "0x2a8e898b6242355c290e1f4fc966b8788729a4d4";
  expect(lookalikeName(xdc, bridged)).toBe("bridged USDC.e");
  expect(lookalikeName(xdc, lower)).toBe("bridged USDC.e");
  expect(lookalikeName(xdc, xdc.usdc)).toBeUndefined();
  expect(lookalikeName(apothem, bridged)).toBeUndefined();
});

const link = (network: Network, host: string) => explorerLink(network, "0xab", host);

test("transactions are linked at the network's explorer", () => {
  expect(link(xdc, "shop.example")).toBe("https://xdcscan.com/tx/0xab");
  expect(link(apothem, "shop.example:8443")).toBe("https://testnet.xdcscan.com/tx/0xab");
  expect(link(xdc, "localhost:4021")).toBe("https://xdcscan.com/tx/0xab");
  // A devnet has Apothem's number, and no explorer knows its transactions.
  for (const host of ["localhost", "127.0.0.1:4021", "[::1]:4021", "shop.localhost"]) {
    expect(link(apothem, host)).toBeUndefined();
  }
});
