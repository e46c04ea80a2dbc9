import { mcp, mountPoints } from '@postroom/contracts';

const wellKnown = '/.well-known/oauth-protected-resource';

/** The path of the tools that access tokens are for. */
export const mcpPath = mountPoints.key + mcp.latest.path;

/** Paths of OAuth 2.1 (`decisions.md` §12). */
export const oauthPaths = {
  /** For clients that do not add the resource's path (RFC 9728 §3.1). */
  resource: wellKnown,
  resourceOfMcp: wellKnown + mcpPath,
  server: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

/** The header of a 401 of the tools: where a client finds out how to sign in (RFC 9728 §5.1). */
export const bearerOf = (publicUrl: string): Readonly<Record<string, string>> => ({
  'www-authenticate': `Bearer resource_metadata="${new URL(oauthPaths.resourceOfMcp, publicUrl).href}"`,
});
