/** Facts of a service from which the product derives topics, roles, keys, processes and loops. */
interface ServiceDeclaration {
  /** Its folder under `apps/`, its image and the name of its processes. */
  readonly app: string;
  /** True if it has a database schema, of the service's name, with a role `postroom_<name>`. */
  readonly database: boolean;
  /** True if it keeps counters (`libs/operations`, volumes) that the analytics summary gathers. */
  readonly volumes: boolean;
  /** True if it hands its audit records to the gateway, which seals them. */
  readonly forwardsAudit: boolean;
}

/**
 * The services of the product, each with a request topic. A new one is an entry here; what it is
 * missing then is a compile error, or a failing spec that names the file.
 */
export const services = {
  access: { app: 'gateway', database: true, volumes: true, forwardsAudit: false },
  mail: { app: 'mail', database: true, volumes: true, forwardsAudit: true },
  directory: { app: 'directory', database: true, volumes: true, forwardsAudit: true },
  scheduling: {
    app: 'scheduling',
    database: true,
    volumes: true,
    forwardsAudit: true,
  },
  webhooks: {
    app: 'webhook-dispatcher',
    database: true,
    volumes: false,
    forwardsAudit: true,
  },
  mcp: { app: 'mcp', database: false, volumes: false, forwardsAudit: false },
} as const satisfies Record<string, ServiceDeclaration>;

export type ServiceName = keyof typeof services;
export type AppName = (typeof services)[ServiceName]['app'];

/** A service that has a database. */
export type StoringServiceName = WithDatabase<ServiceName>;

type WithDatabase<N extends ServiceName> = N extends ServiceName
  ? (typeof services)[N]['database'] extends true
    ? N
    : never
  : never;

/** The schemas of the database: those of services, and the one of large bodies in transit. */
export type SchemaName = StoringServiceName | 'blobs';

export const serviceNames = Object.keys(services) as ServiceName[];

/** The gateway, which signs callers for the others. */
export const gatewayService = 'access' satisfies ServiceName;

const isWithDatabase = (name: ServiceName): name is StoringServiceName => services[name].database;

/** The services that have a database. */
export const storingServiceNames: readonly StoringServiceName[] =
  serviceNames.filter(isWithDatabase);

export const schemaNames: readonly SchemaName[] = [...storingServiceNames, 'blobs'];

/** A record with a value for each of some names. */
export const recordOf = <N extends string, T>(
  names: readonly N[],
  valueOf: (name: N) => T,
): Record<N, T> => Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<N, T>;

/** First part of the environment variables that are about a service or schema: `MAIL` of `mail`. */
export const variablePrefix = (name: ServiceName | SchemaName): string =>
  name.replaceAll('-', '_').toUpperCase();

/** The user that an app signs in to the brokers as, unless it is told another name. */
export const busUser = (app: string, prefix = 'postroom'): string => `${prefix}-${app}`;
