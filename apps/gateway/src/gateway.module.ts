import { Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import type { ServiceName } from '@postroom/contracts';
import { table, type BlobStore } from '@postroom/contracts';
import type { CallerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { OperationClient, UnitOfWork } from '@postroom/operations';
import { Database, PageTokens } from '@postroom/persistence';
import { Health, Metrics, type Log } from '@postroom/service';
import { AnalyticsHandlers, VolumeShares } from './analytics/index.js';
import { AuditBacklogs, AuditChain, AuditHandlers, auditPageKey } from './audit/index.js';
import {
  ApiKeyStrategy,
  Authorizations,
  InvitationStrategy,
  KeyAuthentication,
  MemberAuthentication,
  SessionStrategy,
  SignInAttempts,
  SignInStrategy,
  WorkspaceDomains,
} from './authentication/index.js';
import { StreamedBodies, type ParseJson } from './bodies/index.js';
import { GatewayConfig } from './config.js';
import {
  controllersOf,
  DocumentsController,
  Edge,
  Inputs,
  LastUse,
  MemberReferences,
  ProbesController,
  RefusalLog,
  throttlerOptions,
  UnknownPublicRouteController,
  UnknownSettingsRouteController,
  parseJsonToken,
} from './http/index.js';
import { MailImports } from './imports/index.js';
import { KeysHandlers, MailboxGrants } from './keys/index.js';
import { MembersHandlers } from './members/index.js';
import { SendSwitchHandlers } from './send-switch/index.js';
import { SessionHandlers } from './session/index.js';
import { TeamsHandlers } from './teams/index.js';

/** What the process gives the gateway: the rest it makes itself. */
export interface GatewayParts {
  readonly config: GatewayConfig;
  readonly database: Database;
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly callerKeys: Readonly<Record<ServiceName, CallerKey>>;
  readonly parseJson: ParseJson;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Of the operations that it owns. */
const handlers = [
  AnalyticsHandlers,
  AuditHandlers,
  KeysHandlers,
  MembersHandlers,
  SendSwitchHandlers,
  SessionHandlers,
  TeamsHandlers,
];

@Module({})
export class GatewayModule {
  static from(parts: GatewayParts): DynamicModule {
    const { config, database, bus, blobs, callerKeys, parseJson, log, health, metrics } = parts;
    const work = new UnitOfWork(database);
    return {
      module: GatewayModule,
      imports: [ThrottlerModule.forRoot(throttlerOptions(config))],
      controllers: [
        ...controllersOf(table),
        DocumentsController,
        ProbesController,
        ...handlers,
        // Last: their wildcards take what no other route took.
        UnknownPublicRouteController,
        UnknownSettingsRouteController,
      ],
      providers: [
        ApiKeyStrategy,
        AuditBacklogs,
        Authorizations,
        Edge,
        Inputs,
        InvitationStrategy,
        KeyAuthentication,
        MailboxGrants,
        MailImports,
        MemberAuthentication,
        SessionStrategy,
        SignInAttempts,
        SignInStrategy,
        VolumeShares,
        { provide: StreamedBodies, useValue: new StreamedBodies(blobs, log) },
        { provide: AuditChain, useValue: new AuditChain(config.auditKey) },
        { provide: Database, useValue: database },
        { provide: GatewayConfig, useValue: config },
        { provide: Health, useValue: health },
        { provide: LastUse, useValue: new LastUse(work) },
        { provide: MemberReferences, useValue: new MemberReferences(work) },
        { provide: Metrics, useValue: metrics },
        { provide: OperationClient, useValue: new OperationClient(bus, callerKeys) },
        { provide: PageTokens, useValue: new PageTokens([auditPageKey(config.auditKey)]) },
        { provide: RefusalLog, useValue: new RefusalLog(log, work) },
        { provide: WorkspaceDomains, useValue: new WorkspaceDomains(config.workspaceDomains) },
        { provide: parseJsonToken, useValue: parseJson },
      ],
    };
  }
}
