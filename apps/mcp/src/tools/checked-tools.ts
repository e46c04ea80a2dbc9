import { mountPoints, table, type Operation } from '@postroom/contracts';
import { inputSchemaOf } from './input-schema.js';
import { specifiedTools, type SpecifiedTool } from './specified.js';
import type { Tool, ToolDeclaration } from './tool.js';

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
    annotations: { title, ...annotations },
  };
  return { ...declaration, operation, definition };
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
