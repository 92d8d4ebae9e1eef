/**
 * The schema of the Helm chart's values. Settings of the facilitator and of the gateway's file are those of
 * the code, so that Helm refuses before an installation what the program would refuse at its start.
 */
import { settings, type Setting } from "@farthing/facilitator";
import { publishedSchema } from "@farthing/gateway";
import type { JsonObject } from "@farthing/protocol";

/** What the chart itself sets, by the value that decides about it. */
const chartSettings: Readonly<Record<string, string>> = {
  FARTHING_HOST: "set by the chart",
  FARTHING_PORT: "set by the chart",
  FARTHING_METRICS_HOST: "set by the chart",
  FARTHING_METRICS_PORT: "set by the chart",
  FARTHING_TRUSTED_PROXIES: "set by trustedProxies",
};

/** The members of the gateway's file that the chart writes. */
const chartMembers = ["version", "listen", "store", "trustedProxies"];

const object = (
  properties: JsonObject,
  { required = [], ...more }: { required?: string[]; description?: string } = {},
): JsonObject => ({ type: "object", additionalProperties: false, ...more, required, properties });
const text = { type: "string" };
const name = { type: "string", minLength: 1 };
const flag = { type: "boolean" };
const port = { type: "integer", minimum: 1, maximum: 65_535 };
const listOf = (items: JsonObject): JsonObject => ({ type: "array", items });
/** What Kubernetes itself checks. */
const ofKubernetes = { type: "object" };
const listOfKubernetes = listOf(ofKubernetes);
const texts = { type: "object", additionalProperties: text };
/** A setting in YAML: what looks like a number is one. */
const scalar = { type: ["string", "number"] };

/** A name that can be a key of a Secret and a variable; the program takes `NAME_FILE` for it. */
const secretNames = listOf({ type: "string", pattern: "^[A-Z][A-Z0-9_]*$" });

const settingRows: [string, Setting][] = Object.entries(settings);

/** A value that nobody gives: Helm prints the text as what the value must be. */
const never = (reason: string): JsonObject => ({ const: reason });

function settingsSchema(isOfChart: boolean): JsonObject {
  const entries = settingRows.map(([setting, { shape, isSecret }]) => {
    const reason = isOfChart ? chartSettings[setting] : undefined;
    if (isSecret) return [setting, never("a key of the Secret, named in `secrets`, and not here")];
    return [setting, reason ? never(reason) : { ...scalar, description: shape }];
  });
  return object(Object.fromEntries(entries));
}

function gatewaySchema(): JsonObject {
  const { $schema: _, required, properties, ...schema } = JSON.parse(publishedSchema());
  const isOfFile = (member: string) => !chartMembers.includes(member) && member !== "facilitator";
  return {
    ...schema,
    // Nothing is required of a gateway that does not run.
    anyOf: [{ maxProperties: 0 }, { required: required.filter(isOfFile) }],
    properties: {
      ...properties,
      ...Object.fromEntries(chartMembers.map((member) => [member, never("set by the chart")])),
    },
  };
}

const ingress = object({ host: text, className: text, annotations: texts, tlsSecret: text });

const files = { volumes: listOfKubernetes, volumeMounts: listOfKubernetes };

const facilitator = object({
  enabled: flag,
  replicas: { type: "integer", minimum: 0 },
  settings: settingsSchema(true),
  secrets: secretNames,
  resources: ofKubernetes,
  upgradeCheck: flag,
  ...files,
  ingress,
});

const gateway = object({
  enabled: flag,
  config: gatewaySchema(),
  settings: settingsSchema(false),
  secrets: secretNames,
  storage: object({ size: name, className: text }),
  resources: ofKubernetes,
  ...files,
  ingress,
});

const forwardAuthorization = object({
  via: { enum: ["", "nginx", "traefik"] },
  service: object({ name: text, port }),
  nginx: object({
    image: name,
    replicas: { type: "integer", minimum: 0 },
    resources: ofKubernetes,
    ingress,
  }),
  traefik: object({ host: text, entryPoints: listOf(name), tlsSecret: text }),
});

/** The schema, as the file of the chart has it. */
export function chartValuesSchema(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...object({
      // Helm's own.
      global: ofKubernetes,
      image: object({ repository: name, tag: text, pullPolicy: name }),
      imagePullSecrets: listOfKubernetes,
      secret: object({ name: text, values: texts }),
      serviceAccount: object({ annotations: texts }),
      trustedProxies: listOf(name),
      facilitator,
      gateway,
      forwardAuthorization,
      networkPolicy: object({
        enabled: flag,
        callers: listOfKubernetes,
        metrics: listOfKubernetes,
        postgresql: object({ port, to: listOfKubernetes }),
        api: listOfKubernetes,
        egress: listOfKubernetes,
      }),
      monitoring: object({ serviceMonitor: flag, rules: flag, labels: texts }),
    }),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
