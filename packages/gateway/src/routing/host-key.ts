/** Returns the form in which hosts are compared: without case, the root's dot and default ports. */
export function hostKey(host: string | undefined): string {
  return (host ?? "")
    .toLowerCase()
    .replace(/:(80|443)$/, "")
    .replace(/\.$/, "");
}

export function isSameHost(one: string | undefined, other: string | undefined): boolean {
  return hostKey(one) === hostKey(other);
}
