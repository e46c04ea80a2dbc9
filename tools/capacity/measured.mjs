/**
 * Figures of docs/benchmarks.md: CPU ms a request of the server's thread, and requests a second of sixteen
 * connections on two cores, which both were busy all the time. For C the CPU is that of A1: it was not told.
 */
const measured = {
  listWithoutGuards: { cpuMs: 0.592, perSecond: 1_515 },
  list: { cpuMs: 0.631, perSecond: 1_468 },
  listOfA2: { cpuMs: 0.613, perSecond: 1_497 },
  listInProcess: { cpuMs: 0.631, perSecond: 1_380 },
  listOverKafka: { cpuMs: 0.631, perSecond: 912 },
  commentByHand: { cpuMs: 0.288, perSecond: 1_635 },
  comment: { cpuMs: 0.452, perSecond: 1_452 },
};

export const cores = 2;
export const connections = 16;

/** The rest of two busy cores: PostgreSQL's CPU a request, and that of the client. */
const besides = ({ cpuMs, perSecond }) => (cores * 1_000) / perSecond - cpuMs;

/** 1,500 requests a second took seven tenths of both cores, broker and both ends together (C-ii). */
const carryingMs = (0.7 * cores * 1_000) / 1_500;

/** A thread serves one request at a time; five connections lead to the database. */
export const stations = (threadMs, databaseMs, kafkaMs = 0) => [
  { places: 1, cpuMs: threadMs },
  { places: 5, cpuMs: databaseMs },
  ...(kafkaMs > 0 ? [{ places: 3, cpuMs: kafkaMs }] : []),
];

const ofList = besides(measured.listWithoutGuards);
const ofComment = besides(measured.commentByHand);

export const list = stations(measured.list.cpuMs, ofList);
export const comment = stations(measured.comment.cpuMs, ofComment);

/** Measurements that the model was not fitted to. */
export const points = [
  { what: 'A1, the list', stations: list, ...measured.list },
  {
    what: 'A2, the list',
    stations: stations(measured.listOfA2.cpuMs, ofList),
    ...measured.listOfA2,
  },
  { what: 'C, the list in one process', stations: list, ...measured.listInProcess },
  {
    what: 'C, the list over Kafka',
    stations: stations(measured.listOverKafka.cpuMs, ofList, carryingMs),
    ...measured.listOverKafka,
  },
  { what: 'F, a comment', stations: comment, ...measured.comment },
];

/** H and S-large: the list a hundred times a second, in quiet. */
export const quiet = { perSecond: 100, p99Ms: [4.2, 4.8] };

/** A word that one message in a thousand has, four messages a conversation. */
const found = (conversations) => (4 * conversations) / 1_000;
const few = 10_000;

/**
 * A request in a mailbox of many conversations, as a multiple of one in a mailbox of 10,000. What grows is the search for
 * a word that is still being typed: PostgreSQL gathers every message that has a word beginning so, twice (0.91 µs
 * each: 1.9 ms for 40 of them, 5.5 for 4,000; a whole search for 40 takes 5.4). Everything else follows an index.
 */
export const growthOf = (name, conversations) =>
  name === 'search' ? 1 + (0.00091 * (found(conversations) - found(few))) / 5.4 : 1;

/** Bench G. */
export const growth = [
  { conversations: few, list: 1, search: 1, comment: 1, send: 1, 'arriving mail': 1 },
  {
    conversations: 100_000,
    list: 0.94,
    search: 1.02,
    comment: 0.91,
    send: 0.89,
    'arriving mail': 0.94,
  },
  {
    conversations: 1_000_000,
    list: 1.02,
    search: 1.81,
    comment: 1.04,
    send: 1,
    'arriving mail': 1.06,
  },
];
