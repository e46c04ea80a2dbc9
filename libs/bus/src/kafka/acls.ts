import type { BusAction, BusRight } from '../rights.js';
import kafkajs, { type AclEntry } from 'kafkajs';
import { kafkaClient, type KafkaConnection, silent } from './client.js';

/** The rights of a user. */
export interface UserRights {
  /** As the brokers know it, without `User:`. */
  readonly user: string;
  readonly rights: readonly BusRight[];
}

/** Rights that users lack on the brokers, and those that they have beside theirs, as texts. */
export interface RightsDifference {
  readonly missing: readonly string[];
  readonly further: readonly string[];
}

// Node finds no such names among what this CommonJS package exports.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const resources = {
  topic: AclResourceTypes.TOPIC,
  group: AclResourceTypes.GROUP,
  cluster: AclResourceTypes.CLUSTER,
} as const;

const actions: Readonly<Record<BusAction, AclEntry['operation']>> = {
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
  create: AclOperationTypes.CREATE,
  delete: AclOperationTypes.DELETE,
  describe: AclOperationTypes.DESCRIBE,
  'describe-configs': AclOperationTypes.DESCRIBE_CONFIGS,
};

/** Gives the users their rights; those that they have already stay. */
export async function grantRights(
  place: KafkaConnection,
  users: readonly UserRights[],
): Promise<void> {
  const acl = users.flatMap(entriesOf);
  await asAdmin(place, (admin) => admin.createAcls({ acl }));
}

/** Compares what the users may do with what they have to. */
export async function compareRights(
  place: KafkaConnection,
  users: readonly UserRights[],
): Promise<RightsDifference> {
  const wanted = users.flatMap(entriesOf).map(lineOf);
  const known = new Set(users.map(({ user }) => principalOf(user)));
  const { resources: found } = await asAdmin(place, (admin) =>
    admin.describeAcls({
      resourceType: AclResourceTypes.ANY,
      resourcePatternType: ResourcePatternTypes.ANY,
      operation: AclOperationTypes.ANY,
      permissionType: AclPermissionTypes.ANY,
    }),
  );
  const there = found
    .flatMap(({ acls, ...resource }) => acls.map((entry) => ({ ...resource, ...entry })))
    .filter(({ principal }) => known.has(principal))
    .map(lineOf);
  return {
    missing: wanted.filter((line) => !there.includes(line)),
    further: there.filter((line) => !wanted.includes(line)),
  };
}

async function asAdmin<T>(
  place: KafkaConnection,
  work: (admin: ReturnType<ReturnType<typeof kafkaClient>['admin']>) => Promise<T>,
): Promise<T> {
  const admin = kafkaClient({ ...place, instance: 'rights', log: silent }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

const principalOf = (user: string): string => `User:${user}`;

const entriesOf = ({ user, rights }: UserRights): AclEntry[] =>
  rights.flatMap(({ resource, name, isPrefix, actions: allowed }) =>
    allowed.map((action) => ({
      principal: principalOf(user),
      host: '*',
      operation: actions[action],
      permissionType: AclPermissionTypes.ALLOW,
      resourceType: resources[resource],
      resourceName: name,
      resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
    })),
  );

/** One ACL as a line for a person, which also tells two of them apart. */
const lineOf = (entry: AclEntry): string =>
  [
    entry.principal,
    entry.permissionType === AclPermissionTypes.DENY ? 'may not' : 'may',
    nameIn(AclOperationTypes, entry.operation),
    nameIn(AclResourceTypes, entry.resourceType),
    `${entry.resourceName}${entry.resourcePatternType === ResourcePatternTypes.PREFIXED ? '*' : ''}`,
  ].join(' ');

/** kafkajs has no names by number. */
const nameIn = (types: Readonly<Record<string, unknown>>, type: number): string =>
  Object.entries(types)
    .find(([, number]) => number === type)?.[0]
    .toLowerCase() ?? String(type);
