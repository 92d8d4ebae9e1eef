/**
 * Takes the place of `ox/Address` in the bundle, for the sake of its size. The seller's own code
 * has checksummed the addresses of the challenge, and wallets checksum theirs; the page compares
 * them without case and writes them as they came.
 */

export const checksum = (address: string): string => address;
