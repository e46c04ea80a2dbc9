import type { SealedColumn } from '@postroom/access';
import {
  gatewayService as accessName,
  serviceNames,
  type ServiceName,
  type StoringServiceName,
} from '@postroom/contracts';
import { directoryService } from '@postroom/directory';
import { gatewayService } from '@postroom/gateway';
import { SetupError } from '@postroom/service/setup-error';
import { mailService } from '@postroom/mail';
import { mcpService } from '@postroom/mcp';
import type {
  BusServiceConfig,
  ProcessParts,
  Service,
  StatelessServiceDefinition,
} from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { schedulingService } from '@postroom/scheduling';
import { faultsOf, loadConfig, type ConfigFault } from '@postroom/service';
import { webhooksService } from '@postroom/webhook-dispatcher';
import { publicUrlOf, type PostroomConfig } from './config.js';
import type { Installation } from './installation.js';
import type { Outbox } from './outbox.js';

/** The facts that an installation that starts itself has when it starts its services. */
export interface Facts {
  readonly config: PostroomConfig;
  readonly installation: Installation;
  readonly outbox: Outbox;
}

/** A port that a service listens on, and that users are told of. */
export interface PublicPort {
  /** The environment variable that sets it. */
  readonly variable: string;
  /** Null where the operator wants none. */
  readonly of: (config: PostroomConfig) => number | null;
  /** The entry of `demo.json` for a process that listens there. */
  readonly told: (host: string, port: number) => object;
}

interface Choices {
  /** Its main program, as a package's export. */
  readonly program: string;
  /** Settings that this installation decides, beside those that every service has. */
  readonly environment?: (facts: Facts) => NodeJS.ProcessEnv;
  readonly ports?: readonly PublicPort[];
}

/** A service as an installation that starts itself runs it, in this process or as its own. */
export interface InstalledService extends Required<Choices> {
  /** Null of a service without a database. */
  readonly schema: ServiceSchema<StoringServiceName> | null;
  readonly create: (env: NodeJS.ProcessEnv, parts: ProcessParts) => Promise<Service>;
  /** The encrypted columns of its schema. */
  readonly sealed: readonly SealedColumn[];
  readonly configFaults: (env: NodeJS.ProcessEnv) => readonly ConfigFault[];
  /** Its settings, for the documentation. */
  readonly config: new () => object;
}

interface Definition<C extends BusServiceConfig> extends StatelessServiceDefinition<C> {
  readonly schema?: ServiceSchema<ServiceName>;
  readonly sealed?: readonly SealedColumn[];
}

const install = <C extends BusServiceConfig>(
  { schema, sealed = [], config, create }: Definition<C>,
  { program, environment = () => ({}), ports = [] }: Choices,
): InstalledService => ({
  schema: (schema ?? null) as ServiceSchema<StoringServiceName> | null,
  sealed,
  config,
  program,
  environment,
  ports,
  create: (env, parts) => create(loadConfig(config, env), parts),
  configFaults: (env) => faultsOf(config, env),
});

/** Nothing of an installation that starts itself is reached from elsewhere (`decisions.md` §10). */
const loopback = '127.0.0.1';

/** Every service of the product. */
export const installed: Readonly<Record<ServiceName, InstalledService>> = {
  access: install(gatewayService, {
    program: '@postroom/gateway/main',
    environment: ({ config, installation }) => ({
      // Some shells export it, as the machine's name.
      HOST: loopback,
      PORT: String(config.port),
      PUBLIC_URL: publicUrlOf(config),
      AUDIT_KEY: config.auditKey ?? installation.auditKey,
    }),
    ports: [
      {
        variable: 'PORT',
        of: ({ port }) => port,
        told: (host, port) => ({ baseUrl: `http://${host}:${port}/public` }),
      },
    ],
  }),
  mail: install(mailService, {
    program: '@postroom/mail/main',
    environment: ({ config, outbox }) => ({
      SMTP_HOST: loopback,
      PUBLIC_URL: publicUrlOf(config),
      MAIL_SERVER_ALLOWED_CIDRS: config.mailServerAllowedCidrs.join(','),
      OUTGOING_SMTP_URL: outbox.smtpUrl,
      OUTGOING_OUTBOX_DIR: outbox.folder ?? '',
    }),
    ports: [
      {
        variable: 'SMTP_PORT',
        of: ({ smtpPort }) => smtpPort,
        told: (host, port) => ({ smtp: { host, port } }),
      },
      {
        variable: 'LMTP_PORT',
        of: ({ lmtpPort }) => lmtpPort,
        told: (host, port) => ({ lmtp: { host, port } }),
      },
    ],
  }),
  directory: install(directoryService, { program: '@postroom/directory/main' }),
  scheduling: install(schedulingService, { program: '@postroom/scheduling/main' }),
  webhooks: install(webhooksService, { program: '@postroom/webhook-dispatcher/main' }),
  mcp: install(mcpService, {
    program: '@postroom/mcp/main',
    environment: ({ config }) => ({ PUBLIC_URL: publicUrlOf(config) }),
  }),
};

/** The gateway comes last, and is stopped first: it asks the others until then. */
export const startOrder: readonly ServiceName[] = [
  ...serviceNames.filter((name) => name !== accessName),
  accessName,
];

/** The error for a port in use: it names the setting that changes the port. */
export const portInUse = (variable: string, port: number, cause: unknown): SetupError =>
  new SetupError(`Port ${port} is in use. Stop what uses it, or choose another with ${variable}.`, {
    cause,
  });

/** The `code` of a system error (`EADDRINUSE`). */
export const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** The `port` of a system error: the one that could not be bound. */
export const portOf = (error: unknown): number | undefined =>
  error instanceof Error && 'port' in error ? Number(error.port) : undefined;
