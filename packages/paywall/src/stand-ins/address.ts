/**
 * Replaces `ox/Address` in the bundle for its size: the seller and the wallets checksum addresses,
 * and the page compares them without case.
 */

export const checksum = (address: string): string => address;
