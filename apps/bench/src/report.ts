import type { BusBenchResult } from './bus/run.js';
import { scenarios } from './bus/scenarios.js';
import type { PathFigures, WholePath } from './bus/whole-path.js';
import { grid } from './grid.js';
import type { HostileBenchResult } from './hostile/run.js';
import type { ImportBenchResult } from './imports/run.js';
import { holds, type Result } from './result.js';
import type { PacedResult } from './rig/paced.js';
import type { NeighbourBenchResult } from './neighbours/run.js';
import type { BenchResult, Comparison } from './rounds.js';
import { planNames } from './search/plans.js';
import type { SendBenchResult } from './sends/run.js';
import type { SearchBenchResult } from './search/run.js';
import type { WebhookBenchResult } from './webhooks/run.js';

/** A server's bench as a ratio with a goal. */
export const serverResult = ({ bench, rounds, subject }: BenchResult): Result => ({
  id: bench.id,
  title: subject.title,
  ratio: subject.ratio,
  rounds,
  goal: bench.goal,
  direction: 'at least',
});

const goalHead = ['bench', 'what', 'ratio', 'quartiles', 'goal', 'holds'];
const serverHead = [...goalHead, 'requests/s', 'twin', 'CPU ms/request', 'twin'];

/** The benches of servers, each followed by what was measured with it. */
export function serverTable(results: readonly BenchResult[]): string {
  const lines = results.flatMap((result) => [
    [...goalCells(serverResult(result)), ...serverCells(result.subject)],
    ...result.beside.map((one) => ['', one.title, ...ratioCells(one), '', '', ...serverCells(one)]),
  ]);
  return grid(serverHead, lines);
}

const latencyHead = ['list at 100/s', 'p50 ms', 'p99 ms', 'messages/s'];

/** Bench H: the goal, and the latencies it is made of. */
export function hostileTable({ result, figures }: HostileBenchResult): string {
  const { quiet, hostile, messagesPerSecond } = figures;
  const cells = ({ p50Ms, p99Ms }: PacedResult): string[] => [p50Ms.toFixed(2), p99Ms.toFixed(2)];
  return [
    grid(goalHead, [goalCells(result)]),
    grid(latencyHead, [
      ['quiet', ...cells(quiet), ''],
      ['beside hostile mail', ...cells(hostile), messagesPerSecond.toFixed(1)],
    ]),
  ].join('\n\n');
}

/** Bench I: the goal, and the rates that it is made of. */
export const importTable = ({ result, figures: { product, twin } }: ImportBenchResult): string =>
  [
    grid(goalHead, [goalCells(result)]),
    grid(['messages/s', 'hand-written loop'], [[product.toFixed(0), twin.toFixed(0)]]),
  ].join('\n\n');

/** Bench N: the goal of each attack, and the latencies they are made of. */
export function neighbourTable({ results, figures }: NeighbourBenchResult): string {
  return [
    grid(goalHead, results.map(goalCells)),
    grid(
      ['attack', 'p50 quiet', 'p99 quiet', 'p50 beside', 'p99 beside'],
      figures.map(({ title, quiet, beside }) => [
        title,
        ...[quiet.p50Ms, quiet.p99Ms, beside.p50Ms, beside.p99Ms].map((ms) => ms.toFixed(2)),
      ]),
    ),
  ].join('\n\n');
}

/** Bench E: the goals, and the rates and latencies they are made of. */
export function webhookTable({ results, figures }: WebhookBenchResult): string {
  const { durable, raw, backlog, p50Ms, p99Ms, p99BesideHangingMs } = figures;
  const cells = [durable, raw, backlog, p50Ms, p99Ms, p99BesideHangingMs];
  return [
    grid(goalHead, results.map(goalCells)),
    grid(
      [
        'durable/s',
        'POSTs alone/s',
        'of a backlog/s',
        'p50 ms',
        'p99 ms',
        'p99 beside a hanging one',
      ],
      [cells.map((figure) => figure.toFixed(0))],
    ),
  ].join('\n\n');
}

