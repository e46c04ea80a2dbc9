import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
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

const chartFile = 'k8s/files/services.yaml';

/** What a process of an app is told, by variable: as the chart has it (k8s/files/services.yaml). */
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
  readonly version: string;
  private readonly registry: Registry;

  /** @param folder of the checkout; by default the one that the suite is of */
  constructor(readonly folder = here) {
    const text = (file: string): string => readFileSync(join(folder, file), 'utf8');
    ({ version: this.version } = JSON.parse(text('package.json')) as { version: string });
    this.registry = existsSync(join(folder, chartFile))
      ? (parse(text(chartFile)) as Registry)
      : registryOfComposition(text('docker/compose.yaml'));
  }

  /** Whether its workspaces have domains, which a mailbox needs. */
  get hasDomains(): boolean {
    return this.version !== '0.1.0';
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

/** What containers of a composition are told: `postgres://role:${PASSWORD:?}@…`, and `${KEY:?}`. */
interface Composition {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string>> }>
  >;
}

/** The same of 0.1.0, which has no chart. Its apps and their ports are those of this version. */
function registryOfComposition(text: string): Registry {
  const { services } = parse(text) as Composition;
  const ours = parse(readFileSync(join(here, chartFile), 'utf8')) as Registry;
  const told = (name: string): [string, string][] =>
    Object.entries(services[name]?.environment ?? {});
  const databases = (name: string): Databases =>
    Object.fromEntries(
      told(name).flatMap(([variable, value]) => {
        const [, role, password] = /^postgres:\/\/(postroom_\w+):\$\{(\w+):\?\}@/.exec(value) ?? [];
        return role && password ? [[variable, { role, password }] as const] : [];
      }),
    );
  const secrets = (name: string): Record<string, string> =>
    Object.fromEntries(
      told(name).flatMap(([variable, value]) => {
        const [, key] = /^\$\{(\w+):\?\}$/.exec(value) ?? [];
        return key === undefined ? [] : [[variable, key] as const];
      }),
    );
  const apps = Object.entries(ours.apps).map(([app, { ports }]): [string, Needs] => [
    app,
    { ports, databases: databases(app), secrets: secrets(app) },
  ]);
  return {
    apps: Object.fromEntries(apps) as Registry['apps'],
    migration: { passwords: Object.keys(secrets('prepare')) },
    commands: { databases: databases('prepare') },
  };
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
