/**
 * Tells public addresses from private ones, which third parties must not make a program reach, such as
 * 169.254.169.254. The ranges are from the IANA special-purpose registries.
 */

/** The first bits of all addresses of a network. */
type Prefix = readonly [address: string, bits: number];

const special4: readonly Prefix[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  // Multicast, and the reserved range above it.
  ["224.0.0.0", 3],
];

/** Within the global range: protocol assignments with Teredo, documentation, 6to4. */
const special6: readonly Prefix[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

/** The only part of IPv6 that is routed. Embedded IPv4 addresses lie outside. */
const global6: Prefix = ["2000::", 3];

const loopback4: Prefix = ["127.0.0.0", 8];
const loopback6: Prefix = ["::1", 128];

/** False for what is no address of IPv4 or IPv6, without brackets. */
export function isPublicAddress(address: string): boolean {
  const bits = bitsOf(address);
  if (bits?.length === 32) return !special4.some((prefix) => isWithin(bits, prefix));
  if (bits === undefined || !isWithin(bits, global6)) return false;
  return !special6.some((prefix) => isWithin(bits, prefix));
}

/** False for what is no address of IPv4 or IPv6, without brackets. */
export function isLoopbackAddress(address: string): boolean {
  const bits = bitsOf(address);
  return bits !== undefined && isWithin(bits, bits.length === 32 ? loopback4 : loopback6);
}

function isWithin(bits: string, [address, length]: Prefix): boolean {
  return bits.startsWith(bitsOf(address)?.slice(0, length) ?? "none");
}

/** The binary digits of an address: 32 or 128 of them. */
function bitsOf(address: string): string | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(address)) {
    const bytes = address.split(".").map(Number);
    return bytes.some((byte) => byte > 255) ? undefined : digitsOf(bytes, 8);
  }
  // Only hexadecimal groups are left of what a URL has for its host, also of an embedded IPv4 address.
  const url = `http://[${address}]/`;
  if (!/^[\da-f:.]{2,45}$/i.test(address) || !URL.canParse(url)) return undefined;
  const [front = "", back] = new URL(url).hostname.slice(1, -1).split("::");
  const [before, after] = [groupsOf(front), groupsOf(back ?? "")];
  const left = 8 - before.length - after.length;
  return digitsOf([...before, ...Array.from({ length: left }, () => 0), ...after], 16);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

function digitsOf(numbers: readonly number[], width: number): string {
  return numbers.map((number) => number.toString(2).padStart(width, "0")).join("");
}
