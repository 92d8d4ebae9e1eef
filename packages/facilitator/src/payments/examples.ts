/** The examples of the API reference: one payment of 0.01 USDC on Apothem, verified and settled. */
import { apothem } from "@farthing/protocol";

const payer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

const requirements = {
  scheme: "exact",
  network: apothem.id,
  amount: "10000",
  asset: apothem.usdc,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { name: "USDC", version: "2", assetTransferMethod: "eip3009" },
};

/** 32 bytes that show where a value stands; no real signature or hash. */
const bytes32 = (digits: string) => `0x${digits.repeat(64 / digits.length)}`;

export const paymentRequestExample = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    accepted: requirements,
    payload: {
      signature: `${bytes32("3c")}${bytes32("4d").slice(2)}1b`,
      authorization: {
        from: payer,
        to: payTo,
        value: "10000",
        validAfter: "0",
        validBefore: "1795169176",
        nonce: bytes32("77c1"),
      },
    },
  },
  paymentRequirements: requirements,
};

export const verifyResponseExample = { isValid: true, payer };

export const settleResponseExample = {
  success: true,
  transaction: bytes32("cd"),
  network: apothem.id,
  payer,
  amount: "10000",
  id: "stl_5f1c3f0e8a7b4c2d9e6f",
  status: "confirmed",
};
