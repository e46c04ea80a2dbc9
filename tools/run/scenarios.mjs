// The scenarios of `npm run faults`: each is what spec files prove, the whole of them or the tests of a name.
const e2e = (file, pattern) => ({ file: `apps/e2e/src/${file}.spec.ts`, pattern });
const specs = (file, pattern) => ({ file: `${file}.spec.ts`, pattern, isSpec: true });
const injected = (name) => [e2e('faults/one-fault', `is whole after ${name}$`)];
const cluster = ['cluster'];
const both = ['process', 'cluster'];

/** By name: the fault, the specs that judge it, and the topologies in which it can happen. */
export const scenarios = {
  'kill-product': {
    fault: 'SIGKILL of everything at once: at work, amid completions of tasks, amid approvals',
    runs: [e2e('crash'), e2e('tasks-crash'), e2e('approvals-campaign')],
    topologies: both,
  },
  ...Object.fromEntries(
    ['gateway', 'mail', 'directory', 'scheduling', 'webhook-dispatcher', 'mcp'].map((app) => [
      `kill-${app}`,
      {
        fault: `SIGKILL of one of two processes: ${app}`,
        runs: injected(`kill-${app}`),
        topologies: cluster,
      },
    ]),
  ),
  'postgres-fast': {
    fault: 'PostgreSQL stops, breaking off what is open',
    runs: injected('postgres-fast'),
    topologies: both,
  },
  'postgres-immediate': {
    fault: 'PostgreSQL ends at once, and recovers from its log',
    runs: injected('postgres-immediate'),
    topologies: both,
  },
  'connections-exhausted': {
    fault: 'no connection to PostgreSQL is left, for 8 s',
    runs: injected('connections-exhausted'),
    topologies: both,
  },
  'lock-held': {
    fault: 'somebody holds the table of conversations locked, for 8 s',
    runs: injected('lock-held'),
    topologies: both,
  },
  'broker-killed': {
    fault: 'SIGKILL of the only broker, and of each of three',
    runs: [
      e2e('faults/processes-and-broker', 'the broker|answer|effect|nothing'),
      e2e('three-brokers'),
    ],
    topologies: cluster,
  },
  'broker-paused': {
    fault: 'the broker stands still for 8 s',
    runs: injected('broker-paused'),
    topologies: cluster,
  },
  'broker-slow': {
    fault: 'each write to the broker takes 60 ms',
    runs: injected('broker-slow'),
    topologies: cluster,
  },
  'broker-sliced': {
    fault: 'what goes to the broker and comes from it arrives in pieces of 512 bytes',
    runs: injected('broker-sliced'),
    topologies: cluster,
  },
  rebalances: {
    fault: 'services leave and join, and consumers of events',
    runs: [e2e('faults/processes-and-broker', 'replicas leave|effect|nothing')],
    topologies: cluster,
  },
  'duplicate-delivery': {
    fault: 'a message or an event comes twice, also at once',
    runs: [
      specs('libs/operations/src/replay', 'a redelivered message'),
      specs('libs/operations/src/inbox'),
    ],
    topologies: ['process'],
  },
  'late-delivery': {
    fault: 'events come late, out of order, or after a broker has lost them',
    runs: [specs('libs/operations/src/relay-model')],
    topologies: ['process'],
  },
  'reply-lost': {
    fault: 'the client is gone before the answer comes, and asks again',
    runs: injected('reply-lost'),
    topologies: both,
  },
  'clock-ahead': {
    fault: 'the clock of the processes is 10 minutes ahead of the database, and then right again',
    runs: injected('clock-ahead'),
    topologies: both,
  },
  'clock-behind': {
    fault: 'the same, 10 minutes behind',
    runs: injected('clock-behind'),
    topologies: both,
  },
  'disk-full': {
    fault: 'PostgreSQL refuses new rows for 8 s: no space is left',
    runs: injected('disk-full'),
    topologies: both,
  },
  'hanging-receivers': {
    fault: 'endpoints hang, fail or are gone, and the dispatcher is killed',
    runs: [e2e('webhook-crash')],
    topologies: both,
  },
  'hanging-mail-servers': {
    fault: 'the mail server hangs or stops at any stage, and the product is killed there',
    runs: [e2e('sends-faults'), specs('apps/mail/src/sends/faults')],
    topologies: both,
  },
  'rolling-restart': {
    fault: 'every process is replaced by one of the same or a newer version',
    runs: [e2e('drills/rolling-restart')],
    topologies: cluster,
  },
  'scope-removed': {
    fault: 'a key loses a scope while it is used',
    runs: injected('scope-removed'),
    topologies: both,
  },
  restore: {
    fault: 'the database is lost, and comes back from a backup',
    runs: [e2e('drills/restore')],
    topologies: cluster,
  },
  'point-in-time': {
    fault: "the database is lost, and comes back from PostgreSQL's archive",
    runs: [e2e('drills/point-in-time')],
    topologies: cluster,
  },
};
