/** The network of a sum: live and test money are never added up. */
import { findNetwork, type Network } from "@farthing/protocol";
import { Type } from "typebox";
import { keyModeOf } from "../../http/access/request-key.ts";
import { HttpProblem } from "../../http/messages/responses.ts";

export const OneNetworkQuery = Type.Optional(
  Type.String({
    maxLength: 32,
    description: "`eip155:50` or its name; XDC mainnet when absent, where it is served",
  }),
);

/** Reads the network of a query; without one, that of live money if the service has it. */
export function readOneNetwork(text: string | undefined, served: readonly Network[]): Network {
  const live = served.find(({ chainId }) => keyModeOf(chainId) === "live");
  const network = text === undefined ? (live ?? served[0]) : findNetwork(text);
  if (network) return network;
  throw new HttpProblem("invalid_request", "network must be eip155:50 or eip155:51.");
}
