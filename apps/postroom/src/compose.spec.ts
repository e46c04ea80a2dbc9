import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  gatewayService,
  schemaNames,
  serviceNames,
  services,
  variablePrefix,
} from '@postroom/contracts';
import { parse } from 'yaml';

interface Container {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

interface Composition {
  readonly services: Readonly<Record<string, Container>>;
}

const apps = serviceNames.map((name) => services[name].app);

const readFile = (name: string) =>
  readFileSync(new URL(`../../../docker/${name}`, import.meta.url), 'utf8');
const composition = parse(readFile('compose.yaml'), { merge: true }) as Composition;
const environmentOf = (app: string) => composition.services[app]?.environment ?? {};

describe('docker/compose.yaml', () => {
  it.each(serviceNames)('runs the service %s with all that every service needs', (name) => {
    const role = `postgres://postroom_${name}:\${${variablePrefix(name)}_DATABASE_PASSWORD:?}@`;
    const hasDatabase = schemaNames.some((schema) => schema === name);
    expect(environmentOf(services[name].app)).toMatchObject({
      ...(hasDatabase && {
        DATABASE_URL: expect.stringContaining(role),
        SECRETS_KEYS: '${SECRETS_KEYS:?}',
        EVENT_KEY: `\${${variablePrefix(name)}_EVENT_KEY:?}`,
        EVENT_PUBLIC_KEYS: '${EVENT_PUBLIC_KEYS:?}',
      }),
      BLOBS_DATABASE_URL: expect.any(String),
      KAFKA_BROKERS: expect.any(String),
      KAFKA_SASL_PASSWORD: `\${${variablePrefix(name)}_KAFKA_PASSWORD:-}`,
      CALLER_KEY: `\${${variablePrefix(name)}_CALLER_KEY:?}`,
    });
  });

  it.each(Object.keys(composition.services))(
    'leaves what settings.env may say of %s to it',
    (app) => {
      const decided = Object.entries(environmentOf(app)).filter(
        ([name, value]) => name !== 'KAFKA_BROKERS' && String(value).startsWith(`\${${name}:-`),
      );
      expect(decided).toEqual([]);
      expect(environmentOf(app)).not.toHaveProperty('PUBLIC_URL');
    },
  );

  it('gives the gateway the caller key of every other service', () => {
    const others = serviceNames.filter((name) => name !== gatewayService);
    const keys = others.map((name) => `${variablePrefix(name)}_CALLER_KEY`);
    expect(Object.keys(environmentOf(services[gatewayService].app))).toEqual(
      expect.arrayContaining(keys),
    );
  });

  it('gives the preparing job the password of every schema', () => {
    const passwords = schemaNames.map((name) => `${variablePrefix(name)}_DATABASE_PASSWORD`);
    expect(Object.keys(environmentOf('prepare'))).toEqual(expect.arrayContaining(passwords));
  });

  it('has the preparing job and the commands sign in to Kafka as others than the services', () => {
    expect(environmentOf('prepare')).toMatchObject({
      KAFKA_SASL_PASSWORD: '${POSTROOM_KAFKA_PASSWORD:-}',
    });
  });

  it('starts a service when all that it asks is well', () => {
    const { prepare } = composition.services;
    for (const { condition } of Object.values(prepare?.depends_on ?? {})) {
      expect(condition).toBe('service_healthy');
    }
    for (const app of apps) {
      expect(composition.services[app]?.depends_on?.['prepare']).toEqual({
        condition: 'service_completed_successfully',
      });
    }
    const others = apps.filter((app) => app !== services[gatewayService].app);
    expect(composition.services[services[gatewayService].app]?.depends_on).toMatchObject(
      Object.fromEntries(others.map((app) => [app, { condition: 'service_healthy' }])),
    );
  });

  it.each([...apps, 'prepare'])('gives %s no more rights than the chart does', (app) => {
    expect(composition.services[app]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  it('names one version, and the digest, of every image that it does not build', () => {
    const images = Object.values(composition.services).flatMap(({ image }) => image ?? []);
    expect(images.length).toBeGreaterThan(0);
    expect(images.filter((image) => !/:v?\d+(\.\d+)*@sha256:[0-9a-f]{64}$/.test(image))).toEqual(
      [],
    );
  });

  it('has the metrics of every service read', () => {
    const { scrape_configs: jobs } = parse(readFile('prometheus.yaml')) as {
      scrape_configs: readonly { dns_sd_configs: readonly { names: string[] }[] }[];
    };
    const scraped = jobs.flatMap((job) => job.dns_sd_configs.flatMap(({ names }) => names));
    expect(scraped.sort()).toEqual([...apps].sort());
  });
});
