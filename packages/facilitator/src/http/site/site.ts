/** The address at which browsers reach the service. */

export interface Site {
  /** `https://pay.example` */
  readonly origin: string;
  /** Host, and port where it is not the default one. */
  readonly host: string;
  /** The address of the guides; undefined where none is configured. */
  readonly docsUrl: string | undefined;
}

/** Without a configured address it depends on the port that the service listens on. */
export type SiteAddress = ReturnType<typeof createSiteAddress>;

/** Takes the address from the configuration, never from a request. */
export function createSiteAddress(config: {
  readonly publicUrl: string | undefined;
  readonly docsUrl: string | undefined;
  readonly port: number;
}) {
  let port = `${config.port}`;
  return {
    site(): Site {
      const origin = config.publicUrl ?? `http://127.0.0.1:${port}`;
      return { origin, host: new URL(origin).host, docsUrl: config.docsUrl };
    },
    /** Sets the address, such as `http://127.0.0.1:8402`, unless a public one is configured. */
    listensAt(url: string) {
      ({ port } = new URL(url));
    },
  };
}
