import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { newEventKey, publicEventKey } from '@postroom/access';
import { type AppName, storingServiceNames, variablePrefix } from '@postroom/contracts';
import { parse } from 'yaml';

/** A database role, and the key of the chart's secret that has its password. */
interface Role {
  readonly role: string;
  readonly password: string;
}

type Databases = Readonly<Record<string, Role>>;

const registryFile = 'k8s/files/services.yaml';

/** The environment of an app's process, as the chart has it (k8s/files/services.yaml). */
interface Needs {
  readonly ports: Readonly<Record<string, number>>;
  readonly databases: Databases;
  readonly secrets: Readonly<Record<string, string>>;
}

interface Registry {
  readonly apps: Readonly<Record<AppName, Needs>>;
  readonly migration: { readonly passwords: readonly string[] };
  readonly commands: { readonly databases: Databases };
}

const here = fileURLToPath(new URL('../../../../', import.meta.url));

/** A checkout of the product, built: its programs, and what its chart gives them. */
export class Release {
  private readonly registry: Registry;

  /** @param folder of the checkout; by default the one that the suite is of */
  constructor(private readonly folder = here) {
    this.registry = parse(readFileSync(join(folder, registryFile), 'utf8')) as Registry;
  }

  get apps(): readonly AppName[] {
    return Object.keys(this.registry.apps) as AppName[];
  }

  /** The compiled file of an app. */
  program(app: AppName | 'postroom', file = 'main.js'): string {
    return join(this.folder, 'apps', app, 'dist', file);
  }

  /** The variables of the ports that an app listens on, beside that of its probes. */
  portsOf(app: AppName): readonly string[] {
    return Object.keys(this.registry.apps[app].ports);
  }

  /** Secrets and database URLs of a process. */
  environmentOf(app: AppName, secrets: Secrets, adminUrl: string): Record<string, string> {
    const { databases, secrets: keys } = this.registry.apps[app];
    return {
      ...mapped(keys, (key) => secrets.of(key)),
      ...mapped(databases, (role) => urlOf(role, secrets, adminUrl)),
    };
  }

  /** The same of the job `prepare`, and of the operator's commands. */
  environmentOfOperator(secrets: Secrets, adminUrl: string): Record<string, string> {
    const { migration, commands } = this.registry;
    return {
      DATABASE_URL: adminUrl,
      SECRETS_KEYS: secrets.of('SECRETS_KEYS'),
      ...Object.fromEntries(migration.passwords.map((name) => [name, secrets.of(name)])),
      ...mapped(commands.databases, (role) => urlOf(role, secrets, adminUrl)),
    };
  }
}

/** The secrets of an installation, each made when it is first asked for. */
export class Secrets {
  private readonly made = new Map<string, string>();

  /** @param name a key of the chart's secret */
  of(name: string): string {
    const known = this.made.get(name) ?? this.make(name);
    this.made.set(name, known);
    return known;
  }

  private make(name: string): string {
    if (name === 'EVENT_PUBLIC_KEYS') {
      const publicKey = (key: string): string => publicEventKey(this.of(key));
      return storingServiceNames
        .map((service) => `${service}:${publicKey(`${variablePrefix(service)}_EVENT_KEY`)}`)
        .join(',');
    }
    if (name.endsWith('_EVENT_KEY')) return newEventKey();
    if (name.endsWith('_PASSWORD')) return randomBytes(24).toString('hex');
    const key = randomBytes(32).toString('base64');
    return name === 'SECRETS_KEYS' ? `k1:${key}` : key;
  }
}

const mapped = <T>(
  values: Readonly<Record<string, T>>,
  valueOf: (value: T) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueOf(value)]));

function urlOf({ role, password }: Role, secrets: Secrets, adminUrl: string): string {
  const url = new URL(adminUrl);
  url.username = role;
  url.password = secrets.of(password);
  return url.href;
}
