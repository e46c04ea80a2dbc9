import type { ApprovalRequest } from '@postroom/sdk';
import { json, visible } from './output.js';

type Fields = Readonly<Record<string, unknown>>;

/** An approval in one line. */
export const approvalLine = ({ id, state, createdAt, ...rest }: ApprovalRequest): string =>
  [id, state.padEnd(9), createdAt, visible(rest.requestedBy.name), visible(rest.summary)].join(
    '  ',
  );

/** An approval in full: who asks, what would change field by field, and what was asked for. */
export function approvalLines(approval: ApprovalRequest): readonly string[] {
  const { requestedBy, target, result } = approval;
  return [
    visible(approval.summary),
    '',
    `  id         ${approval.id}`,
    `  state      ${approval.state}`,
    `  asked by   ${visible(requestedBy.name)} (${requestedBy.keyId}), by ${approval.channel}`,
    ...(requestedBy.client === null
      ? []
      : [`  client     ${visible(requestedBy.client)} (as it names itself)`]),
    `  asked at   ${approval.createdAt}, expires at ${approval.expiresAt}`,
    `  operation  ${approval.operation}: ${approval.method} ${visible(approval.path)}`,
    ...(target ? [`  target     ${target.type} ${target.id}, version ${target.version}`] : []),
    ...(approval.decidedBy === null
      ? []
      : [`  decided    ${approval.decidedAt} by ${visible(approval.decidedBy)}`]),
    ...(approval.comment === null ? [] : [`  comment    ${visible(approval.comment)}`]),
    ...(result ? [`  answer     ${result.status} ${visibleValue(result.body)}`] : []),
    '',
    ...differenceLines(approval),
    '',
    'Asked for:',
    ...fieldLines(approval.payload, '  '),
  ];
}

function differenceLines({ difference }: ApprovalRequest): readonly string[] {
  const { before = null, after = null } = difference ?? {};
  if (before && after) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    if (names.length === 0) return ['It would change nothing.'];
    return ['It would change:', ...names.flatMap((name) => changeLines(name, before, after))];
  }
  if (after) return ['It would make:', ...fieldLines(after, '+ ')];
  if (before) return ['It would remove:', ...fieldLines(before, '- ')];
  return ['What it would change is not known.'];
}

const changeLines = (name: string, before: Fields, after: Fields): readonly string[] => [
  `- ${visible(name)}: ${visibleValue(before[name])}`,
  `+ ${visible(name)}: ${visibleValue(after[name])}`,
];

const fieldLines = (fields: Fields, sign: string): readonly string[] =>
  Object.entries(fields).map(([name, value]) => `${sign}${visible(name)}: ${visibleValue(value)}`);

/** A value of JSON in one line: texts as they are, anything else as JSON, which doubles backslashes itself. */
export const visibleValue = (value: unknown): string => {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? visible(value) : json(value);
};
