import { mountPoints, table, type Operation, type Scope } from '@postroom/contracts';
import { fieldsOfCalls, inputSchemaOf, isWrapper, structuresOf } from './input-schema.js';
import type { Tool, ToolDeclaration } from './tool.js';

/** A tool in the table of public-api.md §4. */
interface SpecifiedTool {
  readonly name: string;
  readonly scope: Scope;
  /** The route that does the same. */
  readonly route: string;
  /** Arguments that a call must give. */
  readonly required: readonly string[];
}

/** The fields of a tool, each argument by itself. */
type Row = readonly [name: string, scope: Scope, route: string, ...required: string[]];

const rows: readonly Row[] = [
  ['svc_search', 'read:conversations', 'GET /v1/search', 'query', 'mailbox'],
  ['svc_conversation_get', 'read:conversations', 'GET /v1/conversations/:id', 'id', 'mailbox'],
  ['svc_draft_create', 'drafts:write', 'POST /v1/drafts'],
  ['svc_draft_update', 'drafts:write', 'PATCH /v1/drafts/:id', 'id', 'mailbox'],
  ['svc_contact_get', 'read:contacts', 'GET /v1/contacts/:id', 'id', 'mailbox'],
  ['svc_contact_create', 'write:contacts', 'POST /v1/contacts'],
  ['svc_calendar_list', 'read:calendar', 'GET /v1/calendars'],
  ['svc_calendar_event_create', 'write:calendar', 'POST /v1/calendar-events'],
  ['svc_task_get', 'read:tasks', 'GET /v1/tasks/:id', 'id', 'mailbox'],
  ['svc_task_create', 'write:tasks', 'POST /v1/tasks'],
];

/** The table of public-api.md §4, MCP, in its order. */
export const specifiedTools: readonly SpecifiedTool[] = rows.map(
  ([name, scope, route, ...required]) => ({ name, scope, route, required }),
);

/** Words of a name, an operation or a route that promise that something leaves the workspace. */
const sending = /send|sent|reply|forward|deliver|transmi|outgoing|smtp/i;

/**
 * The tools that can be called: exactly those of the specification, in its order, each with the scope
 * of its operation, and none that sends.
 * @throws Error that names the tool at fault
 */
export function checkedTools(declared: readonly ToolDeclaration[]): readonly Tool[] {
  const tools = declared.map(toolOf);
  tools.forEach(refuseSending);
  const names = declared.map(({ name }) => name);
  const expected = specifiedTools.map(({ name }) => name);
  if (names.join() !== expected.join()) {
    throw new Error(
      `the tools are ${names.join(', ')}; the specification has ${expected.join(', ')}`,
    );
  }
  return tools;
}

function toolOf(declaration: ToolDeclaration): Tool {
  const { name, title, description, annotations, route } = declaration;
  const operation = operationAt(name, route);
  const specified = specifiedTools.find((one) => one.name === name);
  if (specified) requireAsSpecified(specified, route, operation);
  const inputSchema = inputSchemaOf(operation, declaration, specified?.required ?? []);
  const definition = {
    name,
    title,
    description,
    inputSchema,
    annotations,
  };
  const wrappers = fieldsOfCalls(operation).filter((field) => isWrapper(operation, field));
  return {
    ...{ ...declaration, operation, definition },
    structures: structuresOf(operation),
    wrappers: new Set(wrappers.map((field) => field.name)),
  };
}

function operationAt(name: string, route: string): Operation {
  const operation = table.find(
    ({ audience, method, path }) => audience === 'key' && `${method} ${path}` === route,
  );
  if (!operation) throw new Error(`tool ${name}: no operation at ${mountPoints.key} ${route}`);
  return operation;
}

function requireAsSpecified(specified: SpecifiedTool, route: string, operation: Operation): void {
  const { name, scope } = specified;
  if (route !== specified.route) throw new Error(`tool ${name} is not at ${specified.route}`);
  if (operation.scope !== scope) throw new Error(`tool ${name} does not have the scope ${scope}`);
}

/** Rule 2 of public-api.md §4, MCP. */
function refuseSending({ name, route, operation }: Tool): void {
  const { id, effect, scope, emits } = operation;
  const implies = [name, route, id].find((words) => sending.test(words));
  if (implies !== undefined || effect === 'send' || scope === 'mail:send') {
    throw new Error(`tool ${name} would send mail (${implies ?? id})`);
  }
  if (emits.includes('message.sent')) throw new Error(`tool ${name} would send mail (${id})`);
}
