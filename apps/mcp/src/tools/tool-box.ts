import type { HandleMcpMessage } from '@postroom/contracts';
import type { Tool } from './tool.js';

/** What a client asks not to be offered; it takes away and never adds. */
export interface Narrowing {
  readonly readsOnly: boolean;
  /** Null for all. */
  readonly names: ReadonlySet<string> | null;
}

/** Reads the headers `X-MCP-Readonly` and `X-MCP-Tools` (`decisions.md` §7). */
export function narrowingOf({ readonly, tools }: HandleMcpMessage): Narrowing {
  const wanted = tools?.split(',').map((name) => name.trim());
  return {
    // What is not understood narrows: a client that meant something else sees that tools are missing.
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
