import { describedField, type Field, fieldsOf, valueSchema } from '../fields/index.js';
import { FileAnswer } from '../answers.js';
import type { Operation } from '../operation.js';
import { table } from '../table.js';
import { clientCall } from './client-names.js';
import { exampleOf } from './examples.js';

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
  ].join('\n');
}

function factsOf(operation: Operation) {
  const { summary, effect, emits, fields, input, output, scope } = operation;
  const isPaged = fieldsOf(input).some(({ name }) => name === 'pageToken');
  const options = [...fields.query, ...fields.body, ...fields.header].filter(
    (field) =>
      !own.includes(field.name) &&
      !isAlternative(field, input) &&
      !(isPaged && field.name === 'limit'),
  );
  return {
    summary,
    ...(scope !== null && scope !== 'any' && { scope }),
    ...(effect !== 'read' && { effect: effect === 'send' ? 'send' : 'write' }),
    ...(emits.length > 0 && { emits }),
    ...(isPaged && { isPaged }),
    ...(output === FileAnswer && { isFile: true }),
    places: fields.path.map(({ name, about }) => ({ name, about })),
    options: options.map(optionOf),
    example: exampleOf(operation)?.input ?? {},
  };
}

/** An object that holds what may also stand beside it (`draft`, `contact`, `task`). */
function isAlternative({ part }: Field, input: Operation['input']): boolean {
  const names = fieldsOf(input).map(({ name }) => name);
  return part !== undefined && fieldsOf(part()).every(({ name }) => names.includes(name));
}

interface Typed {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Typed[];
  readonly oneOf?: readonly Typed[];
  readonly items?: Typed;
}

function optionOf(field: Field) {
  const schema: Typed = valueSchema(field);
  const choices = schema.enum?.filter((one) => one !== null);
  return {
    name: field.name,
    kind: kindOf(field, schema),
    about: describedField(field),
    ...(!field.optional && { isRequired: true }),
    ...(field.nullable === true && { isNullable: true }),
    ...(choices && { choices }),
  };
}

function kindOf(
  field: Field,
  schema: Typed,
): 'text' | 'number' | 'flag' | 'list' | 'files' | 'json' {
  if (field.name === 'attachments') return 'files';
  const types = typesOf(schema);
  if (types.includes('boolean')) return 'flag';
  if (types.includes('integer') || types.includes('number')) return 'number';
  // Addresses are texts, too; so are times and dates.
  if (types.includes('string')) return 'text';
  return schema.items && typesOf(schema.items).includes('string') ? 'list' : 'json';
}

function typesOf({ type, anyOf, oneOf }: Typed): readonly string[] {
  const choices = anyOf ?? oneOf ?? [];
  return [...(typeof type === 'string' ? [type] : (type ?? [])), ...choices.flatMap(typesOf)];
}
