/** The operator's commands, as `farthing` and the gateway's embedded facilitator load them. */
import type { OperatorPackage } from "farthing/program";

const operator: OperatorPackage = {
  commands: {
    serve: () => import("./serve.ts"),
    doctor: () => import("./doctor.ts"),
    keys: () => import("./keys.ts"),
    accounts: () => import("./accounts.ts"),
    credits: () => import("./credits.ts"),
    listings: () => import("./listings.ts"),
    relayer: () => import("./relayer.ts"),
    backup: () => import("./backup.ts"),
    upgrade: () => import("./upgrade.ts"),
    recover: () => import("./recover.ts"),
    batcher: () => import("./batcher.ts"),
  },
  async startEmbedded(signal, settings) {
    const { readConfig, startFacilitator } = await import("@farthing/facilitator");
    const config = readConfig(settings && { env: settings });
    const options = { config, selfBuilt: true, listen: false, signal };
    const facilitator = await startFacilitator(options);
    const nodes = config.networks.flatMap(({ network, rpcUrls: [first] }) =>
      first ? [[network.id, first.expose()] as const] : [],
    );
    const networks = facilitator.checks.map(({ network }) => network);
    return { ...facilitator, networks, nodes: new Map<string, string>(nodes) };
  },
};

export default operator;
