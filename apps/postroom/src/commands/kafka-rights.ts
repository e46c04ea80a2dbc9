import {
  busApps,
  type BusRight,
  busRights,
  compareRights,
  grantRights,
  type UserRights,
} from '@postroom/bus';
import { busUser } from '@postroom/contracts';
import { findKafka } from '../kafka.js';
import { loadClusterConfig } from '../load-config.js';
import { UsageError, type Command, type CommandLine } from './run-command.js';

/** The rights that every app needs on the brokers. */
export const allRights = (prefix: string): readonly UserRights[] =>
  busApps.map((app) => ({ user: busUser(app, prefix), rights: busRights(app, prefix) }));

/** Prints the rights of the apps on the brokers. */
export const listKafkaRights: Command = {
  words: ['kafka', 'acls', 'list'],
  usage: `postroom kafka acls list
    Prints what each app has to be allowed on the brokers, as arguments of kafka-acls.sh, one right a
    line. KAFKA_PREFIX is part of the names.`,
  async run(line) {
    takesNothing(line);
    return argumentsOf(allRights(loadClusterConfig(line.env).kafkaPrefix));
  },
};

/** Gives them those rights. */
export const applyKafkaRights: Command = {
  words: ['kafka', 'acls', 'apply'],
  usage: `postroom kafka acls apply
    Gives the users of the apps these rights. KAFKA_SASL_USERNAME has to be somebody who may alter the
    cluster; the users themselves are yours to make.`,
  async run(line) {
    takesNothing(line);
    const { connection, prefix } = await findKafka(line.env);
    const users = allRights(prefix);
    await grantRights(connection, users);
    return [`${argumentsOf(users).length} rights of ${users.length} users are there.`];
  },
};

/** Compares them with what the brokers say. */
export const checkKafkaRights: Command = {
  words: ['kafka', 'acls', 'check'],
  usage: `postroom kafka acls check
    Prints the rights that users of the apps lack, and those that they have beside them.`,
  async run(line) {
    takesNothing(line);
    const { connection, prefix } = await findKafka(line.env);
    const { missing, further } = await compareRights(connection, allRights(prefix));
    return [
      ...missing.map((right) => `missing: ${right}`),
      ...further.map((right) => `not needed: ${right}`),
      `${missing.length} missing, ${further.length} not needed.`,
    ];
  },
};

function takesNothing({ rest }: CommandLine): void {
  if (rest.length > 0) throw new UsageError();
}

const argumentsOf = (users: readonly UserRights[]): string[] =>
  users.flatMap(({ user, rights }) =>
    rights.map(
      (right) => `--add --allow-principal User:${user} ${operationsOf(right)} ${resourceOf(right)}`,
    ),
  );

const operationsOf = ({ actions }: BusRight): string =>
  actions.map((action) => `--operation ${action}`).join(' ');

const resourceOf = ({ resource, name, isPrefix }: BusRight): string =>
  resource === 'cluster'
    ? '--cluster'
    : `--${resource} ${name} --resource-pattern-type ${isPrefix ? 'prefixed' : 'literal'}`;
