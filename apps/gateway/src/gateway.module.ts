import { Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { gatewayService, mountedOperations } from '@postroom/contracts';
import { readCallerKey } from '@postroom/access';
import { OperationClient, type CallerKeys, type Resources } from '@postroom/operations';
import { Health, Metrics } from '@postroom/service';
import {
  AgentsHandlers,
  approvalProviders,
  ApprovalsHandlers,
  FiledApprovalsHandlers,
} from './approvals/index.js';
import { AnalyticsHandlers, VolumeShares } from './analytics/index.js';
import { AuditBacklogs, AuditChain, AuditHandlers } from './audit/index.js';
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
import { AvailabilityHandlers } from './availability/index.js';
import { StreamedBodies, type ParseJson } from './bodies/index.js';
import {
  CalendarFeedsController,
  CalendarFeedsHandlers,
  FeedLookups,
  FeedOwners,
} from './calendar-feeds/index.js';
import { GatewayConfig } from './config.js';
import { CoveredEvents, EventsHandlers } from './feed/index.js';
import {
  AnonymousBodies,
  controllersOf,
  DocumentsController,
  OperationEndpoint,
  Inputs,
  LargeAnswers,
  LastUse,
  ProbesController,
  RefusalLog,
  throttlerOptions,
  UnknownPublicRouteController,
  UnknownSettingsRouteController,
  parseJsonToken,
} from './http/index.js';
import { EntryImports, MailImports } from './imports/index.js';
import { MemberReferences, ServiceCalls } from './calls/index.js';
import { SharedWindow } from './limits/index.js';
import { InvokeHandlers, Invoker, ToolAudit } from './invocation/index.js';
import { KeysHandlers, MailboxGrants } from './keys/index.js';
import { MeHandlers, RefusedWrites } from './me/index.js';
import { MembersHandlers } from './members/index.js';
import { ReadModelsHandlers } from './read-models/index.js';
import { SenderContactsHandlers } from './sender-contacts/index.js';
import { SendSwitchHandlers } from './send-switch/index.js';
import { SessionHandlers, SessionsHandlers } from './session/index.js';
import { StreamController, StreamReader, Streams } from './stream/index.js';
import { TeamsHandlers } from './teams/index.js';
import { WorkspaceQuotas } from './quotas/index.js';
import { WorkspaceHandlers } from './workspace/index.js';

/** What the gateway is made of, beside what every service has. */
interface GatewayParts extends Resources<GatewayConfig> {
  readonly parseJson: ParseJson;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** Of the operations that it owns. */
const handlers = [
  AgentsHandlers,
  AnalyticsHandlers,
  ApprovalsHandlers,
  AuditHandlers,
  EventsHandlers,
  FiledApprovalsHandlers,
  InvokeHandlers,
  KeysHandlers,
  MeHandlers,
  MembersHandlers,
  SendSwitchHandlers,
  SessionHandlers,
  SessionsHandlers,
  TeamsHandlers,
  AvailabilityHandlers,
  CalendarFeedsHandlers,
  ReadModelsHandlers,
  SenderContactsHandlers,
  WorkspaceHandlers,
];

/** What Nest makes by itself. */
const features = [
  ...approvalProviders,
  AnonymousBodies,
  ApiKeyStrategy,
  AuditBacklogs,
  Authorizations,
  CoveredEvents,
  FeedLookups,
  FeedOwners,
  OperationEndpoint,
  Inputs,
  InvitationStrategy,
  Invoker,
  KeyAuthentication,
  MailboxGrants,
  MailImports,
  EntryImports,
  MemberAuthentication,
  RefusedWrites,
  ServiceCalls,
  SessionStrategy,
  SignInAttempts,
  SignInStrategy,
  StreamReader,
  Streams,
  ToolAudit,
  VolumeShares,
  WorkspaceQuotas,
];

@Module({})
export class GatewayModule {
  static from(parts: GatewayParts): DynamicModule {
    const { config, bus, blobs, work, parseJson, log, health, metrics } = parts;
    const window = new SharedWindow();
    return {
      module: GatewayModule,
      imports: [ThrottlerModule.forRoot(throttlerOptions(config, window))],
      controllers: [
        ...controllersOf(mountedOperations),
        DocumentsController,
        ProbesController,
        StreamController,
        CalendarFeedsController,
        ...handlers,
        // Last: their wildcards take what no other route took.
        UnknownPublicRouteController,
        UnknownSettingsRouteController,
      ],
      providers: [
        ...features,
        { provide: StreamedBodies, useValue: new StreamedBodies(blobs, log) },
        { provide: AuditChain, useValue: new AuditChain(config.auditKey) },
        { provide: Health, useValue: health },
        { provide: LargeAnswers, useValue: new LargeAnswers(blobs, log) },
        { provide: LastUse, useValue: new LastUse(work) },
        { provide: MemberReferences, useValue: new MemberReferences(work) },
        { provide: Metrics, useValue: metrics },
        { provide: OperationClient, useValue: new OperationClient(bus, callerKeysOf(parts)) },
        { provide: RefusalLog, useValue: new RefusalLog(log, work) },
        { provide: SharedWindow, useValue: window },
        { provide: WorkspaceDomains, useValue: new WorkspaceDomains(config.workspaceDomains) },
        { provide: parseJsonToken, useValue: parseJson },
      ],
    };
  }
}

/** The gateway signs callers for each service with that service's key. */
const callerKeysOf = ({ config, callerKey: own }: Resources<GatewayConfig>): CallerKeys => ({
  ...keysOfServices(config),
  [gatewayService]: own,
});

/** The keys of the other services. */
export const keysOfServices = ({ callerKeys }: GatewayConfig): CallerKeys =>
  Object.fromEntries(Object.entries(callerKeys).map(([name, key]) => [name, readCallerKey(key)]));
