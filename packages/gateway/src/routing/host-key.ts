/**
 * A Host header or a rule's host in the form in which hosts are compared: without case, the root's
 * dot and the ports that browsers leave out.
 */
export function hostKey(host: string | undefined): string {
  return (host ?? "")
    .toLowerCase()
    .replace(/:(80|443)$/, "")
    .replace(/\.$/, "");
}

/** Tells whether two name the same host. */
export function isSameHost(one: string | undefined, other: string | undefined): boolean {
  return hostKey(one) === hostKey(other);
}
