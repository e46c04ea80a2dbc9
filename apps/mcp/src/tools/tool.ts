import type { Operation } from '@postroom/contracts';
import type { JsonObject } from '../json-rpc/index.js';
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
  /** Whether it takes a mailbox that its operation does not have (`decisions.md` §7). */
  readonly reachesMailbox?: boolean;
  /** Arguments for {@link present} alone. */
  readonly paging?: JsonObject;
  /** What is shown of a success, given the operation's answer and the arguments for it. */
  readonly present: (answer: JsonObject, paging: JsonObject) => Presented;
}

/** A tool as clients see it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly annotations: Annotations & { readonly title: string };
}

/** A tool that can be called. */
export interface Tool extends ToolDeclaration {
  readonly operation: Operation;
  readonly definition: ToolDefinition;
}
