/**
 * The headers of a response that is passed on, as Node has them. `Headers` check and sort every
 * value, which for a small response takes longer than to pass it on.
 */
export class HeaderFields {
  /** By name in lower case. Several cookies are several headers; other values are joined. */
  readonly fields: Record<string, string | string[]>;

  constructor(fields: Record<string, string | string[]> = {}) {
    this.fields = fields;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.fields, name.toLowerCase());
  }

  /** Several values of a name are joined, as `Headers` join them. */
  get(name: string): string | null {
    const value = this.has(name) ? this.fields[name.toLowerCase()] : undefined;
    return value === undefined ? null : typeof value === "string" ? value : value.join(", ");
  }

  set(name: string, value: string): void {
    this.fields[name.toLowerCase()] = value;
  }

  append(name: string, value: string): void {
    const known = name.toLowerCase();
    // Own properties alone: a header may be called like a method of every object.
    const before = this.has(known) ? this.fields[known] : undefined;
    if (known === "set-cookie") this.fields[known] = [before ?? [], value].flat();
    else this.set(known, before === undefined ? value : `${String(before)}, ${value}`);
  }

  delete(name: string): void {
    // Node reads an object from which something was deleted more slowly.
    if (this.has(name)) delete this.fields[name.toLowerCase()];
  }

  keys(): Iterable<string> {
    return Object.keys(this.fields);
  }

  /** As `Headers` and responses take them. */
  pairs(): [string, string][] {
    return Object.entries(this.fields).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : value.map((one) => [name, one]),
    );
  }

  toHeaders(): Headers {
    return new Headers(this.pairs());
  }
}
