/** The OpenAPI 3.1 description, made from the schemas of the routes: /openapi.json and /docs. */
import { isObject } from "@farthing/protocol";
import swagger from "@fastify/swagger";
import type { FastifyInstance, FastifySchema } from "fastify";
import { addExamples } from "./examples.ts";
import { registerApiReference } from "./api-reference.ts";
import type { ReferenceSurface } from "./reference-documents.ts";
import { rolesWith, type Permission } from "../access/permissions.ts";
import { sessionCookie } from "../access/session.ts";
import { Problem, problemsOnly } from "../messages/schemas.ts";

const about = [
  "An x402 payment facilitator for USDC on XDC.",
  "",
  "`/verify`, `/settle` and `/supported` speak x402 and are described here, not checked by these schemas: a payment that can be evaluated is answered with HTTP 200, and a repeat of `/settle` that belongs to another exchange with HTTP 409. The account API under `/v1/account` belongs to the dashboard; its session is a cookie, and requests that change something must carry our own `Origin`.",
].join("\n");

export interface Tag {
  readonly name: string;
  readonly description: string;
}

const ownTags: readonly Tag[] = [
  { name: "Payments", description: "Verify and settle payments, and read what became of them" },
  { name: "Service", description: "Health and status" },
];

/** The published order of the features' sections; those of further features follow. */
const tagOrder = [
  "Sign-in",
  "Account",
  "Wallets",
  "API keys",
  "Credits",
  "Settlements",
  "Webhooks",
  "Listings",
  "Discovery",
];

function inOrder(tags: readonly Tag[]): Tag[] {
  const known = tagOrder.flatMap((name) => tags.find((tag) => tag.name === name) ?? []);
  return [...ownTags, ...known, ...tags.filter(({ name }) => !tagOrder.includes(name))];
}

/** Prepares a server whose routes are described. Must be called before they are added. */
export async function describeRoutes(
  server: FastifyInstance,
  {
    version,
    tags,
    surfaces,
    docsUrl,
  }: {
    readonly version: string;
    readonly tags: readonly Tag[];
    readonly surfaces: readonly ReferenceSurface[];
    readonly docsUrl: string | undefined;
  },
): Promise<void> {
  server.addSchema(Problem);
  // Response schemas only describe; a serializer made from them would drop other members.
  server.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  await server.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Farthing", version, description: about, license: { name: "Apache-2.0" } },
      servers: [{ url: "/" }],
      tags: inOrder(tags),
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description: "A seller's API key: `Authorization: Bearer fk_…`",
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: sessionCookie,
            description: "The session of the dashboard",
          },
        },
      },
    },
    // Once, when the document is first asked for.
    transformObject: (given) => {
      const document = "openapiObject" in given ? given.openapiObject : given.swaggerObject;
      addExamples(document);
      return document;
    },
    // Routes without a section, such as pages and their files, are not part of the API.
    hideUntagged: true,
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, index) =>
        typeof $id === "string" ? $id : `schema-${index}`,
    },
    transform: ({ schema, url, route: { config } }) => ({
      schema: completed(schema ?? {}, { url, permission: config?.permission }),
      url,
    }),
  });
  registerApiReference(server, { surfaces, docsUrl });
  server.get("/openapi.json", async (_, reply) => {
    reply.header("Cache-Control", "public, max-age=60");
    return server.swagger();
  });
}

/** Adds what all routes share to a route's schema. */
function completed(
  schema: FastifySchema,
  { url, permission }: { readonly url: string; readonly permission: Permission | undefined },
): FastifySchema {
  // Routes under /v1/account need a session unless their schema says otherwise.
  const needsSession = url.startsWith("/v1/account") && schema.security === undefined;
  const response = isObject(schema.response) ? schema.response : {};
  return {
    ...schema,
    ...(permission === undefined ? {} : { description: withRoles(schema, permission) }),
    ...(needsSession ? { security: [{ session: [] }] } : {}),
    response: {
      // Any route may respond with 503 during a shutdown.
      ...problemsOnly("service_unavailable"),
      ...(schema.body === undefined
        ? {}
        : problemsOnly("request_too_large", "unsupported_media_type")),
      ...Object.fromEntries(
        Object.entries(response).map(([status, answer]) => [
          status,
          isObject(answer) ? { description: "Success", ...answer } : answer,
        ]),
      ),
    },
  };
}

/** Ends a description with the roles that the operation is open to. */
function withRoles({ description }: FastifySchema, permission: Permission): string {
  const names = rolesWith(permission).map((role) => `\`${role}\``);
  const roles = `Roles of the session: ${names.join(", ")}.`;
  return description === undefined ? roles : `${description}\n\n${roles}`;
}

const acceptAnything = () => () => true;

/** Describes a route that has a parser of its own: its schema checks and changes nothing. */
export function described(schema: FastifySchema) {
  return { schema, validatorCompiler: acceptAnything };
}
