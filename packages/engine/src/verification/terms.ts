/**
 * Rules 2, 3 and 4: compares the signed authorization with the requirements, without the chain.
 * Amounts and payees outside the authorization are ignored; the payload's network and asset count.
 */
import {
  accept,
  isSameAddress,
  lookalikeName,
  refuse,
  type Network,
  type Outcome,
  type PaymentRequest,
} from "@farthing/protocol";

/** `served` tells which versions and networks a surface offers. */
export function checkTerms(
  request: PaymentRequest,
  served: (version: 1 | 2, network: Network) => boolean,
): Outcome<PaymentRequest> {
  const { payment, requirements } = request;
  const { authorization, network } = payment;
  if (network !== requirements.network) {
    return refuse(
      "network_mismatch",
      `The payment is for ${payment.networkName}, the requirements for ${requirements.networkName}; sign for the network of the requirements.`,
    );
  }
  if (!served(payment.version, network)) {
    return refuse(
      "unsupported_network",
      `${payment.networkName} with x402 version ${payment.version} is not served here; see /supported.`,
    );
  }
  const asset = checkAsset(request);
  if (!asset.ok) return asset;
  if (authorization.value !== requirements.amount) {
    return refuse(
      "amount_mismatch",
      `The authorization is for ${authorization.value} base units, ${requirements.amount} are required; sign exactly that.`,
    );
  }
  if (!isSameAddress(authorization.to, requirements.payTo)) {
    return refuse(
      "pay_to_mismatch",
      `The authorization pays ${authorization.to}, the requirements name ${requirements.payTo}; sign for that address.`,
    );
  }
  if (isSameAddress(authorization.from, authorization.to)) {
    return refuse("self_payment");
  }
  return accept(request);
}

function checkAsset({ payment, requirements }: PaymentRequest): Outcome<undefined> {
  const { network } = payment;
  for (const asset of [requirements.asset, payment.asset]) {
    if (asset === undefined || isSameAddress(asset, network.usdc)) continue;
    const name = lookalikeName(network, asset) ?? asset;
    return refuse(
      "asset_mismatch",
      `The asset is ${name}; only native USDC at ${network.usdc} is paid on ${network.id}.`,
    );
  }
  const { domainName = network.domain.name, domainVersion = network.domain.version } = requirements;
  if (domainName !== network.domain.name || domainVersion !== network.domain.version) {
    return refuse(
      "token_domain_mismatch",
      `extra names the token "${domainName}" version "${domainVersion}"; on ${network.id} it must be "${network.domain.name}" version "${network.domain.version}".`,
      domainName === network.domain.name ? "invalid_exact_evm_token_version_mismatch" : undefined,
    );
  }
  return accept(undefined);
}
