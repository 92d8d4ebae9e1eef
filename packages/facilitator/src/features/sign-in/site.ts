/** The address at which browsers reach the service. */

/** The public address of the service. */
export interface Site {
  /** `https://pay.example` */
  readonly origin: string;
  /** Host, and port where it is not the default one. */
  readonly host: string;
}

/** The site, which learns its port when the service listens. */
export interface SiteAddress {
  site(): Site;
  /** Takes the port of `http://127.0.0.1:8402`, which counts where no public address is configured. */
  listensAt(url: string): void;
}

/** Creates the address from the configuration, never from a request. */
export function createSiteAddress(config: {
  readonly publicUrl: string | undefined;
  readonly port: number;
}): SiteAddress {
  let port = `${config.port}`;
  return {
    site() {
      const origin = config.publicUrl ?? `http://127.0.0.1:${port}`;
      return { origin, host: new URL(origin).host };
    },
    listensAt(url) {
      ({ port } = new URL(url));
    },
  };
}
