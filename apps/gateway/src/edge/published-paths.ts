import { mountPoints } from '@postroom/contracts';
import { feedsPath } from '../access/index.js';
import { settingsDocumentPath } from './http/documents.controller.js';
import { pagePaths } from './pages/page-paths.js';

const apis = [mountPoints.key, mountPoints.member, settingsDocumentPath];

/** Paths below which a proxy passes requests on; probes and metrics are on the same port, and stay inside. */
export const publishedPaths: readonly string[] = [
  ...new Set([...apis, `/${feedsPath}`, ...pagePaths]),
];
