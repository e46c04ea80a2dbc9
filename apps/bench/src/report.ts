import type { Line } from './result.js';

/** Cells below a head, as a table of Markdown in the layout of the formatter. */
function grid(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...lines].map((cells) => cells[column]?.length ?? 0)),
  );
  return [head, widths.map((width) => '-'.repeat(width)), ...lines]
    .map((cells) => `| ${widths.map((width, at) => (cells[at] ?? '').padEnd(width)).join(' | ')} |`)
    .join('\n');
}

const verdict = ({ holds }: Line): string => (holds ? 'yes' : 'no');
const goalOf = ({ direction, goal }: Line): string => `${direction} ${goal.toFixed(2)}`;
const spread = ({ q1, q3 }: Line): string => `${q1.toFixed(2)} to ${q3.toFixed(2)}`;
const cpuOf = ({ cpuMs }: Line): string =>
  cpuMs ? `${cpuMs.own.toFixed(2)} / ${cpuMs.twin.toFixed(2)}` : '';

/** Every line with its goal, and the CPU time of a request on both sides. */
export const table = (lines: readonly Line[]): string =>
  grid(
    ['line', 'what', 'ratio', 'quartiles', 'goal', 'holds', 'CPU ms a request / of the twin'],
    lines.map((line) => [
      ...[line.id, line.title ?? '', line.ratio.toFixed(2), spread(line)],
      ...[goalOf(line), verdict(line), cpuOf(line)],
    ]),
  );

/**
 * The lines that two runs have in common. A line has changed only where the quartiles of the two runs do not overlap: the
 * rest is the machine's.
 */
export function comparison(before: readonly Line[], after: readonly Line[]): string {
  const old = new Map(before.map((line) => [line.id, line]));
  const lines = after.flatMap((line) => {
    const was = old.get(line.id);
    if (!was) return [];
    return [
      [
        ...[line.id, was.ratio.toFixed(2), spread(was), line.ratio.toFixed(2), spread(line)],
        ...[changeOf(was, line), goalOf(line), verdict(line), cpuOf(was), cpuOf(line)],
      ],
    ];
  });
  return grid(
    [
      ...['line', 'old', 'quartiles', 'new', 'quartiles', 'change', 'goal', 'holds'],
      ...['CPU ms / twin', 'new'],
    ],
    lines,
  );
}

function changeOf(was: Line, now: Line): string {
  if (now.q1 <= was.q3 && was.q1 <= now.q3) return 'none';
  const percent = Math.round((now.ratio / was.ratio - 1) * 100);
  const isBetter = now.ratio > was.ratio === (now.direction === 'at least');
  return `${isBetter ? 'better' : 'worse'}, ${percent > 0 ? '+' : ''}${percent} %`;
}
