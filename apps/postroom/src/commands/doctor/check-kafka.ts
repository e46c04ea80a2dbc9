import { compareRights, declaredTopics, missingTopics, topicsAtRisk } from '@postroom/bus';
import { findKafka } from '../../kafka-place.js';
import { atRisk } from '../../topics.js';
import { allRights } from '../kafka-rights.js';
import { ok, skipped, warning, wrong, type Check } from './finding.js';

const advice = 'See KAFKA_BROKERS, KAFKA_TLS… and KAFKA_SASL_…, and whether a broker runs.';

/** That the brokers answer, have every topic, and let each app do what it has to. */
export const kafkaChecks = (env: NodeJS.ProcessEnv, isCluster: boolean): Check[] => [
  {
    about: 'topics',
    advice,
    run: async () => {
      if (!isCluster) return [skipped('no KAFKA_BROKERS and no cluster: one process needs none')];
      const { place, prefix } = await findKafka(env);
      const declared = declaredTopics({ prefix });
      const missing = await missingTopics(place, declared);
      if (missing.length > 0)
        return [wrong(`${missing.join(', ')} missing`, 'Run "prepare", which makes them.')];
      const weak = await topicsAtRisk(place, declared);
      return weak.length === 0
        ? [ok(`all ${declared.length} are there`)]
        : [wrong(atRisk(weak), 'Until then a lost broker loses events and requests.')];
    },
  },
  {
    about: 'rights on Kafka',
    advice,
    run: async () => {
      if (!isCluster) return [skipped('no brokers')];
      const { place, prefix } = await findKafka(env);
      if (!place.security?.sasl) return [skipped('nobody signs in to these brokers')];
      const { missing, further } = await compareRights(place, allRights(prefix));
      return [
        ...(missing.length === 0
          ? [ok('no right is missing')]
          : [wrong(missing.join('; '), 'Run "postroom kafka acls apply" as an administrator.')]),
        ...(further.length === 0
          ? []
          : [warning(`not needed: ${further.join('; ')}`, 'Take them away.')]),
      ];
    },
  },
];
