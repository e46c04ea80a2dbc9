import { describedField, type Field, fieldsOf, valueSchema } from '../fields/index.js';
import { type Operation, ownText } from '../operation.js';
import { clientCall } from './client-names.js';
import { type Example, exampleOf } from './examples.js';

/** An option of a command: a field of the operation. */
export interface CommandOption {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list' | 'files' | 'json';
  readonly about: string;
  readonly isRequired?: boolean;
  readonly isNullable?: boolean;
  readonly choices?: readonly unknown[];
}

/** The options of an operation's command. */
export const optionsOf = ({ fields, input }: Operation): readonly CommandOption[] =>
  [...fields.query, ...fields.body, ...fields.header]
    .filter((field) => !isAlternative(field, input))
    .map(optionOf);

/** The example of an operation as it is typed for `@postroom/cli`; undefined where that has no such command. */
export function commandLine(
  operation: Operation,
  example: Partial<Example> = exampleOf(operation) ?? {},
): string | undefined {
  const call = clientCall(operation);
  const { input = {}, file } = example;
  if (!call) return operation.audience === 'key' ? undefined : settingsLine(operation, input, file);
  const inner = innerOf(input);
  const words = optionsOf(operation).flatMap((option) => wordsOf(option, inner[option.name]));
  const args = operation.fields.path.map(({ name }) => quoted(String(inner[name])));
  return ['postroom', kebab(call.family), kebab(call.name), ...args, ...words].join(' ');
}

/** A call of the settings API, which has one command for all. */
function settingsLine(
  { method, path, fields, request, audience }: Operation,
  input: Example['input'],
  file: Example['file'],
): string {
  const some = (of: readonly Field[]): [string, unknown][] =>
    of.flatMap(({ name }) => (name in input ? [[name, input[name]]] : []));
  const at = path.replaceAll(/:(\w+)/g, (_, name: string) => String(input[name]));
  const query = some(fields.query).map(
    ([name, value]) => `${name}=${encodeURIComponent(asText(value))}`,
  );
  const address = query.length > 0 ? `${at}?${query.join('&')}` : at;
  const body = ownText(request) ? input['body'] : Object.fromEntries(some(fields.body));
  return [
    ...['postroom', 'settings', method, quoted(address)],
    ...(audience === 'member' ? ['--as', 'admin@acme.test'] : []),
    ...(file ? ['--file', 'file', '--type', file.mediaType] : []),
    ...(!file && fields.body.length > 0 ? ['--data', quoted(JSON.stringify(body))] : []),
  ].join(' ');
}

function wordsOf(option: CommandOption, value: unknown): readonly string[] {
  const { kind, name } = option;
  if (value === undefined) return [];
  if (kind === 'files') return ['--attach', 'invoice.pdf'];
  if (kind === 'flag') return [value === true ? `--${kebab(name)}` : `--no-${kebab(name)}`];
  const values = kind === 'list' ? (value as readonly string[]) : [textOf(option, value)];
  return values.flatMap((one) => [`--${kebab(name)}`, quoted(one)]);
}

/** `calendarEvents` is written `calendar-events`. */
const kebab = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A text as a shell takes it. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The fields of an example beside each other, as options are, those of `draft`, `contact` and `task` too. */
const innerOf = (input: Example['input']): Example['input'] => ({
  ...input,
  ...(input['draft'] as object),
  ...(input['contact'] as object),
  ...(input['task'] as object),
});

/** Recipients are written as in a mail; other values as JSON. */
function textOf({ kind }: CommandOption, value: unknown): string {
  if (kind !== 'text' || !Array.isArray(value)) return asText(value);
  const recipients = value as readonly { readonly email: string; readonly name?: string }[];
  return recipients.map(({ email, name }) => (name ? `${name} <${email}>` : email)).join(', ');
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

function optionOf(field: Field): CommandOption {
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

function kindOf(field: Field, schema: Typed): CommandOption['kind'] {
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
