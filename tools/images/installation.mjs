import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../run/child.mjs';
import { output } from './containers.mjs';

const composeFile = join(root, 'docker/compose.yaml');

/**
 * The secrets that docker/compose.yaml lists at its head, made by the commands that stand there.
 * @param folder where their file may be
 */
export async function composedSecrets(folder) {
  const [, comment] = /^# It reads .*\n((?:# {3}.*\n)+)/m.exec(await readFile(composeFile, 'utf8'));
  const file = join(folder, '.env');
  const commands = comment.replaceAll(/^# {3}/gm, '').replaceAll('docker/.env', file);
  await output('bash', '-ec', commands);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => /^(\w+)=(.*)$/.exec(line).slice(1)));
}

/**
 * Services as docker/compose.yaml has them, with its environment, against a database and a broker on this
 * machine. Each has ports of its own, since all share the network of the host.
 */
export async function composedServices({ databaseUrl, brokers, ports, publicUrl, secrets }) {
  const { services } = parse(await readFile(composeFile, 'utf8'), { merge: true });
  const given = { ...secrets, PUBLIC_URL: publicUrl, KAFKA_BROKERS: brokers };
  const { host, username, password } = new URL(databaseUrl);
  const fill = (value) =>
    String(value)
      .replace(
        /\$\{([A-Z_]+)(?::[?-]([^}]*))?\}/g,
        (_, name, otherwise) => given[name] ?? otherwise,
      )
      .replace('@postgres:5432', `@${host}`);
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
