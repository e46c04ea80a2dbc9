import type { HandleMcpMessage, Operation } from '@postroom/contracts';
import type { JsonObject } from '../json.js';
import type { Presented } from '../results/index.js';

/** The four hints of MCP about what a tool does. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as it is declared; the rest follows from its operation. */
export interface ToolDeclaration {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The route of its operation. */
  readonly route: string;
  readonly annotations: Annotations;
  /** Arguments that the operation calls otherwise: by argument, the field of the operation. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** True if it takes a mailbox that its operation does not have (`decisions.md` §7). */
  readonly reachesMailbox?: boolean;
  /** Schemas of fields that are shorter than their own; null: accepted, and not advertised. */
  readonly advertised?: Readonly<Record<string, JsonObject | null>>;
  /** Arguments of which one must say something: without any the write would be an empty one. */
  readonly content?: readonly string[];
  /** Arguments for {@link present} alone. */
  readonly paging?: JsonObject;
  /** Presents a success, given the operation's answer and the arguments for it. */
  readonly present: (answer: JsonObject, paging: JsonObject) => Presented;
}

/** A tool as clients see it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: Annotations;
}

/** A tool that can be called. */
export interface Tool extends ToolDeclaration {
  readonly operation: Operation;
  readonly definition: ToolDefinition;
  /** Arguments that are objects or lists. */
  readonly structures: ReadonlySet<string>;
  /** Arguments that only repeat the ones beside them. */
  readonly wrappers: ReadonlySet<string>;
}

/** Tools that a client asks not to be offered; it takes away and never adds. */
interface Narrowing {
  readonly readsOnly: boolean;
  /** Null for all. */
  readonly names: ReadonlySet<string> | null;
}

/** Reads the headers `X-MCP-Readonly` and `X-MCP-Tools` (`decisions.md` §7). */
export function narrowingOf({ readonly, tools }: HandleMcpMessage): Narrowing {
  const wanted = tools?.split(',').map((name) => name.trim());
  return {
    // An unknown value narrows: a client that meant something else sees that tools are missing.
    readsOnly: readonly !== undefined && readonly.trim().toLowerCase() !== 'false',
    names: wanted ? new Set(wanted) : null,
  };
}

/** The tools, as one request may see them. */
export class ToolBox {
  constructor(private readonly tools: readonly Tool[]) {}

  /** The tool of that name, whether it was narrowed away or not. */
  named(name: string): Tool | undefined {
    return this.tools.find((tool) => tool.name === name);
  }

  /** The tool that calls an operation. */
  ofOperation(id: string): Tool | undefined {
    return this.tools.find(({ operation }) => operation.id === id);
  }

  visible(narrowing: Narrowing): readonly Tool[] {
    return this.tools.filter((tool) => isVisible(tool, narrowing));
  }

  /** The tool of that name; undefined for one that is not there, or was narrowed away. */
  find(name: string, narrowing: Narrowing): Tool | undefined {
    return this.visible(narrowing).find((tool) => tool.name === name);
  }
}

const isVisible = ({ name, operation }: Tool, { readsOnly, names }: Narrowing): boolean =>
  (!readsOnly || operation.effect === 'read') && (names === null || names.has(name));
