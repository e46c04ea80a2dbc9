import { freePorts } from '@postroom/local';

/** Below those that a product takes for itself: it may choose after a test has, and listen before. */
const range = [10_000, 19_999] as const;

/** A TCP port of 127.0.0.1 that nobody listens on, another one each time. */
export const freePort = freePorts([], range);
