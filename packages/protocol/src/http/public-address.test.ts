/** Which addresses are of the internet. */
import { expect, test } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:10.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::a00:1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "ff02::1",
  "2001::1",
  "2001:db8::1",
  "2002:a00:1::",
  "3fff::1",
  "1.2.3.256",
  "1.2.3",
  "fe80::1%eth0",
  "[2606:4700::1111]",
  "not an address",
  "",
])("%s is inside", (address) => expect(isPublicAddress(address)).toBe(false));

test.each([
  "8.8.8.8",
  "172.32.0.1",
  "100.128.0.1",
  "1.1.1.1",
  "2606:4700::1111",
  "2a00:1450::1",
  "2A00:1450:0:0:0:0:0:1",
])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

test("loopback is this machine", () => {
  expect(["127.0.0.1", "127.9.9.9", "::1"].every(isLoopbackAddress)).toBe(true);
  expect(["10.0.0.1", "::2", "x"].some(isLoopbackAddress)).toBe(false);
});
