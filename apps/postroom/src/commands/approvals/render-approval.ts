import type { ApprovalRequest } from '@postroom/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** An approval in one line. */
export const approvalLine = ({ id, state, createdAt, ...rest }: ApprovalRequest): string =>
  [
    id,
    state.padEnd(9),
    createdAt,
    visibleText(rest.requestedBy.name),
    visibleText(rest.summary),
  ].join('  ');

/** An approval in full: who asks, what would change field by field, and what was asked for. */
export function approvalLines(approval: ApprovalRequest): readonly string[] {
  const { requestedBy, target, result } = approval;
  return [
    visibleText(approval.summary),
    '',
    `  id         ${approval.id}`,
    `  state      ${approval.state}`,
    `  asked by   ${visibleText(requestedBy.name)} (${requestedBy.keyId}), by ${approval.channel}`,
    ...(requestedBy.client === null
      ? []
      : [`  client     ${visibleText(requestedBy.client)} (as it names itself)`]),
    `  asked at   ${approval.createdAt}, expires at ${approval.expiresAt}`,
    `  operation  ${approval.operation}: ${approval.method} ${visibleText(approval.path)}`,
    ...(target ? [`  target     ${target.type} ${target.id}, version ${target.version}`] : []),
    ...(approval.decidedBy === null
      ? []
      : [`  decided    ${approval.decidedAt} by ${visibleText(approval.decidedBy)}`]),
    ...(approval.comment === null ? [] : [`  comment    ${visibleText(approval.comment)}`]),
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
  `- ${visibleText(name)}: ${visibleValue(before[name])}`,
  `+ ${visibleText(name)}: ${visibleValue(after[name])}`,
];

const fieldLines = (fields: Fields, sign: string): readonly string[] =>
  Object.entries(fields).map(
    ([name, value]) => `${sign}${visibleText(name)}: ${visibleValue(value)}`,
  );

/**
 * Controls, format characters (those that hide text or turn its direction among them), private and unassigned
 * ones, lone surrogates, line separators, and every space but the plain one.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

const spelt = (text: string): string =>
  text.replaceAll(hidden, (character) => {
    if (character === '\n') return '\\n';
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });

/**
 * A text that a stranger or an agent has written, as a terminal may print it: what cannot be seen is spelt
 * out, so that nothing is hidden and nothing is interpreted. A backslash of its own is doubled, so that it does
 * not look like something that was spelt out.
 */
export const visibleText = (text: string): string => spelt(text.replaceAll('\\', '\\\\'));

/** A value of JSON in one line: texts as they are, anything else as JSON, which doubles backslashes itself. */
export const visibleValue = (value: unknown): string => {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? visibleText(value) : spelt(JSON.stringify(value));
};
