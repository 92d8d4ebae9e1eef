import { expect, test } from "vitest";
import { networkOfAddress } from "./caller-network.ts";

const wide = { ipv4: 24, ipv6: 48 } as const;

test.each([
  ["203.0.113.7", "203.0.113.7", "203.0.113"],
  ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2", "2001:db8:1"],
  ["2001:DB8:0001::9", "2001:db8:1:0", "2001:db8:1"],
  ["::1", "0:0:0:0", "0:0:0"],
  ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0"],
  ["unix socket", "unix socket", "unix socket"],
  ["", "", ""],
])("%s is one caller as %s and one network as %s", (address, caller, network) => {
  expect([networkOfAddress(address), networkOfAddress(address, wide)]).toEqual([caller, network]);
});
