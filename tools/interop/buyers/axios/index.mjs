/** `@x402/axios`, as its documentation shows it. */
import { wrapAxiosWithPaymentFromConfig } from "@x402/axios";
import { ExactEvmScheme } from "@x402/evm";
import { create } from "axios";
import { privateKeyToAccount } from "viem/accounts";

/** A fetch that pays. */
export function connect({ privateKey, network }) {
  const client = new ExactEvmScheme(privateKeyToAccount(privateKey));
  const api = wrapAxiosWithPaymentFromConfig(create(), { schemes: [{ network, client }] });
  return async (url) => {
    const { status, data } = await api.get(url, { validateStatus: (code) => code !== 402 });
    return Response.json(data, { status });
  };
}
