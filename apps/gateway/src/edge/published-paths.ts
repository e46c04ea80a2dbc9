import { mountPoints } from '@postroom/contracts';
import { feedsPath } from '../access/index.js';
import { pagePaths } from './pages/page-paths.js';

/** Paths below which a proxy passes requests on; probes and metrics are on the same port, and stay inside. */
export const publishedPaths: readonly string[] = [
  ...new Set([mountPoints.key, mountPoints.member, `/${feedsPath}`, ...pagePaths]),
];
