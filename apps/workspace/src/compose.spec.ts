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

interface Composition {
  readonly services: Readonly<
    Record<string, { readonly environment?: Readonly<Record<string, string | number>> }>
  >;
}

const file = new URL('../../../docker/compose.yaml', import.meta.url);
const composition = parse(readFileSync(file, 'utf8'), { merge: true }) as Composition;
const environmentOf = (app: string) => composition.services[app]?.environment ?? {};

describe('docker/compose.yaml', () => {
  it.each(serviceNames)('runs the service %s with all that every service needs', (name) => {
    const role = `postgres://postroom_${name}:\${${variablePrefix(name)}_DATABASE_PASSWORD:?}@`;
    const hasDatabase = schemaNames.some((schema) => schema === name);
    expect(environmentOf(services[name].app)).toMatchObject({
      ...(hasDatabase && {
        DATABASE_URL: expect.stringContaining(role),
        SECRETS_KEYS: '${SECRETS_KEYS:?}',
      }),
      BLOBS_DATABASE_URL: expect.any(String),
      KAFKA_BROKERS: expect.any(String),
      CALLER_KEY: `\${${variablePrefix(name)}_CALLER_KEY:?}`,
    });
  });

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
});
