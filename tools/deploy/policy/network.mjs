import ipaddr from 'ipaddr.js';
import { selects } from '../pods.mjs';

/** Hands out credentials, at a public address. */
const metadataServers = ['168.63.129.16/32'];

/** Networks that no customer may have dialled: every special range of IPv4. */
const privateRanges = [
  ...Object.values(ipaddr.IPv4.prototype.SpecialRanges)
    .flat(1)
    .flatMap((one) => (Array.isArray(one) ? [one] : []))
    .map(([network, bits]) => `${network}/${bits}`),
  ...metadataServers,
];

/** The same of IPv6, as far as it is within 2000::/3, the only block of it that is let through. */
const privateRanges6 = Object.values(ipaddr.IPv6.prototype.SpecialRanges)
  .flat(1)
  .flatMap((one) => (Array.isArray(one) ? [one] : []))
  .filter(([network]) => contains('2000::/3', `${network}/128`))
  .map(([network, bits]) => `${network}/${bits}`);

function contains(outer, inner) {
  const [network, bits] = ipaddr.parseCIDR(outer);
  const [address, length] = ipaddr.parseCIDR(inner);
  return network.kind() === address.kind() && length >= bits && address.match(network, bits);
}

const everywhere = ['0.0.0.0/0', '2000::/3'];
const isEverywhere = ({ ipBlock }) => everywhere.includes(ipBlock?.cidr);
const text = (value) => JSON.stringify(value);

/** All that a pod may connect to, as the policies that select it add up. */
const egressOf = (pod, ofKind) =>
  ofKind('NetworkPolicy')
    .filter(({ spec }) => selects(spec.podSelector.matchLabels, pod.labels))
    .flatMap(({ spec }) => spec.egress ?? []);

/** The allowed connections. */
export const network = {
  *'every connection is forbidden that no policy allows'({ named, pods }) {
    const deny = named('NetworkPolicy', 'postroom-deny-all')?.spec;
    if (deny?.policyTypes?.toSorted().join() !== 'Egress,Ingress')
      return yield 'no policy forbids both';
    if (deny.ingress || deny.egress) yield 'it has exceptions';
    for (const { name, labels } of pods) {
      if (!selects(deny.podSelector.matchLabels, labels)) yield `${name} is outside of it`;
    }
  },

  *'the migration has a policy before its job starts'({ named, pods }) {
    const policy = named('NetworkPolicy', 'postroom-migration');
    const job = named('Job', 'postroom-migration');
    const weightOf = (one) => Number(one?.metadata.annotations?.['helm.sh/hook-weight']);
    if (!(weightOf(policy) < weightOf(job))) yield 'it comes too late';
    const pod = pods.find(({ owner }) => owner === 'Job');
    if (!selects(policy?.spec.podSelector.matchLabels, pod.labels)) yield 'it is not about the job';
  },

  *'only the services that dial out reach public addresses'({ apps, pods, ofKind }) {
    for (const { name, needs } of apps) {
      const pod = pods.find((one) => one.name === name);
      const leaves = egressOf(pod, ofKind).some(({ to }) => !to || to.some(isEverywhere));
      if (leaves !== needs.dialsOut) yield `${name} ${leaves ? 'leaves' : 'cannot leave'}`;
    }
  },

  *'all others reach DNS, the database, Kafka, the object store and the collector'({
    pods,
    ofKind,
    values,
  }) {
    const { dns, database, kafka, objectStore, tracing, services } = values;
    const known = new Set(
      [dns, database, kafka, objectStore, tracing].flatMap(({ peers }) => peers.map(text)),
    );
    const own = Object.values(services).flatMap(({ egress = [] }) => egress.map(text));
    for (const pod of pods) {
      const rules = egressOf(pod, ofKind).filter((rule) => !own.includes(text(rule)));
      const peers = rules.flatMap(({ to }) => to ?? []).filter((peer) => !isEverywhere(peer));
      const strange = peers.filter((peer) => !known.has(text(peer)));
      if (strange.length > 0) yield `${pod.name} reaches ${text(strange)}`;
      for (const { peers: needed } of [dns, database, kafka]) {
        if (!needed.every((peer) => peers.map(text).includes(text(peer))))
          yield `${pod.name} does not reach ${text(needed)}`;
      }
      const anyPort = rules.filter(({ to, ports }) => !ports?.length && !to?.every(isEverywhere));
      if (anyPort.length > 0) yield `${pod.name} may use any port`;
    }
  },

  *'private ranges are excluded from what customers may name'({ pods, ofKind }) {
    const blocks = pods.flatMap((pod) =>
      egressOf(pod, ofKind).flatMap(({ to = [] }) => to.filter(isEverywhere)),
    );
    for (const { ipBlock } of blocks) {
      const ranges = ipBlock.cidr === '2000::/3' ? privateRanges6 : privateRanges;
      for (const range of ranges) {
        if (!ipBlock.except.some((one) => contains(one, range))) yield `${range} is let through`;
      }
    }
  },

  *'mail leaves to the ports of mail servers and images'({ pods, ofKind, values }) {
    const pod = pods.find(({ name }) => name === 'postroom-mail');
    for (const { to, ports = [] } of egressOf(pod, ofKind)) {
      if (!to?.some(isEverywhere)) continue;
      const found = ports.map(({ port }) => port);
      if (found.length === 0 || found.join() !== values.services.mail.ports.join())
        yield `it leaves to ${found.join(', ') || 'any port'}`;
    }
  },

  *'who may connect is named, with the port'({ ofKind, values }) {
    const { ingress, relays, monitoring } = values;
    const known = new Set([ingress, relays, monitoring].flatMap(({ peers }) => peers.map(text)));
    for (const { metadata, spec } of ofKind('NetworkPolicy')) {
      for (const { from, ports } of spec.ingress ?? []) {
        if (!from?.length || !ports?.length) yield `${metadata.name} admits anybody`;
        const strange = from?.filter((peer) => !known.has(text(peer))) ?? [];
        if (strange.length > 0) yield `${metadata.name} admits ${text(strange)}`;
      }
    }
  },
};