/** Bench S: the goals, and the rates and latencies they are made of. */
export function sendTable({ results, figures }: SendBenchResult): string {
  const { twin, pooled, fresh, repeated, quiet, besideLarge, largePerSecond, memoryMb } = figures;
  const rate = (perSecond: number): string => perSecond.toFixed(0);
  const cells = ({ p50Ms, p99Ms }: PacedResult): string[] => [p50Ms.toFixed(2), p99Ms.toFixed(2)];
  return [
    grid(goalHead, results.map(goalCells)),
    grid(
      ['nodemailer/s', 'with its pool', 'sends/s', 'replays/s', 'large sends/s', 'MiB'],
      [
        [
          rate(twin),
          rate(pooled),
          rate(fresh),
          rate(repeated),
          largePerSecond.toFixed(1),
          rate(memoryMb),
        ],
      ],
    ),
    grid(
      ['list at 100/s', 'p50 ms', 'p99 ms'],
      [
        ['quiet', ...cells(quiet)],
        ['beside large sends', ...cells(besideLarge)],
      ],
    ),
  ].join('\n\n');
}

const carrierHead = [
  'carrier',
  'load',
  'p50 ms',
  'p99 ms',
  'p50 from send',
  'replies/s',
  'CPU ms, caller',
  'service',
];

/** Bench C: the goals, and the measurements of every carrier. */
export function busTable({ results, figures, wholePath }: BusBenchResult): string {
  const lines = figures.map((one) => [
    one.carrier,
    scenarios.find(({ id }) => id === one.scenario)?.title ?? one.scenario,
    one.p50Ms.toFixed(2),
    one.p99Ms.toFixed(2),
    one.p50FromSendMs.toFixed(2),
    one.perSecond.toFixed(0),
    one.callerCpuMs.toFixed(3),
    one.serviceCpuMs.toFixed(3),
  ]);
  const goals = grid(goalHead, results.map(goalCells));
  return [goals, grid(carrierHead, lines), pathTable(wholePath)].join('\n\n');
}

const pathHead = ['list: whole route', 'ms, one in flight', 'replies/s, 16 in flight'];

function pathTable({ addedMs, kafka, inProcess }: WholePath): string {
  const cells = ({ ms, perSecond }: PathFigures): string[] => [ms.toFixed(2), perSecond.toFixed(0)];
  const { q1, median, q3 } = addedMs;
  return grid(pathHead, [
    ['over Kafka', ...cells(kafka)],
    ['in one process', ...cells(inProcess)],
    ['added', `${median.toFixed(2)} (${q1.toFixed(2)} to ${q3.toFixed(2)})`],
  ]);
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

/** Bench D: the goals, the time of every plan, and the size of the mailbox. */
export function searchTable({ results, figures, filled }: SearchBenchResult): string {
  const lines = figures.map(({ title, productMs, plansMs }) => [
    title,
    ...[productMs, ...planNames.map((name) => plansMs[name])].map((ms) => ms.toFixed(2)),
  ]);
  const { seconds, indexSeconds, bytes } = filled;
  return [
    grid(goalHead, results.map(goalCells)),
    grid(['search, ms', 'product', ...planNames], lines),
    `filled in ${seconds.toFixed(0)} s, of which the index of words ${indexSeconds.toFixed(0)} s; ` +
      `messages ${megabytes(bytes.messages)}, their documents ${megabytes(bytes.documents)}, ` +
      `index of words ${megabytes(bytes.words)}`,
  ].join('\n\n');
}

const ratioCells = ({ ratio }: Pick<Result, 'ratio'>): string[] => [
  ratio.median.toFixed(2),
  `${ratio.q1.toFixed(2)} to ${ratio.q3.toFixed(2)}`,
];

const goalCells = (result: Result): string[] => [
  result.id,
  result.title,
  ...ratioCells(result),
  `${result.direction} ${result.goal.toFixed(2)}`,
  holds(result) ? 'yes' : 'no',
];

const serverCells = ({ perSecond, cpuMs }: Comparison): string[] => [
  perSecond.own.toFixed(0),
  perSecond.twin.toFixed(0),
  cpuMs.own.toFixed(3),
  cpuMs.twin.toFixed(3),
];
