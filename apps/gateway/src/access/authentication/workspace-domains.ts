import { isLikeWorkspaceId } from '@postroom/contracts';
import { ConfigError, type ConfigFault } from '@postroom/service';

const fault = (pair: string): ConfigFault => ({
  variable: 'WORKSPACE_DOMAINS',
  found: `has ${JSON.stringify(pair)}`,
  allowed: 'host=workspace, several of them separated by commas',
});

/**
 * `WORKSPACE_DOMAINS` maps host names to workspaces. Such a host serves its workspace only; under any
 * other host name the credential alone decides.
 */
export class WorkspaceDomains {
  private readonly workspaceByHost: ReadonlyMap<string, string>;
  /** False where no host is mapped: every workspace may be reached then. */
  readonly isRestricted: boolean;

  /**
   * `host=workspace,…` by workspace name or id; host names without port.
   * @throws ConfigError
   */
  constructor(setting: string | null) {
    const pairs = (setting ?? '').split(',').filter((pair) => pair.trim() !== '');
    this.workspaceByHost = new Map(
      pairs.map((pair) => {
        const [host = '', workspace = ''] = pair.split('=').map((part) => part.trim());
        if (!host || !workspace) throw new ConfigError([fault(pair)]);
        return [nameOf(host), workspace];
      }),
    );
    this.isRestricted = pairs.length > 0;
  }

  /** The workspace that alone is reached under a host name, by name or id. */
  workspaceOf(host: string): string | undefined {
    return this.workspaceByHost.get(nameOf(host));
  }

  /** True if a workspace may be reached under this host name. */
  serves(host: string, tenant: { readonly id: string; readonly name: string }): boolean {
    const workspace = this.workspaceByHost.get(nameOf(host));
    if (workspace === undefined || workspace === tenant.id) return true;
    // A workspace that is named by the id of another is not that one.
    return !isLikeWorkspaceId(workspace) && workspace === tenant.name;
  }
}

/** Normalises a host name: lower case, without the final dot (RFC 1034 §3.1). */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.$/, '');
