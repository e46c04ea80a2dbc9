import { Problem, type HandleMcpMessage } from '@postroom/contracts';

/** The revision that is spoken. */
export const protocolVersion = '2025-06-18';

/** Revisions that a request may name: the older one differs in nothing that is offered here. */
const namedVersions: readonly string[] = ['2025-03-26', protocolVersion];

/** The origins of pages that may ask: the deployment's own, and those that the operator allows. */
export const allowedOrigins = (config: {
  readonly publicUrl: string;
  readonly allowedOrigins: readonly string[];
}): readonly string[] => [
  new URL(config.publicUrl).origin,
  ...config.allowedOrigins.map((origin) => URL.parse(origin)?.origin ?? origin),
];

/**
 * Refuses the page of a stranger: it would reach a server on its visitor's machine through the visitor's
 * browser (DNS rebinding).
 * @throws Problem FOREIGN_ORIGIN
 */
export function requireOrigin({ origin }: HandleMcpMessage, allowed: readonly string[]): void {
  if (origin !== undefined && !allowed.includes(origin)) throw new Problem('FOREIGN_ORIGIN');
}

/** Whether a request names a revision that is spoken here, or none. */
export const isSpoken = ({ protocolVersion: named }: HandleMcpMessage): boolean =>
  named === undefined || namedVersions.includes(named);
