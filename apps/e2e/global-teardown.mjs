import { removeRunFolder } from './run-folder.mjs';
import { suite } from './suite.mjs';

export default async function tearDown() {
  if (suite.topology === undefined) return;
  const { stopAfterRun } = await import('./dist/shared-product.js');
  await stopAfterRun().finally(removeRunFolder);
}
