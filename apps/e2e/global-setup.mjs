import { beginRunFolder } from './run-folder.mjs';
import { needsOf, suite } from './suite.mjs';

// Jest loads this file untransformed, so it takes the compiled drivers.
export default async function setUp({ testPathPatterns }) {
  // The other suites start all that they need themselves, on a disk.
  if (suite.topology === undefined) return;
  await beginRunFolder();
  const { startForRun } = await import('./dist/shared-product.js');
  await startForRun(needsOf(testPathPatterns.patterns));
}
