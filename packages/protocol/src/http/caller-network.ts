/** Leading bits that name a network: whole groups of the address. */
export interface NetworkBits {
  readonly ipv4: 24 | 32;
  readonly ipv6: 48 | 64;
}

/** One caller: an IPv4 address, or an IPv6 /64, which is what one connection usually has. */
export const callerBits: NetworkBits = { ipv4: 32, ipv6: 64 };

/**
 * Names the network of an address, equal for equal networks. IPv4 inside IPv6 (`::ffff:1.2.3.4`)
 * counts as IPv4; text that is not an address names itself.
 */
export function networkOfAddress(address: string, bits: NetworkBits = callerBits): string {
  const ipv4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.exec(address)?.[1];
  if (ipv4 !== undefined)
    return ipv4
      .split(".")
      .slice(0, bits.ipv4 / 8)
      .join(".");
  if (!/^[0-9a-f:]*:[0-9a-f:.]*(%.*)?$/i.test(address)) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return groups
    .slice(0, bits.ipv6 / 16)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ""))
    .join(":");
}
