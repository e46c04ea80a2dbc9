import {
  gatewayService,
  serviceNames,
  variablePrefix,
  type ServiceName,
} from '@postroom/contracts';
import { ServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';
import { rates } from './limits.js';

type Other = Exclude<ServiceName, typeof gatewayService>;

const others = serviceNames.filter((name): name is Other => name !== gatewayService);

/** The gateway's configuration, from its environment. */
export class GatewayConfig extends ServiceConfig {
  @setting.text('HOST', 'Address the gateway listens on.', { default: '127.0.0.1' })
  host!: string;

  @setting.port('PORT', 'Port of the API.', { default: 3000 })
  port!: number;

  @setting.url('PUBLIC_URL', 'How the deployment is reached from outside.', {
    protocols: ['http:', 'https:'],
  })
  publicUrl!: string;

  @setting.text('WORKSPACE_DOMAINS', 'Host names of workspaces: `host=workspace,…`.', {
    nullable: true,
  })
  workspaceDomains!: string | null;

  @setting.list(
    'MCP_ALLOWED_ORIGINS',
    'Origins of pages that may ask the agents’ tools from a browser, as the service `mcp` has them.',
    { default: [] },
  )
  mcpAllowedOrigins!: readonly string[];

  @setting.networks(
    'OIDC_ALLOWED_CIDRS',
    'Addresses of sign-in providers, and of assistants’ metadata documents, that may be asked though they are not public, without TLS too.',
    { nullable: true },
  )
  oidcAllowedCidrs!: readonly string[] | null;

  @setting.list(
    'OUTBOUND_DNS_SERVERS',
    'Name servers for hosts that customers name, instead of the system’s.',
    { nullable: true },
  )
  outboundDnsServers!: readonly string[] | null;

  @setting.networks('TRUSTED_PROXIES', 'Proxies whose `X-Forwarded-For` names the client.', {
    default: [],
  })
  trustedProxies!: readonly string[];

  @setting.integer('RATE_LIMIT_PER_MINUTE', 'Requests a minute and key.', {
    default: rates.requests.perMinute,
    min: 1,
    max: 1_000_000,
  })
  rateLimitPerMinute!: number;

  @setting.integer('SEND_RATE_LIMIT_PER_MINUTE', 'Sends a minute and key.', {
    default: rates.sends.perMinute,
    min: 1,
    max: 1_000_000,
  })
  sendRateLimitPerMinute!: number;

  @setting.integer('MEMBER_RATE_LIMIT_PER_MINUTE', 'Requests of settings a minute and member.', {
    default: rates.memberRequests.perMinute,
    min: 1,
    max: 1_000_000,
  })
  memberRateLimitPerMinute!: number;

  @setting.integer('CONNECTIONS_MAX', 'Connections at once; more are closed as they come.', {
    default: 2_000,
    min: 10,
    max: 100_000,
  })
  connectionsMax!: number;

  @setting.integer('APPROVAL_TTL_MS', 'How long a write of an agent waits for a decision.', {
    default: 72 * 3_600_000,
    min: 1_000,
    max: 90 * 24 * 3_600_000,
  })
  approvalTtlMs!: number;

  @setting.integer('QUOTA_KEYS', 'API keys of a workspace that are not revoked.', {
    default: 1_000,
    min: 1,
    max: 10_000,
  })
  quotaKeys!: number;

  @setting.integer('QUOTA_MEMBERS', 'Members of a workspace.', {
    default: 1_000,
    min: 1,
    max: 10_000,
  })
  quotaMembers!: number;

  @setting.secrets(
    'AUDIT_KEY',
    'Key that seals the audit; once it was changed all of them, `new,old`: the first seals, all verify.',
  )
  auditKey!: string;

  /** By service; its own is `callerKey`. */
  @setting.each(others, (name) =>
    setting.secret(
      `${variablePrefix(name)}_CALLER_KEY`,
      `Key that signs callers for the service \`${name}\`, as its own CALLER_KEY.`,
    ),
  )
  callerKeys!: Readonly<Record<Other, string>>;
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
