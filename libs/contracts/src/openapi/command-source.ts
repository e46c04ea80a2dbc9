import { eventGroups } from '../events.js';
import { fieldsOf } from '../fields/index.js';
import { FileAnswer } from '../answers.js';
import type { Operation } from '../operation.js';
import { table } from '../table.js';
import { clientCall } from './client-names.js';
import { commandLine, optionsOf } from './command-line.js';

/** Fields that the command line has ways of its own for. */
const own = ['pageToken', 'wait'];

/**
 * The generated part of `@postroom/cli`: a command for each call of the client, its options with their kinds and
 * choices, and its example.
 */
export function commandSource(): string {
  const commands = table.flatMap((operation) => {
    const call = clientCall(operation);
    return call ? [`  ${JSON.stringify({ ...call, ...factsOf(operation) })},`] : [];
  });
  return [
    '// Written by libs/contracts (openapi/command-source.ts) from the table of operations: do not edit.',
    "import type { TableCommand } from './table-command.js';\n",
    'export const commands: readonly TableCommand[] = [',
    ...commands,
    '];\n',
    `export const eventTypes: readonly string[] = ${JSON.stringify(Object.values(eventGroups).flat())};\n`,
  ].join('\n');
}

function factsOf(operation: Operation) {
  const { summary, effect, emits, fields, input, output, scope } = operation;
  const isPaged = fieldsOf(input).some(({ name }) => name === 'pageToken');
  const options = optionsOf(operation).filter(
    ({ name }) => !own.includes(name) && !(isPaged && name === 'limit'),
  );
  return {
    summary,
    ...(scope !== null && scope !== 'any' && { scope }),
    ...(effect !== 'read' && { effect: effect === 'send' ? 'send' : 'write' }),
    ...(emits.length > 0 && { emits }),
    ...(isPaged && { isPaged }),
    ...(output === FileAnswer && { isFile: true }),
    places: fields.path.map(({ name, about }) => ({ name, about })),
    options,
    example: commandLine(operation),
  };
}
