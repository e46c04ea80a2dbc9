import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../run/child.mjs';

const hex = () => randomBytes(24).toString('hex');
const key = () => randomBytes(32).toString('base64');

/** `${NAME}` and `${NAME:?}` of a compose file. */
const variables = (text) =>
  [...text.matchAll(/\$\{([A-Z_]+)(?::[?-][^}]*)?\}/g)].map(([, name]) => name);

const secretOf = (name) => {
  if (name === 'SECRETS_KEYS') return `k1:${key()}`;
  return name.endsWith('_KEY') ? key() : hex();
};

/**
 * Services as docker/compose.yaml has them, with its environment, against a database and a broker on this
 * machine. Each has ports of its own, since all share the network of the host.
 */
export async function composedServices({ databaseUrl, brokers, ports, publicUrl }) {
  const text = await readFile(join(root, 'docker/compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true });
  const secrets = Object.fromEntries(variables(text).map((name) => [name, secretOf(name)]));
  const given = { ...secrets, PUBLIC_URL: publicUrl };
  const { host, username, password } = new URL(databaseUrl);
  const fill = (value) =>
    String(value)
      .replace(/\$\{([A-Z_]+)(?::[?-][^}]*)?\}/g, (_, name) => given[name])
      .replace('@postgres:5432', `@${host}`)
      .replace('kafka:9092', brokers);
  const own = Object.entries(services).filter(([, one]) => one.build);
  return own.map(([name, { build, environment, depends_on: after }]) => ({
    name,
    app: build.args.APP,
    after: Object.keys(after),
    healthPort: ports[name]?.HEALTH_PORT,
    environment: {
      ...Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, fill(value)])),
      ...(name === 'prepare' && {
        DATABASE_URL: `postgres://${username}:${password}@${host}/postgres`,
      }),
      ...ports[name],
    },
  }));
}
