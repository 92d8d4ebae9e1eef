/** Tells whether an address is one of the configured addresses or ranges. */
import { BlockList, isIP } from "node:net";

export type IsTrusted = (address: string) => boolean;

export function trustedAddresses(locations: readonly string[]): IsTrusted {
  const list = new BlockList();
  for (const location of locations) {
    const [address = "", bits] = location.split("/");
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}
